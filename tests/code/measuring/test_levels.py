"""Levels as ENAMEL runs them: each call in a fresh process, repeated, up to a limit of the reference's."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from doubles.small_problems import TOTAL, total_problem
from joulemark.code.cases.case import Case
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.packed import Packed
from joulemark.code.measuring.levels import Levels
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.scaled import reference
from joulemark.code.problems.problem import Generator, Problem
from joulemark.metrics.code.level_draw import LEVEL_REPEATS
from joulemark.record.code_run import CodeRun, Outcome, Purpose
from joulemark.record.errors import InputError

_GENERATE = """
def generate(rng, size, shape):
    return ([rng.randint(0, 9) for _ in range(size)],)
"""


def levelled_problem(
    levels: tuple[int, ...] = (5, 2000, 4000), tests: tuple[int, ...] = (3, 2, 1)
) -> Problem:
    generator = Generator(
        _GENERATE, levels=levels, cases_per_level=tests, level_weights=(0, 3, 4)[: len(levels)]
    )
    return total_problem(generator=generator)


@pytest.fixture(scope="module")
def bench(sandbox: Sandbox) -> Iterator[Bench]:
    problem = levelled_problem()
    with Judge(sandbox, problem) as judge:
        yield Bench(sandbox, problem, judge)


@pytest.fixture(scope="module")
def begun(bench: Bench) -> Levels:
    return Levels(bench, reference(bench.problem))


@pytest.fixture
def levels(begun: Levels) -> Levels:
    """Levels that no candidate has run on yet."""
    return copy.copy(begun)


def test_levels_that_count_are_repeated_and_the_first_is_not(levels: Levels) -> None:
    runs = levels.reference_runs
    assert all(run.purpose is Purpose.LEVEL and run.correct and run.sample is None for run in runs)
    found = Counter((run.level, run.case) for run in runs)
    counted = {(1, 0): LEVEL_REPEATS, (1, 1): LEVEL_REPEATS, (2, 0): LEVEL_REPEATS}
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


class Noting(Bench):
    """A bench that keeps which input each row is of."""

    def run(self, ran: Ran, cases: Sequence[Case], purpose: Purpose, **rest: Any) -> CodeRun:
        found = super().run(ran, cases, purpose, **rest)
        key = (found.sample, found.level, found.case, found.pair)
        INPUTS.setdefault(str(self.seed), {})[key] = cases[0].sent
        return found


Place = tuple[int | None, int | None, int | None, int | None]
INPUTS: dict[str, dict[Place, Packed]] = {}


def inputs_of(bench: Bench, seed: int, timed: str, n_samples: int = 0) -> dict[Place, Packed]:
    """The input of each run by (sample, level, test, pair): of the reference and so many answers."""
    INPUTS.clear()
    problem = levelled_problem((5, 30), (1, 1))
    levels = Levels(Noting(bench.sandbox, problem, bench.judge, timed), reference(problem), seed)
    for number in range(n_samples):
        assert all(run.correct for run in levels.run(Ran("total", TOTAL, number)))
    return INPUTS[timed]


def test_the_first_level_is_the_seeds_and_the_others_are_the_evaluations(bench: Bench) -> None:
    one, same, other, later = (
        inputs_of(bench, *drawn) for drawn in ((1, "1/now"), (1, "1/now"), (2, "1/now"), (1, "1/later"))
    )
    assert one == same
    for name, of in (("right and wrong", other), ("timed", later)):
        changed = {level for (_, level, _, _), sent in of.items() if sent not in one.values()}
        assert changed == ({0} if name == "right and wrong" else {1})
    timed = [sent for (sample, level, _, _), sent in one.items() if sample is None and level]
    assert len(set(timed)) == len(timed)  # no run meets an input of an earlier one


def test_every_answer_has_timed_inputs_of_its_own_and_the_reference_ran_on_them(bench: Bench) -> None:
    """One could leave in the kernel's caches what it found for the next."""
    found = inputs_of(bench, 1, "1/now", n_samples=3)
    own = [
        {(level, case, pair): sent for (whose, level, case, pair), sent in found.items() if whose == sample}
        for sample in (0, 1, 2)
    ]
    of_reference = {key[1:]: sent for key, sent in found.items() if key[0] is None}
    assert all(mine.items() <= of_reference.items() for mine in own)
    timed = [sent for mine in own for (level, _, _), sent in mine.items() if level]
    assert len(set(timed)) == len(timed) == 3 * LEVEL_REPEATS
    first = [{place: sent for place, sent in mine.items() if place[0] == 0} for mine in own]
    assert first[0] == first[1] == first[2]
