"""All tests one after another in one process, with memory sampled from outside: as the paper measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from joulemark.code.cases.case import Case
from joulemark.code.cases.make import make_cases
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.record.code_run import SEEN_INPUT, CodeRun, Purpose

SAMPLE_S = 0.001
"""The step of the paper; what was reached is recorded with each run."""


@dataclass(frozen=True, slots=True)
class AllTests:
    """Inputs of one run of all tests; ``are_seen``: programs ran on most of them when they were graded."""

    cases: tuple[Case, ...]
    are_seen: bool


def draw_tests(bench: Bench, graded: Sequence[Case], repeats: int) -> list[AllTests]:
    """Return for each repeat as many tests as programs were graded on, on inputs that are drawn anew.

    What a program could leave of its tests is of no use to it here. Examples, edge cases and given inputs
    stay the same. Raises `InputError` where the problem's own parts fail.
    """
    if bench.problem.generator is None:
        return [AllTests(tuple(graded), True)] * repeats
    seen, found = {case.sent for case in graded}, []
    for repeat in range(repeats):
        seed = f"{bench.seed}/whole/{repeat}"
        cases = make_cases(bench.sandbox, bench.problem, len(graded), seed, cross_check=False)
        cases = cases or tuple(graded)
        found.append(AllTests(cases, 2 * sum(case.sent in seen for case in cases) > len(cases)))
        seen |= {case.sent for case in cases}
    return found


def run_whole(
    bench: Bench, ran: Ran, cases: Sequence[Case], repeat: int = 0, *, are_seen: bool = False
) -> CodeRun:
    """Run all tests in one go, sampling the resident memory every `SAMPLE_S`.

    ``are_seen``: the program ran on them before, which the row says.
    """
    run = bench.run(ran, cases, Purpose.WHOLE, sample_memory_s=SAMPLE_S, pair=repeat)
    return replace(run, flags=(*run.flags, SEEN_INPUT)) if are_seen else run


def run_whole_beside(bench: Bench, reference: Ran, ran: Ran, tests: Sequence[AllTests]) -> list[CodeRun]:
    """Run all tests of two programs, in the order A B B A: drift of the machine falls on both."""
    found = []
    for repeat, one in enumerate(tests):
        both = (reference, ran) if repeat % 2 == 0 else (ran, reference)
        found += [run_whole(bench, mine, one.cases, repeat, are_seen=one.are_seen) for mine in both]
    return found
