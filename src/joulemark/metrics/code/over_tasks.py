"""Means and ratios over tasks, with intervals from resampling tasks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.bootstrap import MIN_SCORED_ITEMS, RatioInterval, ratio_interval, small_sample_tail
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

BY_TASK = Mapping[str, float]


def mean_of(values: BY_TASK, unit: str, *, detail: str = "") -> Value:
    """Return the arithmetic mean over tasks; ``detail`` completes why there is none."""
    if not values:
        return withheld(unit, Reason.NOT_MEASURED, detail=detail, n=0)
    column = list(values.values())
    return _with(math.fsum(column) / len(column), unit, _interval(column, [1.0] * len(column)))


def geometric_mean_of(values: BY_TASK, unit: str, *, detail: str = "") -> Value:
    """Return the geometric mean over tasks of positive values."""
    if not values:
        return withheld(unit, Reason.NOT_MEASURED, detail=detail, n=0)
    logs = [math.log(value) for value in values.values()]
    found = _interval(logs, [1.0] * len(logs))
    if found.lo is not None and found.hi is not None:
        found = RatioInterval(math.exp(found.lo), math.exp(found.hi), found.n)
    return _with(math.exp(math.fsum(logs) / len(logs)), unit, found)


def geometric_by_task(values: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    """Return the geometric mean of each task's positive values; what is null or not above 0 is left out."""
    logs: dict[str, list[float]] = {}
    for task, value in values:
        if value is not None and value > 0:
            logs.setdefault(task, []).append(math.log(value))
    return {task: math.exp(math.fsum(mine) / len(mine)) for task, mine in logs.items()}


def ratio_of_sums(tops: BY_TASK, bottoms: BY_TASK, unit: str, *, detail: str = "") -> Value:
    """Return the sum over tasks that both have of ``tops`` over that of ``bottoms``."""
    shared = [task for task in tops if task in bottoms]
    top, bottom = [tops[task] for task in shared], [bottoms[task] for task in shared]
    if not math.fsum(bottom) > 0:
        return withheld(unit, Reason.NOT_MEASURED, detail=detail, n=len(shared))
    return _with(math.fsum(top) / math.fsum(bottom), unit, _interval(top, bottom))


def median_of(values: Sequence[float], unit: str, *, detail: str = "") -> Value:
    """Return the median over tasks; infinite values (known to be large only) may be among them.

    Withheld where it is itself infinite. No interval.
    """
    middle = float(np.median(values)) if values else math.inf
    if not math.isfinite(middle):
        return withheld(unit, Reason.NOT_MEASURED, detail=detail, n=len(values))
    return Value(middle, unit, n=len(values))


def share_of(hits: float, n: int, *, detail: str = "") -> Value:
    """Return a share of tasks with its Wilson interval; ``hits`` may be fractional."""
    if n == 0:
        return withheld("1", Reason.NOT_MEASURED, detail=detail, n=0)
    lo, hi = wilson_interval(min(hits, n), n)
    return Value(min(hits / n, 1.0), "1", lo, hi, "ci95", n=n)


def largest_of(values: BY_TASK, unit: str, *, detail: str = "") -> Value:
    """Return the largest value over tasks."""
    if not values:
        return withheld(unit, Reason.NOT_MEASURED, detail=detail, n=0)
    return Value(max(values.values()), unit, n=len(values))


def _interval(top: Sequence[float], bottom: Sequence[float]) -> RatioInterval:
    n = len(top)
    if n < MIN_SCORED_ITEMS:
        return RatioInterval(None, None, n, Reason.TOO_FEW_ITEMS)
    return ratio_interval(top, bottom, tail=small_sample_tail(n))


def _with(point: float, unit: str, found: RatioInterval) -> Value:
    if found.lo is None or found.hi is None:
        return Value(point, unit, n=found.n, interval_reason=found.reason)
    return Value(point, unit, found.lo, found.hi, "ci95", n=found.n)
