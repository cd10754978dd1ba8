"""Whether a cost rises or falls steadily while questions are asked.

Questions come in random order, so what they are makes no drift; an engine that warms up, throttles or fills
its memory does. What a question fixes of its cost (how long it is, how long its answer) would hide one of a
few per cent: it is taken out first, by least squares. What that leaves is exchangeable where nothing drifts,
whatever its tails, so its rank correlation with the order of asking has the same law for all (C. Spearman,
1904): mean 0, variance 1/(k - 1), nearly normal from `LEAST` units on. (Blocks of time, which
`joulemark.metrics.trend` is of, are in no random order.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.average_ranks import average_ranks

Floats = NDArray[np.float64]
LEAST = 20
"""Units, below which it says nothing."""
LIMIT = 2.652
"""The 0.996 quantile of the standard normal distribution: 0.8 % in both tails."""
MATTERS = 0.25
"""Of half an interval: where a figure is off by so much, 92 % of 95 % intervals hold it."""
_ROUNDING = 1e-9  # of the largest cost


@dataclass(frozen=True, slots=True)
class CostDrift:
    """``score`` is standard normal where nothing drifts.

    ``change`` is about by which part of its mean a cost of the same length changed from the first unit to the
    last, by the medians of the outer thirds.
    """

    score: float
    change: float

    @property
    def drifts(self) -> bool:
        """Whether it does, which is said of at most 1 % of those streams that do not."""
        return abs(self.score) > LIMIT

    def shift(self, asked: float) -> float:
        """Return by which part of it a figure of all questions is off if the drift goes on.

        ``asked`` > 0 is the share of the questions that were asked. The others then are on average where a
        line leads to, but at most as far from the last level as that is from the first.
        """
        return (1 - asked) * abs(self.change) * min(1 / (2 * asked), 1.5)


def cost_drift(cost: Floats, fixed: Floats) -> CostDrift | None:
    """Look for a drift of ``cost`` (k,) in order of asking; null of too few units.

    ``fixed`` (k, m) is what a question fixes, summed over a unit as costs are; a column with a count missing
    is left out.
    """
    k = len(cost)
    known = fixed[:, np.isfinite(fixed).all(axis=0)]
    mean = float(cost.mean()) if k else 0.0
    if k < LEAST or not math.isfinite(mean) or mean == 0 or not known.shape[1]:
        return None
    left: Floats = np.asarray(cost - known @ np.linalg.lstsq(known, cost, rcond=None)[0], np.float64)
    if float(np.abs(left).max()) <= _ROUNDING * float(np.abs(cost).max()):
        return CostDrift(0.0, 0.0)
    (ranks, _), order = average_ranks(left), np.arange(k) - (k - 1) / 2
    ranks -= ranks.mean()
    correlation = float(ranks @ order) / math.sqrt(float(ranks @ ranks) * float(order @ order))
    third = k // 3
    # the centres of the outer thirds are two thirds of the whole apart
    change = 1.5 * float(np.median(left[-third:]) - np.median(left[:third])) / mean
    return CostDrift(correlation * math.sqrt(k - 1), change)
