"""How well a mean, or a cost per correct answer, of a finite task is known from some of its items.

Delta method of a ratio ``r = sum(c) / sum(d)``: ``Var r = Var(c - r d) / (n mean(d)²)``, times ``1 - n / N``
(W. Cochran, Sampling Techniques, 1977, 6.4). A mean is the ratio whose divisors count items. Units may be
single items or batches of them: what was metered together is one unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.student import MIN_DEGREES, t_95

Floats = NDArray[np.float64]
MIN_UNITS = 10
"""Below so many units their spread says too little of the width of an interval."""


@dataclass(frozen=True, slots=True)
class Units:
    """Costs and divisors, float64[K], an entry a unit; ``n_items`` items are in them together."""

    cost: Floats
    divisor: Floats
    n_items: int

    def batched(self, size: int) -> Units:
        """Return consecutive units together, ``size`` at a time; what is left over joins the last batch."""
        k = len(self.cost)
        if size <= 1 or k == 0:
            return self
        starts = np.arange(0, max(k - size + 1, 1), size)
        return Units(np.add.reduceat(self.cost, starts), np.add.reduceat(self.divisor, starts), self.n_items)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and half the width of its 95 % interval, in its unit."""

    figure: float
    half_width: float


def estimate(units: Units, population: int | None) -> Estimate | None:
    """Return the ratio over all ``population`` items (null: of any number); null where it cannot be told yet.

    That is with fewer than `MIN_UNITS` units, or while the divisors sum to nothing (no correct answer).
    """
    k, divisor = len(units.cost), float(units.divisor.sum())
    if k < max(MIN_UNITS, MIN_DEGREES + 1) or divisor <= 0:
        return None
    figure = float(units.cost.sum()) / divisor
    errors = units.cost - figure * units.divisor
    left = 1.0 if population is None else max(1 - units.n_items / population, 0.0)
    variance = float(errors @ errors) * k / (k - 1) / divisor**2 * left
    return Estimate(figure, t_95(k - 1) * math.sqrt(variance))
