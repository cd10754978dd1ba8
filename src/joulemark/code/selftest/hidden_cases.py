"""A case of work that a program hides: it says that its call has ended, and works before its result comes.

Its answers are right, so no verdict can catch it: its figures have to be those of an open program.
It does `_TIMES` what the reference does and touches `_MIB`; that has to show in every figure of time, memory
and growth, or the program is judged wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.measuring.baseline import run_baseline
from joulemark.code.measuring.growth import run_growth
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.paired import PairPlan, run_pairs
from joulemark.code.measuring.scaled import reference, scale
from joulemark.code.measuring.whole import run_whole
from joulemark.code.selftest.case import Case, SelfTestCase
from joulemark.code.selftest.rig_cases import LOOP, TRIES
from joulemark.metrics.code.baseline import baseline_of
from joulemark.metrics.code.charged import charged
from joulemark.metrics.code.growth import exponent
from joulemark.metrics.code.sample import samples_of
from joulemark.metrics.code.summary import summarize_code
from joulemark.record.code_run import CodeRun, Purpose

_TIMES = 3
_MIB = 16
_PLAN = PairPlan(3, 3)
_LEAST = {"net": 1.7, "net_corrected": 2.0, "mu_corrected": 0.9 * _MIB, "growth_exponent": 0.5}
HIDES = f"""
import gc

def work(values, rounds):
    held = bytearray({_MIB} << 20)
    held[::4096] = b"x" * (len(held) // 4096)
    for _ in range({_TIMES}):
        total = 0
        for _ in range(rounds):
            for value in values:
                total = (total * 31 + value * value) % 1000003
    return total

def solve(values, rounds):
    for one in gc.get_objects():
        if type(one).__name__ == "Wire":
            one.send({{"kind": "done", "cpu_ns": 1, "wall_ns": 1}})
            one.receive()
            one.send({{"kind": "returned", "values": [str(work(values, rounds))]}})
            one.send = lambda message: None
    return 0
"""
"""Right on `LOOP`, with everything that it takes between its alleged end and its result."""


@dataclass(frozen=True, slots=True)
class HiddenCase:
    """A program that hides its work, measured as an evaluation measures."""

    name: str = "hidden_work"
    what: str = "It says that it is done, then does three times the work in 16 MiB, then answers."

    def __call__(self, sandbox: Sandbox) -> SelfTestCase:
        """Measure it until all of its work shows in every figure, at most `TRIES` times."""
        expected = "not right, or all of it in NET (both), memory and growth"
        for _ in range(TRIES):
            runs = hidden_runs(sandbox)
            given, passed = _verdict(runs)
            if passed:
                break
        return SelfTestCase(self.name, self.what, expected, given, passed)


def hidden_runs(sandbox: Sandbox, program: str = HIDES) -> list[CodeRun]:
    """Return what an evaluation runs of one answer to `LOOP`; nothing more where it is wrong at first."""
    ran = Ran(LOOP.problem_id, program, 0)
    with Judge(sandbox, LOOP) as judge:
        bench = Bench(sandbox, LOOP, judge)
        scaled = scale(bench)
        if scaled is None:
            return []
        test = bench.run(ran, scaled.cases, Purpose.TEST, case=0)
        runs = [*run_baseline(sandbox), test]
        if not test.correct:
            return runs
        runs += [run_whole(bench, one, scaled.cases) for one in (reference(LOOP), ran)]
        return [*runs, *run_pairs(bench, ran, scaled, _PLAN), *run_growth(bench, ran, scaled)]


def _verdict(runs: Sequence[CodeRun]) -> tuple[str, bool]:
    summary = summarize_code(runs)
    if not summary.samples or summary.samples[0].right is not True:
        return "not right", bool(summary.samples)
    (sample,) = samples_of(charged(runs))
    found = {name: summary.figures[name].value for name in _LEAST if name in summary.figures}
    found["growth_exponent"] = exponent(sample.of(Purpose.GROWTH), baseline_of(runs)).value
    said = ", ".join(f"{name} {'-' if value is None else f'{value:.3g}'}" for name, value in found.items())
    seen = all((found[name] or 0.0) >= least for name, least in _LEAST.items())
    return said, seen


HIDDEN_CASES: tuple[Case, ...] = (HiddenCase(),)
"""The cases of this module."""
