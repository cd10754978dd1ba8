"""What other widths of a plan's first target would take: the course of the needed number of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from joulemark.frugal.planning.known_task import KnownTask
from joulemark.frugal.planning.plan import Plan, needed_of, plan
from joulemark.frugal.target import Column, Precision

STEPS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0)
"""Widths in a table, as multiples of the target's own."""
FINE_STEPS = tuple(0.25 * 1.13**k for k in range(28))
"""Widths in a picture: a quarter to seven times the target's own."""
_WIDEST = 0.5


@dataclass(frozen=True, slots=True)
class PlanPoint:
    """What the target takes: ``n`` in all, which is ``share`` of the items, and of each task by its name."""

    target: Precision
    n: int
    share: float
    by_task: Mapping[str, int]


def course_of(found: Plan, steps: Sequence[float] = STEPS) -> list[PlanPoint]:
    """Return the points of a plan's first target, none where that is a decision.

    Tasks of which the target's figure is not known are left out, as in the plan.
    """
    first = next((target for target in found.targets if isinstance(target, Precision)), None)
    if first is None:
        return []
    tasks = [one.task for one in found.tasks if needed_of(one.task, first, found.gain) is not None]
    points = []
    for step in steps:
        target = replace(first, half_width=step * first.half_width)
        if target.quantity.column is Column.CORRECT and target.half_width >= _WIDEST:
            continue
        points.append(_point(found, tasks, target))
    return points


def _point(found: Plan, tasks: Sequence[KnownTask], target: Precision) -> PlanPoint:
    by_cost = None if found.over == "each" else found.by_cost
    again = plan(tasks, [target], over=found.over, by_cost=by_cost, gain=found.gain)
    by_task = {one.task.name: one.n for one in again.tasks}
    return PlanPoint(target, again.n, again.n / again.n_items, by_task)
