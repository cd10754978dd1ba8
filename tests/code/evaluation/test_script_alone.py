"""A problem that its test script alone judges: no rule is known by which another result could be compared."""

from __future__ import annotations

from dataclasses import replace

from doubles.small_problems import scripted_problem
from joulemark.code.cases.case import Case, Kind
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.job import Answer, Job, work
from joulemark.code.evaluation.settings import FigureSet, Settings
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.packed import pack
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.scaled import reference
from joulemark.code.measuring.whole import WholeRuns
from joulemark.metrics.code.sample import samples_of
from joulemark.metrics.code.summary import summarize_code
from joulemark.record.code_run import CANDIDATE, REFERENCE, CodeRun, Purpose

PAPER = Settings(figures=(FigureSet.PAPER,), whole_repeats=2)
NEAR = replace(
    scripted_problem(),
    problem_id="near",
    test_source=(
        "import random\n\ndef check(candidate):\n    for _ in range(5):\n"
        "        n = random.randrange(10 ** 9)\n"
        "        assert abs(candidate(n) - 2 * n) < 1\n"
    ),
)
EXACT, OFF = (
    "def double(number):\n    return 2 * number\n",
    "def double(number):\n    return 2 * number + 0.25\n",
)


def rows(sandbox: Sandbox, *sources: str) -> tuple[CodeRun, ...]:
    done = work(sandbox, Job(NEAR, tuple(Answer(n, one) for n, one in enumerate(sources)), PAPER))
    assert (done.failure, done.not_measured) == (None, None)
    return done.runs


def test_a_right_answer_that_is_not_the_references_is_right_where_it_is_timed(sandbox: Sandbox) -> None:
    """HumanEval/32, 38 and 50: theirs is `abs(poly(x)) < 1e-4`, say, for inputs that a script draws."""
    runs = rows(sandbox, OFF, EXACT)
    whole = [run for run in runs if run.purpose is Purpose.WHOLE]
    assert all(run.correct for run in whole)
    # the inputs are those of its own script's calls, and the reference ran beside each answer
    assert sorted((run.sample is None, run.pair) for run in whole) == [
        (own, k) for own in (False, True) for k in range(4)
    ]
    assert all(one.counts_for_cost for one in samples_of(runs))
    figures = summarize_code(runs).figures
    assert (figures["pass_at_1"].value, figures["net"].n) == (1.0, 1)


def test_what_is_neither_its_own_result_nor_the_references_is_wrong(sandbox: Sandbox) -> None:
    """Nobody asks the script where a program is timed, and it may not return anything for that."""
    cases = [Case(n, Kind.GIVEN, (n,), pack((n,)), 2 * n) for n in range(5)]
    with Judge(sandbox, NEAR) as judge:
        whole = WholeRuns(Bench(sandbox, NEAR, judge), reference(NEAR), (), 1)

        def correct(source: str, results: list[float]) -> dict[str, bool | None]:
            return {
                run.role: run.correct for run in whole.run_as_judged(Ran("near", source, 0), cases, results)
            }

        own, others = [2 * n + 0.25 for n in range(5)], [2 * n + 0.5 for n in range(5)]
        assert correct(OFF, own) == {CANDIDATE: True, REFERENCE: True}
        assert correct(OFF, others) == {CANDIDATE: False, REFERENCE: True}
        assert correct(EXACT, others) == {CANDIDATE: True, REFERENCE: True}
        # and the reference is not right by what an answer returned
        cases = [replace(case, expected=-1) for case in cases]
        assert correct(EXACT, [2.0 * n for n in range(5)]) == {CANDIDATE: True, REFERENCE: False}
