"""Whether cut-offs look normal: a two-sample Kolmogorov-Smirnov test against a drawn normal sample.

As published. The p is no evidence of anything. The normal sample has the cut-offs' own mean and deviation,
which takes nearly all of the test's size (Lilliefors 1967), and the median over the redraws takes the rest:
of 300 samples of 1,000 that were drawn from a normal distribution none had a p below .16, where a test at 5 %
would reject 15, and a gamma distribution of shape 20 passes as often. What it does reject is a coarse grid of
possible cut-offs, or tails far from normal ones. As the normal sample is drawn, a single p is random itself.
"""

from __future__ import annotations

import math
from statistics import median

import numpy as np

from joulemark.frugal.published.shuffles import Floats

REDRAWS = 25
NO_EVIDENCE = (
    "no evidence: the normal samples have the cut-offs' own mean and deviation, so skewed cut-offs pass as "
    "well, and what fails is a coarse grid of cut-offs"
)
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

    Not uniform under normality: a p above .05 says next to nothing (see above). Null below 8 cut-offs. Those
    that are all the same are no normal sample: 0.
    """
    n = len(cutoffs)
    if n < _MIN_CUTOFFS:
        return None
    if cutoffs.max() == cutoffs.min():
        return 0.0
    mean, sd = float(cutoffs.mean()), float(cutoffs.std())
    return median(ks_p(cutoffs, rng.normal(mean, sd, n)) for _ in range(redraws))
