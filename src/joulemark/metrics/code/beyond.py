"""Beyond: where an answer's run time lies between the fastest and the slowest human one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from joulemark.metrics.code.baseline import NS_PER_S
from joulemark.metrics.code.over_tasks import mean_of
from joulemark.metrics.code.sample import Sample, by_problem
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import Outcome, Purpose
from joulemark.record.reason import Reason

_SOURCE = "M. Du et al., Mercury (NeurIPS 2024)"
_INPUTS = ("code.wall_ns", "code.correct", "code.outcome")
_WHEN = (
    "no run times of known right programs were given",
    "no answer to such a problem was judged",
    "a right answer was ended before it had taken as long as the slowest known program",
)
_ENDED = "{} right answers were ended before they had taken as long as the slowest known program."
_NONE = "No times of known right programs were given for these problems (`--known-times`, `--known`)."

BEYOND = MetricDefinition(
    "beyond",
    "Beyond",
    "1",
    r"\frac{1}{P} \sum_p (t_\mathrm{slowest} - \mathrm{clip}(t)) / (t_\mathrm{slowest} - t_\mathrm{fastest})",
    _INPUTS,
    _WHEN,
    f"{_SOURCE}, as the paper defines it: the time is clipped to the known ones, so a score is 0 to 1; a "
    "wrong answer scores 0, and so does one that passes its tests and returned a wrong result elsewhere. "
    "Wall time of all tests in one process",
)
BEYOND_AS_CODED = MetricDefinition(
    "beyond_as_coded",
    "Beyond, as their program computes it",
    "1",
    r"\frac{1}{P} \sum_p \mathrm{max}(0, \mathrm{min}(t_\mathrm{slowest} - t, 1)) / "
    r"(t_\mathrm{slowest} - t_\mathrm{fastest})",
    _INPUTS,
    _WHEN,
    f"{_SOURCE}, its published program: it clips seconds, not the score, so what is faster than the fastest "
    "scores above 1, and a problem whose known times differ by more than a second cannot reach 1",
)
DEFINITIONS = (BEYOND, BEYOND_AS_CODED)


def beyond_score(time_s: float, fastest_s: float, slowest_s: float) -> float:
    """Return the score of a right answer, 0 to 1; ``fastest_s`` < ``slowest_s``."""
    clipped = min(max(time_s, fastest_s), slowest_s)
    return (slowest_s - clipped) / (slowest_s - fastest_s)


def beyond_score_as_coded(time_s: float, fastest_s: float, slowest_s: float) -> float:
    """Return the score of a right answer by the published program; may exceed 1."""
    return max(0.0, min(slowest_s - time_s, 1.0)) / (slowest_s - fastest_s)


def beyond(samples: Sequence[Sample], known_s: Mapping[str, Sequence[float]]) -> dict[str, Value]:
    """Return both forms over the problems with known run times, by the same clock, of two programs at least.

    A problem with several answers counts with their mean. A right answer whose time is not known is left out.
    """
    return {
        BEYOND.name: _mean(samples, known_s, beyond_score),
        BEYOND_AS_CODED.name: _mean(samples, known_s, beyond_score_as_coded),
    }


def _mean(
    samples: Sequence[Sample],
    known_s: Mapping[str, Sequence[float]],
    score: Callable[[float, float, float], float],
) -> Value:
    found: dict[str, float] = {}
    n_unknown = 0
    for problem, mine in by_problem(samples).items():
        times = known_s.get(problem, ())
        if len(times) < 2 or not max(times) > min(times):
            continue
        scores = [value for sample in mine if (value := _score(sample, times, score)) is not None]
        n_unknown += sum(math.isnan(value) for value in scores)
        if scores:
            found[problem] = math.fsum(scores) / len(scores)
    if n_unknown:
        detail = _ENDED.format(n_unknown)
        return withheld("1", Reason.NOT_MEASURED, detail=detail, n=len(found))
    return mean_of(found, "1", detail=_NONE)


def _score(
    sample: Sample, times: Sequence[float], score: Callable[[float, float, float], float]
) -> float | None:
    if sample.passed is None:
        return None
    if not sample.passed or sample.is_wrong_beyond_tests:
        return 0.0
    ended = [run for run in sample.of(Purpose.WHOLE) if run.outcome is not Outcome.RETURNED]
    if ended:
        # it took longer than was seen of it: below the slowest known time that may be any score
        seen = max((run.wall_ns or 0 for run in ended), default=0) / NS_PER_S
        return 0.0 if seen >= max(times) else math.nan
    whole = [
        run.wall_ns
        for run in sample.of(Purpose.WHOLE)
        if run.outcome is Outcome.RETURNED and run.wall_ns is not None
    ]
    return score(min(whole) / NS_PER_S, min(times), max(times)) if whole else None
