"""Many models on one random order of the items: who is better than whom, and who cannot be told apart.

All pairs are tested at once, each with the tests of two models (`joulemark.frugal.paired.decision`) on the
same items, and a model is asked no more once each of its pairs is settled. With m pairs the chance of a false
claim adds up, so claims are held to more:

- ``family``: all claims, orders and ties, are right with a chance of at least 1 - alpha: each pair is tested
  at alpha / m (Bonferroni). Holm's steps are left out: a pair has two sides to be named wrongly, one of which
  is wrong still when the other was named, so that half of the nulls never leave, and the steps gain a factor
  of 2 at most. Orders that follow from others (A better than B, B than C) were always settled before them.
- ``fdr``: of the claims at most a share alpha is expected to be false. e-BH (R. Wang and A. Ramdas, JRSS B
  84, 2022): of 2 m e-values (order and tie of each pair, those of settled pairs as they were then) the r
  largest are claimed for the largest r with e_(r) >= 2 m / (alpha r). It holds whatever the dependence of the
  pairs. The e-values of a wrong order and of a wrong tie are expected to be at most 1 each, so that the sides
  are covered too.
- ``none``: each pair by itself, as `joulemark compare A B --stream` says it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.paired.decision import PairedTest
from joulemark.frugal.paired.pair_tests import PairTests
from joulemark.frugal.paired.ranks import Ranking, Settled
from joulemark.frugal.paired.refusals import Refusals
from joulemark.metrics.betting import Floats

Control = Literal["family", "fdr", "none"]
CONTROLS: tuple[Control, ...] = ("family", "fdr", "none")
_GROWTH = 1.01
Mask = NDArray[np.bool_]


def rank(
    values: Floats,
    question: PairedTest | None = None,
    control: Control = "family",
    *,
    drawn_from: int | None = None,
    refusals: Refusals | None = None,
) -> Ranking:
    """Rank models by their ``values`` (models, items), the items in random order; two models or more.

    The items are a random part of ``drawn_from``, of which every tie speaks; null: of themselves. What would
    not hold if ``refusals`` counted as not right is claimed of no pair. Looks after every item at first, then
    whenever their number has grown by 1 %: fewer looks are as valid.
    """
    found = _Ranker(values, question or PairedTest(), control, drawn_from or values.shape[1]).run()
    return found if refusals is None else _withhold(found, refusals)


def _withhold(found: Ranking, refusals: Refusals) -> Ranking:
    """Take back the claims that a model owes to the items that it has no outcome of."""
    withheld = np.array(
        [
            not _holds(
                Settled(int(kind)), (int(first), int(second)), int(side), refusals, found.question.epsilon
            )
            for kind, first, second, side in zip(
                found.kind, found.first, found.second, found.side, strict=True
            )
        ]
    )
    better = found.better.copy()
    for one, other in ((found.first, found.second), (found.second, found.first)):
        better[one[withheld], other[withheld]] = False
    return replace(
        found,
        kind=np.where(withheld, np.int8(Settled.OPEN), found.kind).astype(np.int8),
        n=np.where(withheld, found.n_items, found.n),
        side=np.where(withheld, np.int8(0), found.side).astype(np.int8),
        better=better,
        withheld=withheld,
    )


def _holds(kind: Settled, pair: tuple[int, int], side: int, refusals: Refusals, epsilon: float) -> bool:
    if kind is Settled.OPEN:
        return True
    if kind is Settled.TIE:
        return refusals.holds_tie(*pair, epsilon)
    return refusals.holds_order(*(pair if side < 0 else pair[::-1]))


class _Ranker:
    """Goes through the items look by look and settles pairs (first model, second model), first < second."""

    def __init__(self, values: Floats, question: PairedTest, control: Control, drawn_from: int) -> None:
        self._values, self._question, self._control = values, question, control
        n_models, self._n_items = values.shape
        first, second = np.triu_indices(n_models, 1)
        self._first, self._second = first.astype(np.intp), second.astype(np.intp)
        pairs = len(first)
        self._drawn_from = drawn_from
        self._tests = PairTests(pairs, drawn_from, question)
        self._active: NDArray[np.intp] = np.arange(pairs)
        self._kind: NDArray[np.int8] = np.full(pairs, Settled.OPEN, np.int8)
        self._n: NDArray[np.int64] = np.full(pairs, self._n_items)
        self._side: NDArray[np.int8] = np.zeros(pairs, np.int8)
        self._log_order: Floats = np.zeros(pairs)
        self._log_tie: Floats = np.zeros(pairs)
        self._better: Mask = np.zeros((n_models, n_models), np.bool_)

    def run(self) -> Ranking:
        """Look until all pairs are settled or all items are read."""
        at = 0
        while at < self._n_items and len(self._active):
            start, at = at, min(self._n_items, max(at + 1, int(at * _GROWTH)))
            block, active = self._values[:, start:at], self._active
            self._tests.feed(block[self._second[active]] - block[self._first[active]])
            self._log_order[active] = self._tests.log_order
            self._side[active] = self._tests.side
            self._log_tie[active] = self._tests.log_tie
            orders, ties = self._claims()
            self._settle(ties, Settled.TIE, at)  # of both at once the tie, as `Decider` says it
            self._settle(orders & ~ties, Settled.ORDER, at)
            self._retire()
        return self._ranking()

    def _claims(self) -> tuple[Mask, Mask]:
        """Return which of the active pairs are claimed now: to be ordered, and to be tied."""
        active, alpha, pairs = self._active, self._question.alpha, len(self._first)
        if self._control != "fdr":
            each = alpha / pairs if self._control == "family" else alpha
            ruled_out = self._tests.log_tie_ever >= math.log(4 / each)
            return self._log_order[active] >= -math.log(each), ruled_out
        settled = self._kind != Settled.OPEN
        order = np.where(settled & (self._kind != Settled.ORDER), -np.inf, self._log_order)
        tie = np.where(settled & (self._kind != Settled.TIE), -np.inf, self._log_tie)
        ranked = np.sort(np.concatenate((order, tie)))[::-1]
        needed = math.log(2 * pairs / alpha) - np.log(np.arange(1, len(ranked) + 1))
        enough = np.flatnonzero(ranked >= needed)
        if not len(enough):
            none = np.zeros(len(active), np.bool_)
            return none, none
        least = needed[enough[-1]]
        return order[active] >= least, tie[active] >= least

    def _settle(self, claimed: Mask, kind: Settled, at: int) -> None:
        pairs = self._active[claimed]
        self._kind[pairs], self._n[pairs] = kind, at
        if kind is not Settled.ORDER:
            return
        up = self._side[pairs] > 0
        self._better[self._second[pairs[up]], self._first[pairs[up]]] = True
        self._better[self._first[pairs[~up]], self._second[pairs[~up]]] = True

    def _retire(self) -> None:
        kept = self._kind[self._active] == Settled.OPEN
        if not kept.all():
            self._active = self._active[kept]
            self._tests.keep(kept)

    def _ranking(self) -> Ranking:
        return Ranking(
            values=self._values,
            question=self._question,
            control=self._control,
            first=self._first,
            second=self._second,
            kind=self._kind,
            n=self._n,
            side=np.where(self._kind == Settled.ORDER, self._side, 0).astype(np.int8),
            log_e=self._log_order,
            better=self._better,
            drawn_from=self._drawn_from,
            withheld=np.zeros(len(self._kind), np.bool_),
        )
