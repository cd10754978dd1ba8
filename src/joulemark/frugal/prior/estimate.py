"""A figure of all items, estimated from some of them, with an interval that knows how these were drawn.

The interval of a share is Wilson's at the number of items that plain random sampling would have needed for
the same variance: for samples by design it keeps its 95 % where a normal one falls short, near 0 and 1
(C. Franco et al., Journal of Survey Statistics and Methodology 7, 2019, compare such intervals). Of other
figures it is Student's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from joulemark.frugal.outcomes.outcomes import Floats
from joulemark.frugal.sample_size import Interval
from joulemark.metrics.finite_share import Z_95, wilson, wilson_bounds
from joulemark.metrics.heavy_tails import widening
from joulemark.metrics.student import t_95_from_one

FEW = 5
"""Answers that differ from the others, below which there is no telling how prior knowledge helps."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure of ``of`` items from ``n`` of them.

    ``lo`` and ``hi`` are null where there is no honest interval, which ``why_no_interval`` explains.
    ``gain`` is how many times smaller the variance is than that of plain random sampling of as many items,
    itself estimated; null where it is not known. ``worth`` is that many items of plain random sampling.
    """

    value: float
    lo: float | None
    hi: float | None
    n: int
    of: int
    gain: float | None = None
    why_no_interval: str = ""

    @property
    def worth(self) -> float | None:
        """How many items drawn plainly at random would tell as much."""
        if self.gain is None or self.gain <= 0:
            return None
        return self.of / (1 + (self.of / self.n - 1) / self.gain)


def quantile_95(degrees: float) -> float:
    """Return the 0.975 quantile of Student's t; a fraction of a degree counts for nothing."""
    if not degrees >= 1:
        raise ValueError(f"{degrees} degrees of freedom are too few")
    return t_95_from_one(int(min(degrees, 1e9)))


def interval_of_share(
    value: float, variance: float, degrees: float, n: int, of: int, *, right: float
) -> Interval:
    """Return the interval of a share whose estimate may lie outside 0 and 1.

    ``variance`` is that of the estimate with the finite-population correction in it; ``right`` of the n
    answers were right. Three things widen it. Where the estimate is worse than a plain one, as a regression
    on what hardly matters, its error is not that of a count, and Student's interval is in it. Of `FEW`
    answers that differ from the others their spread is not known, and the interval of a plain sample is in
    it. And it says no less than was seen: what was asked is certain.
    """
    if n == of:
        return value, value
    share = min(max(value, 0.0), 1.0)
    spread = share * (1 - share)
    plain = n * (of - 1) / (of - n)
    worth = max(spread / variance, 1.0) if spread > 0 and variance > 0 else plain
    quantile = quantile_95(degrees) if spread > 0 and variance > 0 else Z_95
    lo, hi = map(float, wilson(share, worth, quantile))
    if worth < plain or spread == 0:
        half = quantile_95(degrees) * math.sqrt(max(variance, 0.0))
        lo, hi = min(lo, max(0.0, value - half)), max(hi, min(1.0, value + half))
    if differ_too_few(right, n):
        ends = map(float, wilson_bounds(min(max(right, 0.0), n), n, of))
        lo, hi = min(lo, next(ends)), max(hi, next(ends))
    lo, hi = max(lo, right / of), min(hi, (of - n + right) / of)
    return min(lo, share), max(hi, share)


def differ_too_few(right: float, n: int) -> bool:
    """Tell whether so few of n answers differ from the others that their spread is not known."""
    return min(right, n - right) < FEW


def interval_of_mean(
    value: float, variance: float, degrees: float, n: int, of: int, errors: Floats
) -> Interval | None:
    """Return Student's interval of a mean, null where nothing is known of its spread.

    ``errors`` (n,) are what the variance was found from: where a few of them make it, it is rather found too
    small, and the interval is widened (`joulemark.metrics.heavy_tails`).
    """
    if n == of:
        return value, value
    if not variance > 0 or not degrees >= 1:
        return None
    half = quantile_95(degrees) * math.sqrt(variance) * widening(errors)
    return value - half, value + half
