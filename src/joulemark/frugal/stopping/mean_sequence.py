"""A confidence sequence for the mean of a finite task's bounded values, valid at every moment.

A mean is ruled out once bets against it have won ``2 / alpha`` (`joulemark.metrics.betting`), on either side,
so the true one is ever ruled out with a chance of at most alpha, whenever one looks and whatever one does
about it.
"""

from __future__ import annotations

import math

import numpy as np

from joulemark.metrics.betting import Floats, WealthAbove

ALPHA = 0.05
STEPS = 400
"""Of the range, at which the ends are looked for; they are rounded outwards."""
_AT_ONCE = 100  # values: some megabytes


class MeanSequence:
    """Takes values within 0 and 1 in random order of ``n_items``; ``lo`` and ``hi`` never widen.

    ``bound`` is a mean of which it is told exactly whether the true one lies above or below.
    """

    def __init__(self, n_items: int, bound: float, alpha: float = ALPHA) -> None:
        self._means: Floats = np.union1d(np.linspace(0.0, 1.0, STEPS + 1), [bound])
        self._enough = math.log(2 / alpha)
        claims, pairs = 2 * self._means - 1, len(self._means)  # bets are on values within -1 and 1
        self._sides = (WealthAbove(claims, n_items, pairs), WealthAbove(-claims, n_items, pairs))
        self._bound, self._n_items = bound, n_items
        self.lo, self.hi = 0.0, 1.0

    @property
    def above(self) -> bool | None:
        """Whether the mean lies above the bound; null where that is not certain."""
        return True if self.lo >= self._bound else False if self.hi <= self._bound else None

    def feed(self, least: Floats, most: Floats) -> None:
        """Take the next values; ``least`` and ``most`` differ where a value is not known."""
        up, down = self._sides
        for at in range(0, len(least), _AT_ONCE):
            part = slice(at, at + _AT_ONCE)
            too_low = self._means[up.feed(2 * least[None, part] - 1).max(axis=1) >= self._enough]
            too_high = self._means[down.feed(1 - 2 * most[None, part]).max(axis=1) >= self._enough]
            self.lo = float(too_low.max(initial=self.lo))
            self.hi = float(too_high.min(initial=self.hi))

    def more(self, values: Floats, of: int) -> int | None:
        """Return about how many more values rule the bound out if they are as ``values``, all so far.

        Null where what is left of ``of`` values does not.
        """
        sign = 1.0 if values.mean() >= self._bound else -1.0
        course = sign * (2 * np.resize(values, max(of, len(values))) - 1)
        path = WealthAbove(sign * (2 * self._bound - 1), self._n_items).feed(course[None, :])[0]
        enough = np.flatnonzero(path[len(values) :] >= self._enough)
        return int(enough[0]) + 1 if len(enough) else None
