"""Candidate against reference: fresh processes in the order A B B A, until the interval is narrow enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.scaled import Scaled, reference
from joulemark.code.measuring.whole import SAMPLE_S
from joulemark.record.code_run import CodeRun, Purpose

_FEWEST_PAIRS = 3  # below that a ratio has no interval
_SAMPLED_PAIRS = 3  # sampling takes processor time beside the program: the same for both, and soon over


@dataclass(frozen=True, slots=True)
class PairPlan:
    """How many pairs are run: at least ``least``, at most ``most``; then until ``is_enough`` says so.

    Once all runs took ``budget_ns`` of CPU time, three pairs are enough: a program that is slow a hundredfold
    is told by them, and its interval says what they are worth.
    """

    least: int = 4
    most: int = 25
    is_enough: Callable[[Sequence[CodeRun]], bool] | None = None
    budget_ns: int = 10_000_000_000


def run_pairs(
    bench: Bench, ran: Ran, scaled: Scaled, plan: PairPlan, purpose: Purpose = Purpose.PAIRED
) -> list[CodeRun]:
    """Run pairs of reference and candidate; one that is wrong or over a limit once is not run again."""
    runs: list[CodeRun] = []
    canonical = reference(bench.problem)
    for pair in range(plan.most):
        order = (canonical, ran) if pair % 2 == 0 else (ran, canonical)
        for position, one in enumerate(order):
            runs.append(
                bench.run(
                    one,
                    scaled.cases,
                    purpose,
                    sample_memory_s=SAMPLE_S if pair < _SAMPLED_PAIRS else None,
                    pair=pair,
                    position=position,
                    size=scaled.size,
                )
            )
            if one is ran and not runs[-1].correct:
                return runs
        if pair + 1 >= _FEWEST_PAIRS and sum(run.cpu_ns or 0 for run in runs) > plan.budget_ns:
            break
        if pair + 1 >= plan.least and plan.is_enough is not None and plan.is_enough(runs):
            break
    return runs
