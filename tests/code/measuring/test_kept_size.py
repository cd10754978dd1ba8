"""A size that was found before: for how long it is believed, and what becomes of it else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from doubles.small_problems import TOTAL, total_problem
from joulemark.code.cases.case import Case
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.job import Answer, Job, work
from joulemark.code.evaluation.settings import FigureSet, Settings
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.packed import Packed
from joulemark.code.inside.plain import Plain
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import LEAST_NS, Scaled, unchecked
from joulemark.code.problems.problem import Generator
from joulemark.record.code_run import REFERENCE, CodeRun, Purpose

MS = 1_000_000
MINE = Ran("total", TOTAL, 0)
WRONG = Ran("total", "def total(values):\n    return -1\n", 0)
PROBLEM = total_problem(
    generator=Generator(
        "def generate(rng, size, shape):\n    return ([rng.randrange(10**9)] + [1] * size,)\n",
        sizes=(100, 10_000),
        shapes=("one",),
    )
)


@dataclass(frozen=True, slots=True)
class Clocked(Bench):
    """A bench that makes up the reference's CPU time: ``took_ms`` by pair, the last one from there on."""

    took_ms: Sequence[float] = ()
    met: list[Packed] = field(default_factory=list)

    def unjudged(
        self, ran: Ran, cases: Sequence[Case], purpose: Purpose, **more: Any
    ) -> tuple[CodeRun, tuple[Plain, ...]]:
        """Run it, and say how long it took."""
        run, values = Bench.unjudged(self, ran, cases, purpose, **more)
        if ran.sample is not None:
            self.met.extend(case.sent for case in cases)
            return run, values
        took_ms = self.took_ms[min(more["pair"], len(self.took_ms) - 1)]
        return replace(run, cpu_ns=round(took_ms * MS)), values


@pytest.fixture(scope="module")
def judge(sandbox: Sandbox) -> Iterator[Judge]:
    with Judge(sandbox, PROBLEM) as one:
        yield one


@pytest.mark.parametrize(
    ("took_ms", "n_pairs"),
    [
        ([18.5], 5),
        ([25], 5),
        ([12, 19, 19], 5),  # one input that is a quick one
        ([17.5], 0),
        ([19, 17, 17, 30], 0),
        ([9, 30], 0),
    ],
)
def test_it_is_believed_while_the_reference_takes_long_enough(
    sandbox: Sandbox, judge: Judge, took_ms: list[float], n_pairs: int
) -> None:
    bench = Clocked(sandbox, PROBLEM, judge, took_ms=took_ms)
    runs = run_pairs(bench, MINE, unchecked(1_000), PairPlan(5, 5))
    assert len([run for run in runs if run.role == REFERENCE]) == n_pairs
    assert len(runs) == 2 * n_pairs


@pytest.mark.parametrize(("took_ms", "n_runs"), [(17.5, 0), (18.5, 2)])
def test_nor_by_pairs_that_end_early(sandbox: Sandbox, judge: Judge, took_ms: float, n_runs: int) -> None:
    """Another answer to the problem would be timed at that size."""
    for program, plan in ((WRONG, PairPlan(5, 5)), (MINE, PairPlan(1, 1))):
        bench = Clocked(sandbox, PROBLEM, judge, took_ms=[took_ms])
        assert len(run_pairs(bench, program, unchecked(1_000), plan)) == n_runs


def test_one_that_was_looked_for_just_now_stands(sandbox: Sandbox, judge: Judge) -> None:
    """Where all sizes are searched for the reference's time again and again, nothing would ever be timed."""
    bench = Clocked(sandbox, PROBLEM, judge, took_ms=[17])
    assert len(run_pairs(bench, MINE, Scaled(1_000, (), LEAST_NS), PairPlan(3, 3))) == 6


def test_inputs_of_pairs_that_do_not_count_come_never_again(sandbox: Sandbox, judge: Judge) -> None:
    """The size may be found again; what a candidate left of those inputs is of no use to it then."""
    bench = Clocked(sandbox, PROBLEM, judge, took_ms=[17])
    assert run_pairs(bench, MINE, unchecked(1_000), PairPlan(3, 3)) == []
    assert len(run_pairs(bench, MINE, Scaled(1_000, (), LEAST_NS), PairPlan(3, 3))) == 6
    assert len(bench.met) == len(set(bench.met)) == 6


def test_an_evaluation_looks_for_another_and_has_no_rows_of_the_first(sandbox: Sandbox) -> None:
    settings = Settings(n_tests=3, min_pairs=1, max_pairs=2, growth=False, figures=(FigureSet.CORRECTED,))
    done = work(sandbox, Job(total_problem(), (Answer(0, TOTAL),), settings, size=1_000))
    assert done.not_measured is None
    sizes = {run.size for run in done.runs if run.purpose is Purpose.PAIRED}
    assert sizes == {done.size}
    assert (done.size or 0) > 10_000
