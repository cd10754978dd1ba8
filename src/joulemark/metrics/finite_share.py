"""How well a share of a finite task is known from some of its items: Wilson's interval, corrected for N.

Sources: E. B. Wilson (1927); the finite-population correction of W. Cochran, Sampling Techniques (1977), 2.6,
as an effective sample of ``n (N - 1) / (N - n)`` items. Asking until an interval is narrow enough keeps its
coverage, since the stopping time is nearly fixed (Y. S. Chow and H. Robbins 1965); it may decide nothing else
on the way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Z_95 = 1.959963984540054  # the 0.975 quantile of the standard normal distribution
Floats = NDArray[np.float64]


def wilson(share: ArrayLike, worth: ArrayLike, quantile: float = Z_95) -> tuple[Floats, Floats]:
    """Return the ends of Wilson's interval of a share from ``worth`` > 0 independent trials.

    A fraction of a trial counts, and of infinitely many both ends are the share; shapes broadcast.
    """
    share = np.asarray(share, np.float64)
    inverse = 1 / np.asarray(worth, np.float64)
    z2 = quantile * quantile
    centre = share + z2 / 2 * inverse
    spread = quantile * np.sqrt(share * (1 - share) * inverse + z2 / 4 * inverse * inverse)
    whole = 1 + z2 * inverse
    # at 0 and at 1 the formula meets the point, and rounding may step past it
    lo = np.minimum(np.maximum((centre - spread) / whole, 0), share)
    return lo, np.maximum(np.minimum((centre + spread) / whole, 1), share)


def wilson_bounds(
    successes: ArrayLike,
    trials: ArrayLike,
    population: ArrayLike = np.inf,
    *,
    gain: float = 1.0,
    within: float = 0.0,
) -> tuple[Floats, Floats]:
    """Return the ends of the 95 % interval of the share among all ``population`` items; shapes broadcast.

    ``trials`` > 0 items were drawn without replacement. What was asked is certain: the interval says no less
    than was seen, and once all were asked both ends are the share itself. Unless ``within`` of the variance
    (`joulemark.metrics.asked_again`) would come anew if they were asked again: then all of that stays; 1 is
    no correction. ``gain`` is how many times smaller prior knowledge of the items makes the variance. A
    fractional number of successes is a mean over repeats.
    """
    k, n, big = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (successes, trials, population)))
    share = k / n
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(n >= big, 0.0, np.where(np.isinf(big), 1.0, (big - n) / (big - 1)))
        lo, hi = wilson(share, gain * n / (left + (1 - left) * within))
    if within > 0:
        return lo, hi
    return np.minimum(np.maximum(lo, k / big), share), np.maximum(np.minimum(hi, 1 - (n - k) / big), share)


def wilson_half_width(
    successes: ArrayLike, trials: ArrayLike, population: ArrayLike = np.inf, *, gain: float = 1.0
) -> Floats:
    """Return half the length of `wilson_bounds`; shapes broadcast."""
    lo, hi = wilson_bounds(successes, trials, population, gain=gain)
    return (hi - lo) / 2
