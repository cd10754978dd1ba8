"""A against B as their answers come in: two runs, finished or growing, or two files of outcomes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from joulemark.frugal.outcomes.outcome_file import read_outcomes
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.paired.chosen_metric import require_no_cost, require_of_run, require_range
from joulemark.frugal.paired.decision import ALPHA, EPSILON, Decider, PairedTest
from joulemark.frugal.paired.follow import Follower
from joulemark.frugal.paired.pairing import paired
from joulemark.frugal.paired.run_answers import RunAnswers
from joulemark.frugal.paired.streamed import Streamed
from joulemark.frugal.paired.tie_width import require_narrow
from joulemark.record.errors import InputError

POLL_S = 1.0


def stream(
    a: Path,
    b: Path,
    *,
    epsilon: float = EPSILON,
    alpha: float = ALPHA,
    metric: str | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> Iterator[Streamed]:
    """Yield where A against B stands: once where all is there, else whenever more is, until it is decided.

    Ends with the last answer where nothing is decided. ``epsilon`` is in the unit of the values. ``metric``
    names the figure, null: right and wrong, or the score that there is. Raises `InputError` where the two
    cannot be paired, or the figure has no known range.
    """
    require_no_cost(metric)
    question = PairedTest(epsilon, alpha)
    if not (_is_run(a) and _is_run(b)):
        yield _of_files(a, b, question, metric)
        return
    both = RunAnswers(a), RunAnswers(b)
    for path, answers in zip((a, b), both, strict=True):
        require_of_run(metric, str(path), real=answers.real)
    follower = Follower(*both, question)
    told = -1
    while True:
        follower.advance()
        if follower.ended:
            yield follower.now()
            return
        if follower.n_read > told:
            told = follower.n_read
            yield follower.now()
        wait(POLL_S)


def _is_run(path: Path) -> bool:
    # of a path that is not there the error speaks of runs
    return (path / "manifest.json").exists() or not path.exists()


def _of_files(a: Path, b: Path, question: PairedTest, metric: str | None) -> Streamed:
    of_a, of_b = _outcomes(a, metric), _outcomes(b, metric)
    both = paired([of_a, of_b])
    require_narrow(question.epsilon, both.span, scored=both.graded == "score")
    question = PairedTest(question.epsilon, question.alpha, both.span, real=not both.binary)
    decider = Decider(both.n_items, question)
    decider.feed(both.values[1] - both.values[0])
    return Streamed.of(
        decider,
        names=(str(a), str(b)),
        metric=both.metric,
        left_out=(both.missing[0], both.missing[1]),
        growing=False,
        order="keyed",
        refusals=both.refusals,
        models=(both.names[0], both.names[1]),
        simulated=(_is_simulated(a), _is_simulated(b)),
        listed=(of_a.is_listed, of_b.is_listed),
    )


def _outcomes(path: Path, metric: str | None) -> Outcomes:
    """Read a run or a file of one model; raises `InputError`."""
    try:
        found = read_outcomes(path, metric=metric)
    except InputError as error:
        if "--model" not in (error.fix or ""):
            raise
        raise InputError(
            error.what,
            why=error.why,
            fix=f"joulemark frugal rank {path} --model ONE --model OTHER, which compares models of a file",
        ) from error
    require_range(metric, found, str(path))
    return found


def _is_simulated(path: Path) -> bool:
    return (path / "manifest.json").exists() and RunAnswers(path).is_simulated
