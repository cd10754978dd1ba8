"""The median of few values and its interval by order statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from joulemark.metrics.student import MIN_DEGREES, t_95_from_one

_LEVEL = 0.95
MIN_FOR_INTERVAL = 3


def median_interval(values: Sequence[float], level: float = _LEVEL) -> tuple[float, float] | None:
    """Return the interval that holds the median in ``level`` of cases, null for fewer than three values.

    From six values on: between two order statistics, which needs nothing of the distribution but that a value
    lies above its median as often as below; interpolated so that it covers 95 % and not the next possible
    level above it. Source: T. Hettmansperger and S. Sheather, Statistics & Probability Letters 4 (1986).
    Of three to five values the outermost cover 75 to 94 % only: then the width is that of Student's t about
    the mean, which errs on the wide side where tails are heavy. Raises ``ValueError`` for a level above 95 %
    that so few values cannot reach.
    """
    n = len(values)
    if n < MIN_FOR_INTERVAL:
        return None
    ordered = np.sort(np.asarray(values, np.float64))
    if n <= MIN_DEGREES and level == _LEVEL:
        return about_median(values, t_95_from_one(n - 1))
    rank, covered, next_covered = _ranks(n, level)
    if rank == 0:
        raise ValueError(f"the outermost of {n} values do not hold their median in {level:g} of cases")
    share = (covered - level) / (covered - next_covered)
    weight = (n - rank) * share / (rank + (n - 2 * rank) * share)
    lo = (1 - weight) * ordered[rank - 1] + weight * ordered[rank]
    hi = (1 - weight) * ordered[n - rank] + weight * ordered[n - rank - 1]
    return float(lo), float(hi)


def about_median(values: Sequence[float], quantile: float) -> tuple[float, float]:
    """Return the median with ``quantile`` standard errors of the mean to either side."""
    known = np.asarray(values, np.float64)
    half = quantile * float(known.std(ddof=1)) / math.sqrt(len(known))
    middle = float(np.median(known))
    return middle - half, middle + half


def _ranks(n: int, wanted: float) -> tuple[int, float, float]:
    """Return the innermost rank whose interval covers ``wanted``, and what it and the next one cover.

    From rank r to rank n + 1 - r covers 1 - 2 P(Binomial(n, 1/2) < r).
    """

    # by logarithms: 2**n is no float for a thousand values
    def chance(k: int) -> float:
        ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        return math.exp(ways - n * math.log(2))

    rank, below, level = 0, 0.0, 1.0
    while True:
        below += chance(rank)
        next_level = 1 - 2 * below
        if next_level < wanted:
            return rank, level, next_level
        rank, level = rank + 1, next_level
