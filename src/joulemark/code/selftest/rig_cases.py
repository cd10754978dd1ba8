"""Cases of the whole rig: a program against itself, and pairs of programs whose true ratio is known.

Each is measured as an evaluation measures: fresh processes in the order A B B A, what a program that does
nothing takes is taken off, the input scaled (and longer where the true ratio is known, see `_LONGER`). An
interval of 95 % misses the truth once in twenty times, and a machine may be busy: a case is tried `TRIES`
times, and a rig that is wrong misses every time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.job import narrow_enough
from joulemark.code.grading.judge import Judge
from joulemark.code.measuring.baseline import run_baseline
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import Scaled, scale, scaled_cases
from joulemark.code.problems.problem import Generator, Problem
from joulemark.code.problems.registry import BUILT_IN, load_problems
from joulemark.code.selftest.case import Case, SelfTestCase
from joulemark.metrics.code.baseline import baseline_of
from joulemark.metrics.code.pair_ratio import PairRatio, aa_band, pair_ratio
from joulemark.metrics.code.pairs import Pair, control_pairs, pairs_of
from joulemark.record.code_run import CodeRun, Purpose

TRIES = 3
_WIDEST_BAND, _WIDEST_INTERVAL = 0.3, 0.25  # the latter: half of it, over the true ratio
_CONTROL_PAIRS = 8
_PLAN = PairPlan(7, 15, narrow_enough(0.05))
_CONTROLS = (
    "divide_and_conquer_giant_product",
    "dynamic_programming_stepping_stones",
    "two_pointers_mirror_faults",
)
_REPEATABLE = "sliding_window_most_varied"
# What a fresh process takes once (it copies pages that it shares, and finds caches cold: some 0.3 ms) pulls a
# ratio towards 1, by about a hundredth where the reference takes 25 ms. That is no error of the rig, and no
# part of the true ratio: so there are many passes over a small input, four times as long as in an evaluation.
_SMALL_PASSES = 20
_LONGER = 4
_PASSES = """

_joulemark_once = {entry}


def {entry}(*args):
    for _ in range({n}):
        result = _joulemark_once(*args)
    return result
"""
_LOOP = """
def solve(values, rounds):
    for _ in range({n}):
        total = 0
        for _ in range(rounds):
            for value in values:
                total = (total * 31 + value * value) % 1000003
    return total
"""
_GENERATE = """
def generate(rng, size, shape):
    return [rng.randrange(10_000) for _ in range(100)], size
"""
LOOP = Problem(
    problem_id="loop",
    title="Loop",
    statement="Go through the values in every round.",
    entry_point="solve",
    canonical=_LOOP.format(n=1),
    origin="joulemark",
    licence="Apache-2.0",
    generator=Generator(_GENERATE, sizes=(100, 100_000), shapes=("random",)),
)


def passes(problem: Problem, n: int) -> str:
    """Return a right program that does ``n`` times what the canonical solution does once."""
    return f"{problem.canonical}\n{_PASSES.format(entry=problem.entry_point, n=n)}"


def loops(n: int) -> str:
    """Return a right program for `LOOP` that does its work ``n`` times."""
    return _LOOP.format(n=n)


@dataclass(frozen=True, slots=True)
class RatioCase:
    """A right program that takes ``ratio`` times the reference's time by its construction: a case."""

    name: str
    what: str
    problem: Problem
    program: str
    ratio: float

    def __call__(self, sandbox: Sandbox) -> SelfTestCase:
        """Measure it until its interval holds the true ratio and tells it from 1, at most `TRIES` times."""
        expected = f"{self.ratio:g} times the reference's time, within the interval"
        for _ in range(TRIES):
            found = self._measured(sandbox)
            value = found.ratio
            passed = value.lo is not None and value.hi is not None
            passed = passed and _holds(found, self.ratio) and not _holds(found, 1.0)
            passed = passed and (value.hi or 0.0) - (value.lo or 0.0) <= 2 * _WIDEST_INTERVAL * self.ratio
            if passed:
                break
        return SelfTestCase(self.name, self.what, expected, _said(found), passed)

    def _measured(self, sandbox: Sandbox) -> PairRatio:
        baseline = baseline_of(run_baseline(sandbox))
        with _Measured(sandbox, self.problem, _LONGER) as rig:
            return pair_ratio(rig.pairs(self.program, _PLAN), baseline)


@dataclass(frozen=True, slots=True)
class SameCase:
    """Programs against themselves: a new ratio lies in the band that they make, and none is favoured.

    ``n_passes``: how often the one that is called the candidate does its work; 1 for the same program.
    """

    name: str = "same_program"
    what: str = "A program is measured against itself, beside the band that such measurements make."
    n_passes: int = 1

    def __call__(self, sandbox: Sandbox) -> SelfTestCase:
        """Measure until the ratio lies in a band that is no wider than `_WIDEST_BAND`."""
        expected = f"a ratio of 1 within the band, which is at most {_WIDEST_BAND:g}"
        for _ in range(TRIES):
            given, passed = self._tried(sandbox)
            if passed:
                break
        return SelfTestCase(self.name, self.what, expected, given, passed)

    def _tried(self, sandbox: Sandbox) -> tuple[str, bool]:
        baseline = baseline_of(run_baseline(sandbox))
        controls: list[CodeRun] = []
        plan = PairPlan(_CONTROL_PAIRS, _CONTROL_PAIRS)
        mine: Sequence[Pair] = ()
        for name in _CONTROLS:
            problem = _built_in(name)
            with _Measured(sandbox, problem) as rig:
                controls += rig.runs(problem.canonical, plan, Purpose.SAME)
                if name == _CONTROLS[-1]:
                    again = problem.canonical if self.n_passes == 1 else passes(problem, self.n_passes)
                    mine = rig.pairs(again, plan)
        by_problem = control_pairs(controls)
        band = aa_band(by_problem, baseline).value
        every = pair_ratio([pair for pairs in by_problem.values() for pair in pairs], baseline)
        return verdict(band, every, pair_ratio(mine, baseline))


def _built_in(name: str) -> Problem:
    return load_problems(BUILT_IN).by_id()[name]


def in_small_passes(problem: Problem) -> Problem:
    """Return a problem whose reference solves it `_SMALL_PASSES` times over, so on smaller inputs."""
    return replace(
        problem, problem_id=f"{problem.problem_id}_repeated", canonical=passes(problem, _SMALL_PASSES)
    )


class _Measured:
    """One problem on the rig: a context manager. It measures nothing where no input takes long enough.

    ``longer``: how many times the size of the scaled input is run.
    """

    def __init__(self, sandbox: Sandbox, problem: Problem, longer: int = 1) -> None:
        self._longer = longer
        self._judge = Judge(sandbox, problem)
        self._bench = Bench(sandbox, problem, self._judge)
        self._scaled: Scaled | None = None

    def __enter__(self) -> _Measured:
        found, generator = scale(self._bench), self._bench.problem.generator
        if found is not None and generator is not None and self._longer > 1:
            size = found.size * self._longer
            cases = scaled_cases(self._bench, size, generator.shapes)
            found = Scaled(size, cases, found.reference_ns * self._longer)
        self._scaled = found
        return self

    def __exit__(self, *_: object) -> None:
        self._judge.close()

    def runs(self, program: str, plan: PairPlan, purpose: Purpose) -> list[CodeRun]:
        """Run a program beside the reference."""
        if self._scaled is None or not self._scaled.is_long_enough:
            return []
        ran = Ran(self._bench.problem.problem_id, program, 0)
        return run_pairs(self._bench, ran, self._scaled, plan, purpose)

    def pairs(self, program: str, plan: PairPlan) -> Sequence[Pair]:
        """Run a program beside the reference and return the pairs."""
        found = pairs_of(self.runs(program, plan, Purpose.PAIRED))
        return found.get((self._bench.problem.problem_id, 0), ())


def verdict(band: float | None, every: PairRatio, new: PairRatio) -> tuple[str, bool]:
    """Return what came of programs against themselves, for a reader, and whether it is as it must be.

    ``every``: of all pairs that make the ``band``; ``new``: of pairs that are not among them.
    """
    if band is None or new.ratio.value is None:
        return f"no band, or no ratio: {new.ratio.detail}".rstrip(" :"), False
    passed = abs(new.ratio.value - 1) <= band <= _WIDEST_BAND and _holds(every, 1.0)
    return f"{_said(new)}; band ± {band:.3g}; all controls together {_said(every)}", passed


def _holds(found: PairRatio, truth: float) -> bool:
    lo, hi = found.ratio.lo, found.ratio.hi
    return lo is not None and hi is not None and lo <= truth <= hi


def _said(found: PairRatio) -> str:
    value = found.ratio
    if value.value is None:
        return f"no ratio: {value.detail}"
    if value.lo is None or value.hi is None:
        return f"{value.value:.4g} without an interval, {found.n_pairs} pairs"
    return f"{value.value:.4g} ({value.lo:.4g} … {value.hi:.4g}), {found.n_pairs} pairs"


RIG_CASES: tuple[Case, ...] = (
    SameCase(),
    RatioCase(
        "known_ratio_loop",
        "A loop does three times what the reference does once, so it takes three times as long.",
        LOOP,
        loops(3),
        3.0,
    ),
    RatioCase(
        "known_ratio_problem",
        "A built-in problem's canonical solution is called sixty times, and twenty times as the reference.",
        in_small_passes(_built_in(_REPEATABLE)),
        passes(_built_in(_REPEATABLE), 3 * _SMALL_PASSES),
        3.0,
    ),
)
"""The cases of this module."""
