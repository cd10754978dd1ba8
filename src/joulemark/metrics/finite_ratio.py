"""How well a mean, or a cost per correct answer, of a finite task is known from some of its items.

Delta method of a ratio ``r = sum(c) / sum(d)``: ``Var r = Var(c - r d) / (n mean(d)²)``, times ``1 - n / N``
(W. Cochran, Sampling Techniques, 1977, 6.4). A mean is the ratio whose divisors count items. Units may be
single items or batches of them: what was metered together is one unit.

The spread of heavy-tailed costs is rather found too small, and most of all when a rule ends the asking
because it looks small: `joulemark.metrics.heavy_tails` widens for that. The rest of its relative error,
``sqrt(1 / (2 k))`` of ``k`` units, Student's t allows for, but not for ending where the spread of few
units happens to look small: what it is above `SURE` widens once. Normal units are then covered in 95 to
97 % at stop from 15 units on, without it in 94 % (3,000 runs each), and from 200 units on nothing is
widened. Answers of real models are mostly below it; lognormal costs with a coefficient of variation of
2.4 are covered in 93 % of cases at stop, and in 90 % without.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.accuracy import Z_95
from joulemark.metrics.heavy_tails import SURE, widening
from joulemark.metrics.student import MIN_DEGREES, t_95
from joulemark.record.reason import Reason

Floats = NDArray[np.float64]
MIN_UNITS = 10
"""Below so many units their spread says too little of the width of an interval."""
BATCHES_OF = 2
"""How many times the requests in flight a batch holds, so that what shared a moment is in one unit."""
_ALIKE = 1e-9  # of the largest cost: rounding is no spread


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
class RatioEstimate:
    """A figure and half the width of its 95 % interval, in its unit."""

    figure: float
    half_width: float


def estimate(
    units: Units,
    population: int | None,
    value_range: tuple[float, float] | None = None,
    within: float = 0.0,
) -> RatioEstimate | Reason:
    """Return the ratio over all ``population`` items (null: of any number), or why it cannot be told yet.

    That is with fewer than `MIN_UNITS` units, or as few with a divisor (correct answers), and while all units
    are alike: those that were not asked need not be. Of single values with a ``value_range`` the interval
    reaches at least as far as Wilson's does of answers that are all right: then it is never nothing.
    ``within`` of the variance would come anew if the units were asked again and is not known by having asked
    them (`joulemark.metrics.asked_again`): 0 is the figure of all items as they were answered and measured.
    """
    k, divisor = len(units.cost), float(units.divisor.sum())
    if k >= max(MIN_UNITS, MIN_DEGREES + 1) and not divisor > 0:
        return Reason.NOTHING_CORRECT
    if min(k, int(np.count_nonzero(units.divisor > 0))) < max(MIN_UNITS, MIN_DEGREES + 1):
        return Reason.TOO_FEW_ITEMS
    figure = float(units.cost.sum()) / divisor
    if population is not None and units.n_items >= population and not within > 0:
        return RatioEstimate(figure, 0.0)
    errors = units.cost - figure * units.divisor
    far = 0.0 if value_range is None else max(figure - value_range[0], value_range[1] - figure)
    mean_square = max(float(errors @ errors), Z_95**2 * far**2) / k
    if mean_square <= (_ALIKE * float(np.abs(units.cost).max())) ** 2:
        return Reason.NO_SPREAD
    asked = 0.0 if population is None else min(units.n_items / population, 1.0)
    left = 1 - asked * (1 - within)
    standard_error = math.sqrt(mean_square * k / (k - 1) * k * left) / divisor
    wider = widening(errors, mean_square) + widening_of_few(k)
    return RatioEstimate(figure, t_95(k - 1) * standard_error * wider)


def widening_of_few(k: int) -> float:
    """Return by which part of its width the interval of ``k`` units is wider than Student's t makes it."""
    return max(math.sqrt(1 / (2 * k)) - SURE, 0.0)
