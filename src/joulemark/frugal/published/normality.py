"""Whether cut-offs look normal: a two-sample Kolmogorov-Smirnov test against a drawn normal sample.

As published. The p is no evidence of anything: it measures how fine the grid of possible cut-offs is, and,
as the normal sample is drawn, it is random itself.
"""

from __future__ import annotations

import math
from statistics import median

import numpy as np

from joulemark.frugal.published.shuffles import Floats

REDRAWS = 25
_MIN_CUTOFFS = 8


def ks_p(sample: Floats, other: Floats) -> float:
    """Return the exact two-sided p of the two-sample test for samples (n,) of one size.

    The largest distance is k/n, and P(D >= k/n) = 2 sum over j of (-1)^(j-1) C(2n, n + jk) / C(2n, n)
    (Gnedenko and Korolyuk 1951).
    """
    n = len(sample)
    if len(other) != n:
        raise ValueError("the samples must be of one size")
    every = np.concatenate([sample, other])
    below = np.searchsorted(np.sort(sample), every, side="right")
    below_other = np.searchsorted(np.sort(other), every, side="right")
    k = int(np.abs(below - below_other).max())
    if k == 0:
        return 1.0
    middle = 2 * math.lgamma(n + 1)
    terms = (
        (-1) ** (j - 1) * math.exp(middle - math.lgamma(n + j * k + 1) - math.lgamma(n - j * k + 1))
        for j in range(1, n // k + 1)
    )
    return min(1.0, max(0.0, 2 * math.fsum(terms)))


def normality_p(cutoffs: Floats, rng: np.random.Generator, redraws: int = REDRAWS) -> float | None:
    """Return the median p over ``redraws`` normal samples with the cut-offs' mean, deviation and number.

    Null below 8 cut-offs. Cut-offs that are all the same are no normal sample: 0.
    """
    n = len(cutoffs)
    if n < _MIN_CUTOFFS:
        return None
    if cutoffs.max() == cutoffs.min():
        return 0.0
    mean, sd = float(cutoffs.mean()), float(cutoffs.std())
    return median(ks_p(cutoffs, rng.normal(mean, sd, n)) for _ in range(redraws))
