"""What so many items will cost, with a prediction interval: of one kind never added to another."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from joulemark.frugal.planning.known_task import Kind, KnownTask
from joulemark.metrics.accuracy import Z_95


@dataclass(frozen=True, slots=True)
class PlannedCost:
    """A cost in the unit that its name carries; ``variance`` null where no deviation is known."""

    name: str
    value: float
    variance: float | None
    kind: Kind

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % prediction interval: other items of the kind, and a mean that is itself estimated."""
        if self.variance is None:
            return None
        half = Z_95 * math.sqrt(self.variance)
        return max(0.0, self.value - half) if self.value >= 0 else self.value - half, self.value + half


def costs_of(task: KnownTask, n: int) -> tuple[PlannedCost, ...]:
    """Return what ``n`` items of a task cost.

    The variance is n·sd² of the items that will be drawn and n²·sd²/m of a mean over m known ones.
    """
    found = []
    for name, cost in task.costs.items():
        if not n:
            variance: float | None = 0.0
        elif cost.sd is None:
            variance = None
        else:
            variance = n * cost.sd**2 * (1 + (n / cost.n if cost.n else 0.0))
        found.append(PlannedCost(name, n * cost.mean, variance, cost.kind))
    return tuple(found)


def summed(costs: Iterable[tuple[PlannedCost, ...]]) -> tuple[PlannedCost, ...]:
    """Return the sums over tasks of the costs that all of them have, of one kind each.

    A cost that one of them lacks has no sum; what is measured is never added to what is modelled or stated.
    """
    tasks = list(costs)
    found = []
    for name in dict.fromkeys(one.name for of in tasks for one in of):
        parts = [one for of in tasks for one in of if one.name == name]
        kinds = {one.kind for one in parts}
        if len(parts) < len(tasks) or len(kinds) > 1:
            continue
        known = [one.variance for one in parts if one.variance is not None]
        variance = math.fsum(known) if len(known) == len(parts) else None
        found.append(PlannedCost(name, math.fsum(one.value for one in parts), variance, parts[0].kind))
    return tuple(found)
