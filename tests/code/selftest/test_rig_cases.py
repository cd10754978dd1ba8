"""The rig is tried on programs whose true ratio is known, and it is noticed when it tells another one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from joulemark.code.contain.containment import WHOLE
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.scaled import scaled_cases
from joulemark.code.selftest.case import Case
from joulemark.code.selftest.rig_cases import (
    LOOP,
    RIG_CASES,
    TRIES,
    RatioCase,
    SameCase,
    loops,
    verdict,
)
from joulemark.code.selftest.selftest import LIMITS, all_cases
from joulemark.metrics.code.pair_ratio import PairRatio, ratio_value
from joulemark.metrics.value import withheld
from joulemark.record.code_run import Purpose
from joulemark.record.errors import InputError
from joulemark.record.reason import Reason

_RATIOS = [case for case in RIG_CASES if isinstance(case, RatioCase)]


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    try:
        sandbox = Sandbox(WHOLE, LIMITS)
    except InputError as error:
        pytest.skip(f"no whole containment on this machine: {error.why}")
    with sandbox:
        yield sandbox


def measured(*ratios: float) -> PairRatio:
    import math

    return PairRatio(ratio_value([math.log(one) for one in ratios]), len(ratios))


@pytest.mark.slow
@pytest.mark.parametrize("case", RIG_CASES, ids=lambda case: case.name)
def test_the_rig_tells_what_is_true(box: Sandbox, case: Case) -> None:
    found = case(box)
    assert found.passed, f"{found.what} expected: {found.expected}; given: {found.given}"
    assert "pairs" in found.given


@pytest.mark.slow
def test_another_ratio_than_the_true_one_is_noticed(box: Sandbox) -> None:
    """As if the rig lost a third of what a program takes."""
    found = RatioCase("lies", "It does twice what it should do three times.", LOOP, loops(2), 3.0)(box)
    assert not found.passed
    assert found.given.startswith(("1.", "2."))


@pytest.mark.slow
def test_a_rig_that_favours_one_side_is_noticed(box: Sandbox) -> None:
    assert not SameCase(n_passes=2)(box).passed


def test_a_case_is_tried_again_and_not_for_ever(monkeypatch: pytest.MonkeyPatch, box: Sandbox) -> None:
    tried: list[PairRatio] = []
    answers = [measured(2.9, 2.9, 2.9, 2.9), measured(2.9, 3.0, 3.1, 3.1, 2.9, 3.0)]

    def fake(self: RatioCase, sandbox: Sandbox) -> PairRatio:
        tried.append(answers[min(len(tried), len(answers) - 1)])
        return tried[-1]

    monkeypatch.setattr(RatioCase, "_measured", fake)
    found = RatioCase("x", "It does it three times.", LOOP, loops(3), 3.0)(box)
    assert (found.passed, len(tried)) == (True, 2)
    tried.clear()
    answers[:] = [measured(2.9, 2.9, 2.9, 2.9)]
    found = RatioCase("x", "It does it three times.", LOOP, loops(3), 3.0)(box)
    assert (found.passed, len(tried)) == (False, TRIES)
    assert found.expected.startswith("3 times")


@pytest.mark.parametrize(
    ("ratios", "passed"),
    [
        ((2.9, 3.0, 3.1, 3.0, 2.95, 3.05), True),
        ((2.9, 2.91, 2.92, 2.9, 2.91, 2.92), False),
        ((0.2, 9.0, 3.0, 3.1, 0.3, 8.0), False),
        ((3.0, 3.0), False),
    ],
)
def test_an_interval_has_to_hold_the_truth_and_to_say_something(
    monkeypatch: pytest.MonkeyPatch, box: Sandbox, ratios: tuple[float, ...], passed: bool
) -> None:
    """One that holds everything, or none at all, proves nothing."""
    monkeypatch.setattr(RatioCase, "_measured", lambda self, sandbox: measured(*ratios))
    assert RatioCase("x", "x", LOOP, loops(3), 3.0)(box).passed is passed


_EVEN = (0.99, 1.01, 1.0, 1.02, 0.98, 1.0)


@pytest.mark.parametrize(
    ("band", "every", "new", "passed"),
    [
        (0.03, measured(*_EVEN), measured(1.01, 1.02, 1.02, 1.02), True),
        (0.03, measured(*_EVEN), measured(1.1, 1.1, 1.1, 1.1), False),
        (0.7, measured(*_EVEN), measured(1.1, 1.1, 1.1, 1.1), False),
        (0.4, measured(1.3, 1.31, 1.32, 1.3, 1.31, 1.33), measured(1.3, 1.3, 1.3, 1.3), False),
        (None, measured(*_EVEN), measured(*_EVEN), False),
        (0.03, measured(*_EVEN), PairRatio(withheld("1", Reason.NOT_MEASURED), 0), False),
    ],
)
def test_a_band_that_holds_all_or_leans_to_one_side_is_none(
    band: float | None, every: PairRatio, new: PairRatio, passed: bool
) -> None:
    said, found = verdict(band, every, new)
    assert found is passed
    assert said


@pytest.mark.parametrize("case", _RATIOS, ids=lambda case: case.name)
def test_the_slow_one_is_right(sandbox: Sandbox, case: RatioCase) -> None:
    problem = case.problem
    assert problem.generator is not None
    assert problem.generator.sizes is not None
    with Judge(sandbox, problem) as judge:
        bench = Bench(sandbox, problem, judge)
        cases = scaled_cases(bench, problem.generator.sizes[0], problem.generator.shapes)
        run = bench.run(Ran(problem.problem_id, case.program, 0), cases, Purpose.PAIRED)
    assert run.correct, run.detail


def test_both_sides_do_the_same_work_and_one_of_them_does_it_more_often() -> None:
    for case in _RATIOS:
        counts = [
            sum(map(int, re.findall(r"in range\((\d+)\)", source)))
            for source in (case.program, case.problem.canonical)
        ]
        assert counts[0] / counts[1] == case.ratio


def test_they_are_cases_of_the_self_test() -> None:
    assert all(case in all_cases() for case in RIG_CASES)
    names = {case.name for case in RIG_CASES if isinstance(case, (RatioCase, SameCase))}
    assert names == {"same_program", "known_ratio_loop", "known_ratio_problem"}


def test_an_input_that_cannot_be_scaled_is_a_failure_of_the_case(
    monkeypatch: pytest.MonkeyPatch, box: Sandbox
) -> None:
    monkeypatch.setattr("joulemark.code.selftest.rig_cases.scale", lambda bench: None)
    for case in RIG_CASES:
        found = case(box)
        assert not found.passed
        assert found.given.startswith("no ")
