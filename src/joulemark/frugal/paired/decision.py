"""Deciding between two models item by item: a winner, a tie, or nothing yet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from joulemark.frugal.paired.confidence_sequence import interval, log_threshold
from joulemark.frugal.paired.sign_test import log_e_values
from joulemark.metrics.betting import Floats, WealthAbove

Kind = Literal["winner", "tie", "undecided"]
EPSILON, ALPHA = 0.01, 0.05


@dataclass(frozen=True, slots=True)
class PairedTest:
    """What is to be known of two models, A and B.

    A wrong winner is named with a chance of at most ``alpha``. Two models whose mean values differ by less
    than ``epsilon`` (in the unit of the values) are a tie, said wrongly with at most that chance too.
    ``span`` is the range of a value, 1 of right and wrong; of ``real`` values the size of a difference
    counts, else only its sign.
    """

    epsilon: float = EPSILON
    alpha: float = ALPHA
    span: float = 1.0
    real: bool = False

    def __post_init__(self) -> None:
        if not (0 < self.alpha < 1 and self.epsilon > 0 and 0 < self.span < math.inf):
            raise ValueError("alpha lies between 0 and 1; epsilon and the span are above 0")


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What the first ``n`` of ``n_items`` differences (B - A) said.

    ``log_e`` is the natural log of the e-value against "no difference"; ``difference`` their mean, null of
    none. ``winner`` is ``A`` or ``B``, null without one.
    """

    kind: Kind
    winner: Literal["A", "B"] | None
    n: int
    n_items: int
    log_e: float
    difference: float | None


class Decider:
    """Takes differences (value of B - value of A) in random order, and decides as soon as it can.

    ``n_items`` is how many there are in all. Whatever is fed after the decision changes nothing of it.
    """

    def __init__(self, n_items: int, question: PairedTest | None = None) -> None:
        self.question = question or PairedTest()
        self.n_items = n_items
        self.decision: PairVerdict | None = None
        of, near = self.question, self.question.epsilon / self.question.span
        self._ties = (WealthAbove(-near, n_items), WealthAbove(-near, n_items))
        self._sides = (WealthAbove(0.0, n_items), WealthAbove(0.0, n_items)) if of.real else None
        self._ruled_out = np.full(2, -np.inf)
        self._n = 0
        self._wins = np.zeros(2, np.int64)
        self._seen: list[Floats] = []
        self._log_e = 0.0

    @property
    def differences(self) -> Floats:
        """All that was fed, in order, in the unit of the values."""
        return np.concatenate(self._seen) if self._seen else np.zeros(0)

    def feed(self, differences: Floats) -> PairVerdict | None:
        """Take the next differences; returns the decision, null while there is none.

        Raises ``ValueError`` for a difference beyond the span, or more of them than there are items.
        """
        if not len(differences):
            return self.decision
        x = differences / self.question.span
        if not (np.abs(x) <= 1 + 1e-9).all():
            raise ValueError("a difference lies beyond the range of the values")
        if self._n + len(x) > self.n_items:
            raise ValueError(f"more than {self.n_items} items")
        x = np.clip(x, -1.0, 1.0)
        self._seen.append(differences)
        log_e, leads = self._log_e_path(x)
        self._log_e = float(log_e[-1])
        if self.decision is None:
            self.decision = self._first(x, log_e, leads)
        self._n += len(x)
        return self.decision

    def now(self) -> PairVerdict:
        """Return the decision, or where there is none what is known so far, as undecided."""
        if self.decision is not None:
            return self.decision
        return self._of("undecided", None, self._n, self._log_e)

    def all_fed(self) -> PairVerdict:
        """Return what all that was fed says by itself: the e-value and the difference after its last item."""
        return self._of("undecided", None, self._n, self._log_e)

    def interval(self) -> tuple[float, float]:
        """Return the interval of the difference at the decision, or so far, in the unit of the values."""
        span, now = self.question.span, self.now()
        x = np.clip(self.differences[: now.n] / span, -1, 1)
        sign = 0 if now.winner is None else 1 if now.winner == "B" else -1
        lo, hi = interval(x, self.n_items, self.question.alpha, sign=sign)
        return lo * span, hi * span

    def _log_e_path(self, x: Floats) -> tuple[Floats, Floats]:
        """Return ln E after each item, and which side leads: above 0 for B, below for A."""
        if self._sides is not None:
            below, above = (
                side.feed(sign * x[None, :])[0] for side, sign in zip(self._sides, (-1, 1), strict=True)
            )
            most = np.maximum(below, above)
            return most - math.log(2), np.where(above >= most, 1.0, -1.0)
        wins_a, wins_b = self._wins[0] + np.cumsum(x < 0), self._wins[1] + np.cumsum(x > 0)
        self._wins = np.array([wins_a[-1], wins_b[-1]])
        return log_e_values(wins_a, wins_b), np.sign(wins_b - wins_a).astype(np.float64)

    def _first(self, x: Floats, log_e: Floats, leads: Floats) -> PairVerdict | None:
        """Return the first decision among new items, null for none; of both at once the tie."""
        alpha = self.question.alpha
        won = _first_at(log_e >= -math.log(alpha))
        # no bet goes on after the winner is known
        until = len(x) if won is None else won + 1
        tied = self._tie(x[:until])
        if won is not None and (tied is None or won < tied):
            return self._of("winner", "B" if leads[won] > 0 else "A", self._n + won + 1, float(log_e[won]))
        if tied is not None:
            return self._of("tie", None, self._n + tied + 1, float(log_e[tied]))
        return None

    def _tie(self, x: Floats) -> int | None:
        """Return the first place where both ends of the interval lie within epsilon."""
        paths = np.stack([w.feed(s * x[None, :])[0] for w, s in zip(self._ties, (1, -1), strict=True)])
        most = np.maximum(np.maximum.accumulate(paths, axis=1), self._ruled_out[:, None])
        self._ruled_out = most[:, -1]
        return _first_at(most.min(axis=0) >= log_threshold(self.question.alpha))

    def _of(self, kind: Kind, winner: Literal["A", "B"] | None, n: int, log_e: float) -> PairVerdict:
        mean = float(self.differences[:n].mean()) if n else None
        return PairVerdict(kind, winner, n, self.n_items, log_e, mean)


def _first_at(holds: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int | None:
    return int(holds.argmax()) if holds.any() else None
