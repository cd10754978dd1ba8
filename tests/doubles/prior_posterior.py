"""An oracle for decisions on a share: the prior-posterior ratio, exact and of another kind than our bets.

Of N items K are right. Under a beta-binomial prior of K the ratio of prior to posterior at the true K is a
martingale that begins at 1, so by Ville's inequality it ever reaches ``1 / alpha`` with a probability of at
most alpha, whatever the prior and whenever one looks (I. Waudby-Smith and A. Ramdas, Confidence sequences for
sampling without replacement, NeurIPS 2020, section 2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
ALPHA = 0.05


@dataclass(frozen=True)
class PriorPosterior:
    """Items drawn without replacement from ``population``, some right, in an order that nobody chose.

    ``a`` and ``b`` make the prior Beta(a, b); 1 and 1 know nothing.
    """

    population: int
    a: float = 1.0
    b: float = 1.0
    alpha: float = ALPHA

    @cached_property
    def _log_factorial(self) -> Floats:
        return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, self.population + 1)))))

    def log_ratio(self, right: ArrayLike, successes: ArrayLike, trials: ArrayLike) -> Floats:
        """Return the logarithm of prior over posterior of ``right`` right items in all; shapes broadcast.

        Infinite where the items seen rule that number out.
        """
        k, s, t = np.broadcast_arrays(*(np.asarray(x, np.int64) for x in (right, successes, trials)))
        wrong_left, right_left = self.population - k - (t - s), k - s
        possible = (wrong_left >= 0) & (right_left >= 0)
        f = self._log_factorial
        likelihood = (
            f[k]
            - f[np.maximum(right_left, 0)]
            + f[self.population - k]
            - f[np.maximum(wrong_left, 0)]
            - f[self.population]
            + f[self.population - t]
        )
        return np.where(possible, self._log_marginal(s, t) - likelihood, np.inf)

    def _log_marginal(self, s: NDArray[np.int64], t: NDArray[np.int64]) -> Floats:
        """Return the logarithm of the probability of what was seen under the prior."""
        # int64 arrays repeat their values: each is computed once
        whole = math.lgamma(self.a) + math.lgamma(self.b) - math.lgamma(self.a + self.b)
        right, wrong, seen = _lgammas(s, self.a), _lgammas(t - s, self.b), _lgammas(t, self.a + self.b)
        return right + wrong - seen - whole

    def bounds(self, successes: int, trials: int) -> tuple[float, float]:
        """Return the least and the largest share that this moment does not exclude."""
        every = np.arange(successes, self.population - (trials - successes) + 1)
        left = every[self.log_ratio(every, successes, trials) < -math.log(self.alpha)]
        if not len(left):  # the best number is never excluded but by rounding
            return successes / trials, successes / trials
        return float(left[0]) / self.population, float(left[-1]) / self.population


def _lgammas(counts: NDArray[np.int64], shift: float) -> Floats:
    values, places = np.unique(counts, return_inverse=True)
    return np.array([math.lgamma(value + shift) for value in values.tolist()])[places].reshape(counts.shape)
