"""What a model leads by when what it has no outcome of counts as not right: nobody wins by refusing.

A test on the items that both models have an outcome of is true of these alone. Whoever has none of the hard
ones leads on the rest. So an order or a tie stands only if it also holds over all items that the other model
has an outcome of, where each one that the leader lacks is worth the lowest value there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.outcomes.outcomes import Floats, Outcomes
from joulemark.frugal.paired.decision import PairVerdict


@dataclass(frozen=True, slots=True)
class Refusals:
    """Of models i and j: ``lacks[i, j]`` items that j has an outcome of, and i should have and has not.

    ``lead[i, j]`` is the mean of i less j over these and all that both have, i worth the lowest of these.
    """

    lacks: NDArray[np.int64]
    lead: Floats

    @property
    def differ(self) -> bool:
        """Whether a model lacks what another has an outcome of."""
        return bool(self.lacks.any())

    def holds(self, found: PairVerdict, epsilon: float) -> bool:
        """Tell whether a decision between the first model (A) and the second (B) stands."""
        if found.kind == "tie":
            return self.holds_tie(0, 1, epsilon)
        if found.winner is None:
            return True
        return self.holds_order(*((0, 1) if found.winner == "A" else (1, 0)))

    def holds_order(self, winner: int, loser: int) -> bool:
        """Tell whether the winner leads when what it lacks counts as not right."""
        return bool(self.lacks[winner, loser] == 0 or self.lead[winner, loser] > 0)

    def holds_tie(self, i: int, j: int, epsilon: float) -> bool:
        """Tell whether neither falls behind by more than epsilon when what it lacks counts as not right."""
        return all(self.lacks[a, b] == 0 or self.lead[a, b] >= -epsilon for a, b in ((i, j), (j, i)))


def refusals_of_two(
    b_less_a: float, n: int, lacked: tuple[int, int], lost: tuple[float, float]
) -> Refusals | None:
    """Return who lacks what of two models that are read side by side; null where neither lacks anything.

    ``b_less_a`` is the sum of the differences of the ``n`` items that both have an outcome of; ``lacked`` is
    how many (A, B) was asked and has none of while the other has, ``lost`` the sum of what the other's are
    worth above the lowest value.
    """
    if lacked == (0, 0):
        return None
    lead = np.zeros((2, 2))
    lead[0, 1] = (-b_less_a - lost[0]) / max(1, n + lacked[0])
    lead[1, 0] = (b_less_a - lost[1]) / max(1, n + lacked[1])
    return Refusals(np.array([[0, lacked[0]], [lacked[1], 0]]), lead)


def refusals_of(
    models: Sequence[Outcomes], asked: Sequence[frozenset[str]], rows: Sequence[Mapping[str, float]]
) -> Refusals | None:
    """Return who lacks what; null where each has an outcome of all that it was asked.

    A run of ours knows what it asked: the rest is no refusal. A file that lacks an item may have lost it for
    its outcome.
    """
    ids = sorted(frozenset().union(*asked))
    if all(
        len(row) == (len(of) if one.of_run else len(ids))
        for one, of, row in zip(models, asked, rows, strict=True)
    ):
        return None
    place = {item_id: k for k, item_id in enumerate(ids)}
    known, owed = np.zeros((2, len(models), len(ids)))
    worth = np.zeros_like(known)
    for k, (one, of, row) in enumerate(zip(models, asked, rows, strict=True)):
        there = [place[item_id] for item_id in row]
        known[k, there], worth[k, there] = 1.0, list(row.values())
        owed[k, [place[item_id] for item_id in of]] = 1.0
        if not one.of_run:
            owed[k] = 1.0
    owed -= known
    low = min(one.low for one in models)
    lacks, both = owed @ known.T, known @ known.T
    total = worth @ known.T - known @ worth.T + low * lacks - owed @ worth.T
    lead = np.zeros_like(total)
    np.divide(total, lacks + both, out=lead, where=lacks + both > 0)
    return Refusals(lacks.astype(np.int64), lead)
