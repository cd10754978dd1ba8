"""A confidence sequence for the mean of bounded values of a finite task, valid at every moment.

The empirical Bernstein sequence without replacement of I. Waudby-Smith and A. Ramdas (NeurIPS 2020, theorem
3), with their predictable bets. For values within [0, 1]; a share's own sequence is `prior_posterior`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.stopping.prior_posterior import ALPHA

Floats = NDArray[np.float64]
_LARGEST_BET = 0.5


def bernstein_bounds(values: Floats, population: int, alpha: float = ALPHA) -> tuple[Floats, Floats]:
    """Return the ends of the sequence after each value, float64[..., n] like ``values``, never widening.

    ``values`` (..., n) lie within [0, 1], in a random order of ``population`` items.
    """
    n = values.shape[-1]
    i = np.arange(1, n + 1, dtype=np.float64)
    summed = np.cumsum(values, axis=-1)
    before = summed - values
    left = population - i + 1
    mean = (0.5 + summed) / (i + 1)
    mean_before = (0.5 + before) / i
    squares = np.cumsum((values - mean) ** 2, axis=-1)
    variance_before = (0.25 + squares - (values - mean) ** 2) / i
    bet = np.minimum(np.sqrt(2 * math.log(2 / alpha) / (variance_before * i * np.log(1 + i))), _LARGEST_BET)
    spent = np.cumsum((values - mean_before) ** 2 * (-np.log1p(-bet) - bet), axis=-1)
    weight = np.cumsum(bet * population / left, axis=-1)
    centre = np.cumsum(bet * (values + before / left), axis=-1) / weight
    half = (math.log(2 / alpha) + spent) / weight
    # what is asked already is certain
    lo = np.maximum(centre - half, summed / population)
    hi = np.minimum(centre + half, (summed + population - i) / population)
    return np.maximum.accumulate(lo, axis=-1), np.minimum.accumulate(hi, axis=-1)
