"""Candidate against reference: fresh processes in the order A B B A, until the interval is narrow enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from joulemark.code.cases.case import Case
from joulemark.code.inside.plain import Plain
from joulemark.code.measuring.drawn import Drawn
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.scaled import KEPT_NS, LEAST_NS, Scaled, reference
from joulemark.code.measuring.whole import SAMPLE_S
from joulemark.record.code_run import REFERENCE, SEEN_INPUT, CodeRun, Outcome, Purpose
from joulemark.record.errors import InputError

_FEWEST_PAIRS = 3  # below that a ratio has no interval
_CHECKED_PAIRS = 3  # by which a size of before is judged: one input alone may be a quick one
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
    """Run pairs of reference and candidate; one that is wrong or over a limit once is not run again.

    Every pair has inputs of its own (`Drawn`), of the size of ``scaled``. Pairs end where the problem's own
    parts fail to make more of them. Nothing where a size that nobody checked turns out to be none: they fail
    at it, or the reference takes less than `KEPT_NS` in the middle of the first pairs. Raises `InputError`
    where they make no inputs.
    """
    runs: list[CodeRun] = []
    # whoever met inputs of a size that is none meets others if that size is found again
    drawn_by = bench if scaled.is_checked else replace(bench, seed=f"{bench.seed}/kept")
    inputs = Drawn(drawn_by, ran, scaled.size, min(plan.least, plan.most))
    for pair in range(plan.most):
        try:
            cases = inputs.of(pair)
        except InputError:
            if runs or not scaled.is_checked:
                break
            raise
        runs += _pair(bench, ran, cases, purpose, scaled.size, pair, comes_again=inputs.has_come_again(pair))
        if pair == 0 and not scaled.is_checked and not _lasts(runs, LEAST_NS / 2):
            return []
        if pair + 1 == _CHECKED_PAIRS and not scaled.is_checked and not _lasts(runs, KEPT_NS):
            return []
        if not all(run.correct for run in runs[-2:]):
            break
        if pair + 1 >= _FEWEST_PAIRS and sum(run.cpu_ns or 0 for run in runs) > plan.budget_ns:
            break
        if pair + 1 >= plan.least and plan.is_enough is not None and plan.is_enough(runs):
            break
    is_settled = scaled.is_checked or len(runs) >= 2 * _CHECKED_PAIRS
    return runs if is_settled or _lasts(runs, KEPT_NS) else []


def _lasts(runs: Sequence[CodeRun], least_ns: float) -> bool:
    """Tell whether the reference is right and takes so long, in the middle of its runs."""
    theirs = [run for run in runs if run.role == REFERENCE]
    if not theirs or not all(run.correct for run in theirs):
        return False
    return median(run.cpu_ns or 0 for run in theirs) >= least_ns


def _pair(
    bench: Bench,
    ran: Ran,
    cases: Sequence[Case],
    purpose: Purpose,
    size: int,
    pair: int,
    *,
    comes_again: bool,
) -> list[CodeRun]:
    """Run both on the same inputs; what the reference returns is what is expected of the candidate.

    A candidate that came to no end alone, where it ran first; one beside a reference that did not is neither
    right nor wrong.
    """
    canonical = reference(bench.problem)
    seen: list[tuple[Ran, CodeRun, tuple[Plain, ...]]] = []
    for position, one in enumerate((canonical, ran) if pair % 2 == 0 else (ran, canonical)):
        run, values = bench.unjudged(
            one,
            cases,
            purpose,
            sample_memory_s=SAMPLE_S if pair < _SAMPLED_PAIRS else None,
            pair=pair,
            position=position,
            size=size,
        )
        seen.append((one, replace(run, flags=(*run.flags, SEEN_INPUT)) if comes_again else run, values))
        if one is ran and run.outcome is not Outcome.RETURNED:
            break
    expected = next(
        (values for one, run, values in seen if one is not ran and run.outcome is Outcome.RETURNED), None
    )
    if expected is None:
        return [run for _, run, _ in seen]
    told = [replace(case, expected=value) for case, value in zip(cases, expected, strict=True)]
    return [bench.judged(run, told, values) for _, run, values in seen]
