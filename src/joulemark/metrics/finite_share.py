"""How well a share of a finite task is known from some of its items: Wilson's interval, corrected for N.

Sources: E. B. Wilson (1927); the finite-population correction of W. Cochran, Sampling Techniques (1977), 2.6,
as an effective sample of ``n (N - 1) / (N - n)`` items. Asking until an interval is narrow enough keeps its
coverage, since the stopping time is nearly fixed (Y. S. Chow and H. Robbins 1965); it may decide nothing else
on the way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from joulemark.metrics.accuracy import Z_95

Floats = NDArray[np.float64]


def wilson_bounds(successes: ArrayLike, trials: ArrayLike, population: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of the 95 % interval of the share among all ``population`` items; shapes broadcast.

    ``trials`` > 0 items were drawn without replacement. Once all were, both ends are the share itself.
    """
    k, n, big = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (successes, trials, population)))
    share = k / n
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = np.where(n >= big, np.inf, n * (big - 1) / (big - n))
        inverse = 1 / effective
    z2 = Z_95 * Z_95
    centre = (share + z2 / 2 * inverse) / (1 + z2 * inverse)
    half = Z_95 * np.sqrt(share * (1 - share) * inverse + z2 / 4 * inverse**2) / (1 + z2 * inverse)
    # at 0 and at n the formula meets the point, and rounding may step past it
    return np.minimum(np.maximum(centre - half, 0), share), np.maximum(np.minimum(centre + half, 1), share)


def wilson_half_width(successes: ArrayLike, trials: ArrayLike, population: ArrayLike) -> Floats:
    """Return half the width of `wilson_bounds`; shapes broadcast."""
    lo, hi = wilson_bounds(successes, trials, population)
    return (hi - lo) / 2
