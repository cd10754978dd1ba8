r"""Bets on the mean of a finite population that is drawn in random order: wealth that tests one value.

Differences x lie in [-1, 1]; N of them make the population, whose mean is d. Under the claim "d <= m" the
items that are left have a mean of at most

    m_i = (N m - S_(i-1)) / (N - i + 1),    S the sum of those seen,

so wealth that is multiplied by 1 + l_i (x_i - m_i) with a bet 0 <= l_i <= 1/2 is never expected to grow, and
reaches 1/alpha with a chance of at most alpha (Ville). Without replacement after I. Waudby-Smith and A.
Ramdas, "Confidence sequences for sampling without replacement", NeurIPS 2020, and "Estimating means of
bounded random variables by betting", JRSS B 86 (2024). Our bets are nine, l_i = min(1/2, 2^-j / 2 * N / (N -
i + 1)) for j = 0..8, with a ninth of the money each: none looks at the data, so wealth falls as m rises (an
interval is found by bisection), and one is within a factor sqrt(2) of the best whatever the difference. N /
(N - i + 1) is what the distance of a wrong m from the mean of the rest grows by. A claim that the items seen
rule out (m_i < -1) has infinite wealth against it: after the last item only d itself is left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ENDLESS = 10**9
"""As many items as make those that were seen count for nothing among them all."""
LARGEST_BET = 0.5
BETS: Floats = LARGEST_BET * 2.0 ** -np.arange(9.0)
_ROUNDING = 1e-9  # of the population's size: sums of differences are not exact


class WealthAbove:
    """Wealth of bets that the population's mean lies above ``mean``, of several populations at once.

    Or of several means, float64[pairs], of one population or as many. ``feed`` takes the next items in random
    order, as many at a time as there are.
    """

    def __init__(self, mean: float | Floats, n_items: int, pairs: int = 1) -> None:
        self.mean: Floats = np.reshape(np.asarray(mean, np.float64), (-1, 1))
        self.n_items = n_items
        self.n = 0
        self._sum: Floats = np.zeros(pairs)
        self._log: Floats = np.zeros((pairs, len(BETS)))

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Go on with some of the populations only."""
        self._sum, self._log = self._sum[which], self._log[which]
        self.mean = self.mean if len(self.mean) == 1 else self.mean[which]

    def feed(self, x: Floats) -> Floats:
        """Return the log of the wealth after each item of ``x`` (pairs, items), or (1, items) for all pairs.

        Raises ``ValueError`` for more items than there are.
        """
        if self.n + x.shape[1] > self.n_items:
            raise ValueError(f"more than the {self.n_items} items of the population")
        path, self._sum, self._log = _walk(x, self.mean, self.n_items, self.n, self._sum, self._log)
        self.n += x.shape[1]
        return path


def _walk(
    x: Floats, mean: Floats, n_items: int, seen: int, total: Floats, log: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the path of log wealth (pairs, items), and the sums and logs of the single bets at its end."""
    left = n_items - seen - np.arange(x.shape[1], dtype=np.float64)  # before each item, itself included
    after = total[:, None] + np.cumsum(x, axis=1)
    rest = np.clip((n_items * mean - (after - x)) / left, -1.0, 1.0)
    bets = np.minimum(LARGEST_BET, BETS[:, None] * (n_items / left))
    with np.errstate(divide="ignore"):
        grown = np.log1p(bets * (x - rest)[:, None, :])
    grown[:, :, :1] += log[:, :, None]
    paths = np.cumsum(grown, axis=2)
    path = _log_mean(paths)
    # what is left cannot bring the mean down to `mean`
    path[n_items * mean - after < -(left - 1.0) - _ROUNDING * n_items] = np.inf
    return path, after[:, -1].copy(), paths[:, :, -1].copy()


def _log_mean(paths: Floats) -> Floats:
    """Return the log of the mean of the single bets' wealth (pairs, bets, items) -> (pairs, items)."""
    most = paths.max(axis=1)
    most = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(most + np.log(np.exp(paths - most[:, None, :]).mean(axis=1)), np.float64)
