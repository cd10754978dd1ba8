"""Cheats that are held back: no case of the self-test is one of them. What do our figures say of each?

    python benchmarks/code_held_back.py

Each is measured as an evaluation measures. It has to be not right, or its figures have to be at least a
stated share of what its work takes; what is hidden shows as a figure below that. Two honest programs among
them, whose figures must be there and neither too small nor too large, tell a rig that withholds everything.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import held_back_programs as programs
from joulemark.code.cases.make import called_on, make_cases
from joulemark.code.contain.containment import probe
from joulemark.code.contain.ended import Ended
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.packed import pack
from joulemark.code.inside.plain import Plain
from joulemark.code.measuring.baseline import run_baseline
from joulemark.code.measuring.drawn import Drawn
from joulemark.code.measuring.growth import run_growth
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import Scaled, reference
from joulemark.code.measuring.whole import WholeRuns
from joulemark.code.problems.problem import Generator, Problem
from joulemark.code.selftest.rig_cases import LOOP
from joulemark.metrics.code.summary import summarize_code
from joulemark.record.code_run import CodeRun, Purpose

SIZE = 2_000  # of the scaled input: rounds of `LOOP`, some 15 ms
GROWTH_SIZE = 800
FUTEX = {"x86_64": 202, "aarch64": 98}.get(platform.machine(), 202)
_TRIES = 3  # a machine that is busy for a moment makes figures small too; what is hidden is so each time
_N_TESTS, _N_PAIRS, _N_BASELINE = 4, 4, 6
_PAIRS = "def generate(rng, size, shape):\n    return ([(rng.randrange(9999), k) for k in range(size)],)\n"
PAIRS = replace(
    LOOP,
    problem_id="pairs",
    canonical=programs.NO_COLLECTION[programs.NO_COLLECTION.index("def solve") :],
    generator=Generator(_PAIRS, sizes=(100, 200_000), shapes=("random",)),
)
Figures = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A program and what must come of it. ``least``, ``most``: bounds of its figures, by name.

    ``withheld``: figures that must not be there. Nothing of the three: it must not be right. ``may_fail``: it
    need not be right at all. ``source``: null where it is made for the bench.
    """

    name: str
    source: str | Callable[[Bench], str]
    problem: Problem = LOOP
    size: int = SIZE
    least: Mapping[str, float] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()
    may_fail: bool = True
    grows: bool = False

    def __call__(self, sandbox: Sandbox) -> Held:
        """Measure it until it comes out as it must, at most `_TRIES` times."""
        for _ in range(_TRIES):
            right, figures = measured(sandbox, self)
            held = self._held(right, figures)
            if held.caught:
                break
        return held

    def _held(self, right: bool, figures: Figures) -> Held:
        if not right:
            return Held(self.name, self.may_fail, "not right")
        if not (self.least or self.most or self.withheld):
            return Held(self.name, False, "right")
        wrong = [f"{name} {figures[name]:.3g}" for name in self.withheld if figures[name] is not None]
        for name in {**self.least, **self.most}:
            value, least, most = figures[name], self.least.get(name), self.most.get(name)
            if value is None or (least is not None and value < least) or (most is not None and value > most):
                wrong.append(f"{name} {value if value is None else f'{value:.3g}'}")
        told = ", ".join(f"{name} {figures[name]:.3g}" for name in self.least if figures[name] is not None)
        return Held(self.name, not wrong, ", ".join(wrong) or told or "withheld")


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two programs side by side that must not find each other."""

    name: str = "meets_by_a_futex"

    def __call__(self, sandbox: Sandbox) -> Held:
        """Let one wait and the other wake whoever waits."""
        source = programs.MEETS.replace("@FUTEX@", str(FUTEX))

        def ran(role: str) -> Plain:
            try:
                with sandbox.cell() as cell:
                    cell.load(source, "solve")
                    called = cell.call([pack((role,))])
            except Ended as ended:
                return str(ended.outcome)
            return called.values[0] if called.values else str(called.outcome)

        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(ran, ("waits", "wakes")))
        return Held(self.name, "met" not in found, str(found[1]))


@dataclass(frozen=True, slots=True)
class Held:
    """What came of a cheat."""

    name: str
    caught: bool
    given: str


def measured(sandbox: Sandbox, one: HeldBack) -> tuple[bool, Figures]:
    """Return whether a program passes its tests, and its figures. ``held_share``: see below."""
    problem, seed = one.problem, os.urandom(6).hex()
    with Judge(sandbox, problem) as judge:
        bench = Bench(sandbox, problem, judge, seed)
        source = one.source if isinstance(one.source, str) else one.source(bench)
        ran = Ran(problem.problem_id, source, 0)
        cases = make_cases(sandbox, problem, _N_TESTS, seed)
        runs: list[CodeRun] = [*run_baseline(sandbox, _N_BASELINE)]
        runs += [bench.run(ran, [case], Purpose.TEST, case=case.number) for case in cases]
        if not all(run.correct for run in runs[_N_BASELINE:]):
            return False, {}
        runs += WholeRuns(bench, reference(problem), cases, 1).run(ran)
        scaled = Scaled(one.size, (), 20_000_000)
        runs += run_pairs(bench, ran, scaled, PairPlan(_N_PAIRS, _N_PAIRS))
        if one.grows:
            runs += run_growth(bench, ran, scaled)
    figures = {name: value.value for name, value in summarize_code(runs).figures.items()}
    names = ("tmu_corrected", "mu_corrected", "et_corrected")
    over_time, peak, seconds = (figures[name] or 0.0 for name in names)
    # which share of its time its most memory was seen to be held
    figures["held_share"] = over_time / (peak * seconds) if peak * seconds else None
    return True, figures


def padded(bench: Bench) -> str:
    """Return the program that wastes time below the scaled size, which it knows."""
    return programs.PADS.replace("@SIZE@", str(GROWTH_SIZE))


def memo_by_pages(bench: Bench) -> str:
    """Return the program with the largest file of the libraries, of which nothing is left in memory."""
    files = [Path(place, name) for place, _, names in os.walk("/usr/lib") for name in names]
    largest = max((one for one in files if not one.is_symlink()), key=lambda one: one.stat().st_size)
    with largest.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return programs.BY_PAGES.replace("@FILE@", str(largest))


def table_of_a_seed(bench: Bench) -> str:
    """Return a program with the answers to the inputs that the seed 0 draws, as it is known to everybody."""
    drawn = Drawn(replace(bench, seed=0), Ran(bench.problem.problem_id, "", 0), SIZE, _N_PAIRS)
    sent = [case.sent for pair in range(_N_PAIRS) for case in drawn.of(pair)]
    rows = called_on(bench.sandbox, bench.problem, programs.SOLVES_FOR_THE_TABLE, sent, "the table").values
    return programs.TABLE.replace("@TABLE@", repr(dict(rows)))  # type: ignore[arg-type]


_T, _M = programs.TIMES, programs.MIB
_TIME = {"net_corrected": 0.75 * _T}
_MEMORY = {"mu_corrected": 0.9 * _M}
HELD_BACK: tuple[HeldBack | Meeting, ...] = (
    HeldBack("honest", programs.HONEST, least=_TIME, most={"net_corrected": 1.3 * _T}, may_fail=False),
    HeldBack(
        "honest_growth",
        programs.GROWS,
        size=GROWTH_SIZE,
        least={"growth_excess_mean": 0.2},
        most={"growth_excess_mean": 1.2},
        may_fail=False,
        grows=True,
    ),
    HeldBack("equal_to_any", programs.ANY),
    HeldBack("holds_itself", programs.WITHIN_ITSELF),
    HeldBack("raises_its_answer", programs.RAISES_THE_ANSWER),
    HeldBack("wrong_when_large", programs.WRONG_WHEN_LARGE, withheld=("net_corrected",)),
    HeldBack("memo_by_names", programs.BY_NAMES, least=_TIME),
    HeldBack("memo_by_pages", memo_by_pages, least=_TIME),
    HeldBack("table_of_a_seed", table_of_a_seed, least=_TIME),
    HeldBack("work_at_a_collection", programs.AT_A_COLLECTION, least=_TIME),
    HeldBack("no_collection", programs.NO_COLLECTION, PAIRS, 200_000, least={"net_corrected": 0.85}),
    HeldBack("others_memory_dropped", programs.OTHERS_DROPPED, least=_MEMORY | _TIME),
    HeldBack("memory_at_import", programs.AT_IMPORT, least=_MEMORY | _TIME),
    HeldBack("memory_in_a_spike", programs.IN_A_SPIKE, least=_MEMORY | _TIME),
    HeldBack("drips_while_it_holds", programs.DRIPS, least=_MEMORY | _TIME | {"held_share": 0.5}),
    HeldBack("pads_small_inputs", padded, size=GROWTH_SIZE, grows=True, withheld=("growth_excess_mean",)),
    Meeting(),
)


def graded(sandbox: Sandbox, cheats: Sequence[HeldBack | Meeting]) -> list[Held]:
    """Return what came of each."""
    return [one(sandbox) for one in cheats]


def main() -> int:
    """Print what came of each; return 1 where one is not caught."""
    found = []
    with Sandbox(probe(), Limits(wall_s=30, cpu_s=5)) as sandbox:
        for one in HELD_BACK:
            begin = time.perf_counter()
            (held,) = graded(sandbox, [one])
            found.append(held)
            took_s = time.perf_counter() - begin
            said = "as it must be" if held.caught else "NOT CAUGHT"
            print(f"{held.name:22} {said:14} {took_s:5.1f} s  {held.given}")
    missed = [one.name for one in found if not one.caught]
    print("goals met" if not missed else f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
