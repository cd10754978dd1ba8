"""The tests of many pairs of models at once, an entry a pair, fed with the same items."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.paired.decision import PairedTest
from joulemark.frugal.paired.sign_test import log_e_values
from joulemark.metrics.betting import Floats, WealthAbove


class PairTests:
    """The e-values of each pair after the items fed so far; see `joulemark.frugal.paired.decision`.

    ``log_order``: ln E against "no difference"; ``side``: 1 where the second model leads, else -1;
    ``log_tie``: the smaller log of wealth against a difference of epsilon to either side, now, and
    ``log_tie_ever`` the smaller of the largest so far.
    """

    def __init__(self, pairs: int, n_items: int, question: PairedTest) -> None:
        near = question.epsilon / question.span
        self._question = question
        self._near = (WealthAbove(-near, n_items, pairs), WealthAbove(-near, n_items, pairs))
        self._sides = (
            (WealthAbove(0.0, n_items, pairs), WealthAbove(0.0, n_items, pairs)) if question.real else None
        )
        self._wins: NDArray[np.int64] = np.zeros((2, pairs), np.int64)
        self._most: Floats = np.full((2, pairs), -np.inf)
        self.log_order: Floats = np.zeros(pairs)
        self.log_tie: Floats = np.zeros(pairs)
        self.side: NDArray[np.int8] = np.ones(pairs, np.int8)

    @property
    def log_tie_ever(self) -> Floats:
        """The largest log of wealth so far against a difference of epsilon, the smaller of both sides."""
        return np.asarray(self._most.min(axis=0), np.float64)

    def feed(self, differences: Floats) -> None:
        """Take the next differences (pairs, items), second model - first model."""
        x = differences / self._question.span
        above, below = (w.feed(sign * x) for w, sign in zip(self._near, (1, -1), strict=True))
        self.log_tie = np.minimum(above[:, -1], below[:, -1])
        self._most = np.maximum(self._most, np.stack((above.max(axis=1), below.max(axis=1))))
        if self._sides is not None:
            up, down = (w.feed(sign * x)[:, -1] for w, sign in zip(self._sides, (1, -1), strict=True))
            self.log_order = np.maximum(up, down) - math.log(2)
            self.side = np.where(up >= down, 1, -1).astype(np.int8)
            return
        self._wins += np.stack(((x < 0).sum(axis=1), (x > 0).sum(axis=1)))
        self.log_order = log_e_values(self._wins[0], self._wins[1])
        self.side = np.where(self._wins[1] >= self._wins[0], 1, -1).astype(np.int8)

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Go on with some of the pairs only."""
        for wealth in (*self._near, *(self._sides or ())):
            wealth.keep(which)
        self._wins, self._most = self._wins[:, which], self._most[:, which]
        self.log_order, self.log_tie, self.side = self.log_order[which], self.log_tie[which], self.side[which]
