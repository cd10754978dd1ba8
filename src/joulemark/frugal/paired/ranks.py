"""What a ranking came to: ranks with their ranges, groups that are told apart, and what was spent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.paired.decision import PairedTest
from joulemark.metrics.betting import Floats


class Settled(IntEnum):
    """What became of a pair: nothing, an order, or a tie."""

    OPEN = 0
    ORDER = 1
    TIE = 2


@dataclass(frozen=True, slots=True)
class Ranking:
    """Models (rows of ``values``, items in random order) and what was claimed of each pair of them.

    Pair p is of models ``first[p]`` < ``second[p]``; it was settled as ``kind[p]`` (`Settled`) after ``n[p]``
    items (all of them where it is open) with ln E ``log_e[p]``; ``side[p]`` is 1 where the second model is
    better, -1 where the first is, 0 for neither. ``better[i, j]``: model i is claimed better than j. The
    items are a random part of ``drawn_from``. ``withheld[p]``: what was claimed of the pair is taken back, as
    it rests on items that a model has no outcome of (`joulemark.frugal.paired.refusals`).
    """

    values: Floats
    question: PairedTest
    control: str
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    kind: NDArray[np.int8]
    n: NDArray[np.int64]
    side: NDArray[np.int8]
    log_e: Floats
    better: NDArray[np.bool_]
    drawn_from: int
    withheld: NDArray[np.bool_]

    @property
    def n_models(self) -> int:
        """How many models were ranked."""
        return int(self.values.shape[0])

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return int(self.values.shape[1])

    def n_of(self) -> NDArray[np.int64]:
        """Return how many items each model had to answer: until the last of its pairs was settled."""
        n: NDArray[np.int64] = np.zeros(self.n_models, np.int64)
        for side in (self.first, self.second):
            np.maximum.at(n, side, self.n)
        return n

    def means(self) -> Floats:
        """Return each model's mean value over the items it had to answer."""
        pairs = zip(self.values, self.n_of().tolist(), strict=True)
        return np.array([float(row[:n].mean()) for row, n in pairs])

    def ranges(self) -> list[tuple[int, int]]:
        """Return the best and the worst rank that each model can have, from 1, by what was claimed."""
        best = 1 + self.better.sum(axis=0)
        worst = self.n_models - self.better.sum(axis=1)
        return list(zip(best.tolist(), worst.tolist(), strict=True))

    def order(self) -> list[int]:
        """Return the models, best first: by the middle of their rank range, then by their mean."""
        ranges, means = self.ranges(), self.means()
        return sorted(range(self.n_models), key=lambda i: (sum(ranges[i]), -means[i], i))

    def groups(self) -> list[list[int]]:
        """Return the models in groups, best first: each one is claimed better than all of later groups."""
        order = self.order()
        groups: list[list[int]] = [[]]
        for place, model in enumerate(order):
            groups[-1].append(model)
            above, below = order[: place + 1], order[place + 1 :]
            if below and self.better[np.ix_(above, below)].all():
                groups.append([])
        return groups

    def contradicted(self) -> int:
        """Return how many claimed orders all items together turn round."""
        gap = self.values.mean(axis=1)
        gaps = gap[self.second] - gap[self.first]
        return int(((self.side != 0) & (self.side * gaps < 0)).sum())

    def spent(self) -> tuple[int, int]:
        """Return how many answers were needed, and how many all items of all models are."""
        return int(self.n_of().sum()), self.n_models * self.n_items
