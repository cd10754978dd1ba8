"""Levels as ENAMEL runs them: each call in a fresh process, repeated, up to a limit of the reference's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from doubles.small_problems import total_problem
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.measuring.levels import REPEATS, Levels
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.scaled import reference
from joulemark.code.problems.problem import Generator, Problem
from joulemark.record.code_run import Outcome, Purpose
from joulemark.record.errors import InputError

_GENERATE = """
def generate(rng, size, shape):
    return ([rng.randint(0, 9) for _ in range(size)],)
"""


def levelled_problem() -> Problem:
    generator = Generator(
        _GENERATE, levels=(5, 2000, 4000), cases_per_level=(3, 2, 1), level_weights=(0, 3, 4)
    )
    return total_problem(generator=generator)


@pytest.fixture(scope="module")
def bench(sandbox: Sandbox) -> Iterator[Bench]:
    problem = levelled_problem()
    with Judge(sandbox, problem) as judge:
        yield Bench(sandbox, problem, judge)


@pytest.fixture(scope="module")
def levels(bench: Bench) -> Levels:
    return Levels(bench, reference(bench.problem))


def test_levels_that_count_are_repeated_and_the_first_is_not(levels: Levels) -> None:
    runs = levels.reference_runs
    assert all(run.purpose is Purpose.LEVEL and run.correct and run.sample is None for run in runs)
    found = Counter((run.level, run.case) for run in runs)
    counted = {(1, 0): REPEATS, (1, 1): REPEATS, (2, 0): REPEATS}
    assert found == {(0, 0): 1, (0, 1): 1, (0, 2): 1, **counted}
    assert {run.size for run in runs if run.level == 2} == {4000}


def test_a_program_keeps_nothing_from_one_call_to_the_next(levels: Levels) -> None:
    keeps = (
        "seen = []\ndef total(values):\n    seen.append(1)\n    return sum(values) if len(seen) == 1 else 0\n"
    )
    runs = levels.run(Ran("total", keeps, 0))
    assert len(runs) == len(levels.reference_runs)
    assert all(run.correct for run in runs)


def test_it_ends_with_the_first_wrong_result(levels: Levels) -> None:
    large = "def total(values):\n    return sum(values) if len(values) < 3000 else 0\n"
    runs = levels.run(Ran("total", large, 0))
    assert [run.correct for run in runs] == [True] * (len(runs) - 1) + [False]
    assert runs[-1].level == 2
    assert runs[-1].outcome is Outcome.RETURNED


@pytest.mark.parametrize("spent_s", [0.2, 60])
def test_it_ends_with_the_first_call_over_twice_the_references_time(levels: Levels, spent_s: float) -> None:
    """Whether it is stopped, or comes to its end before anybody looks."""
    slow = (
        "import time\n"
        "def total(values):\n"
        f"    end = time.process_time() + ({spent_s} if len(values) > 1000 else 0)\n"
        "    while time.process_time() < end: pass\n"
        "    return sum(values)\n"
    )
    runs = levels.run(Ran("total", slow, 0))
    assert [run.level for run in runs] == [0, 0, 0, 1]
    assert runs[-1].outcome is Outcome.OVER_CPU or (runs[-1].cpu_ns or 0) > 100_000_000
    assert runs[-1].limit_ns is None or runs[-1].limit_ns < 1_000_000_000


def test_a_reference_that_fails_is_told(sandbox: Sandbox) -> None:
    by_luck = (
        "import os\n"
        "def total(values):\n"
        "    return sum(values) + (os.urandom(1)[0] if len(values) > 9 else 0)\n"
    )
    problem = levelled_problem()
    with Judge(sandbox, problem) as judge, pytest.raises(InputError, match="reference fails on level 1"):
        Levels(Bench(sandbox, problem, judge), Ran("total", by_luck))


def test_the_inputs_are_those_of_the_seed(bench: Bench) -> None:
    one, same, other = (Levels(bench, reference(bench.problem), seed) for seed in (1, 1, 2))
    sent = [
        [case.sent for repeats in mine._cases for cases in repeats for case in cases]
        for mine in (one, same, other)
    ]
    assert sent[0] == sent[1] != sent[2]
    assert len(set(sent[0])) == len(sent[0])  # no run meets an input of an earlier one
