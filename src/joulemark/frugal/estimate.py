"""A figure of all items, estimated from some of them, with an interval that knows how these were drawn.

The interval of a share is Wilson's at the number of items that plain random sampling would have needed for
the same variance: for samples by design it keeps its 95 % where a normal one falls short, near 0 and 1
(C. Franco et al., Journal of Survey Statistics and Methodology 7, 2019, compare such intervals). Of other
figures it is Student's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from joulemark.frugal.sample_size import Interval, wilson
from joulemark.metrics.accuracy import Z_95
from joulemark.metrics.student import MIN_DEGREES, t_95

# the 0.975 quantiles of Student's t for 1, 2, 3 and 4 degrees of freedom (Abramowitz and Stegun, table 26.10)
_FEW_DEGREES = (12.706, 4.303, 3.182, 2.776)


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
        if self.gain is None:
            return None
        return self.of / (1 + (self.of / self.n - 1) / self.gain)


def quantile_95(degrees: float) -> float:
    """Return the 0.975 quantile of Student's t; a fraction of a degree counts for nothing."""
    if not degrees >= 1:
        raise ValueError(f"{degrees} degrees of freedom are too few")
    whole = int(min(degrees, 1e9))
    return _FEW_DEGREES[whole - 1] if whole < MIN_DEGREES else t_95(whole)


def interval_of_share(value: float, variance: float, degrees: float, n: int, of: int) -> Interval:
    """Return the interval of a share whose estimate may lie outside 0 and 1.

    ``variance`` is that of the estimate with the finite-population correction in it. Where it is 0 without
    all items being known, as when all answers were right, the items count as drawn plainly.
    """
    if n == of:
        return value, value
    share = min(max(value, 0.0), 1.0)
    plain = n * (of - 1) / (of - n)
    spread = share * (1 - share)
    if spread > 0 and variance > 0:
        lo, hi = wilson(share, max(spread / variance, 1.0), quantile_95(degrees))
    else:
        lo, hi = wilson(share, plain, Z_95)
    return min(lo, share), max(hi, share)


def interval_of_mean(value: float, variance: float, degrees: float, n: int, of: int) -> Interval | None:
    """Return Student's interval of a mean, null where nothing is known of its spread."""
    if n == of:
        return value, value
    if not variance > 0 or not degrees >= 1:
        return None
    half = quantile_95(degrees) * math.sqrt(variance)
    return value - half, value + half
