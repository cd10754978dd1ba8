"""How many items of each task a target needs, before anything is spent.

``each``: every task by itself reaches it. ``mean``: the plain mean over tasks does, at the least cost (Neyman
allocation). ``pooled``: the mean over all items does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from joulemark.frugal.planning.allocation import Part, reached
from joulemark.frugal.planning.decision_size import (
    needed_to_decide_mean,
    needed_to_decide_share,
)
from joulemark.frugal.planning.known_task import KnownTask
from joulemark.frugal.planning.plan_cost import PlannedCost, costs_of, summed
from joulemark.frugal.planning.pooled_ratio import pooled_ratio
from joulemark.frugal.planning.width import allowed_half, needed_for_width, shared_sizes, width_of
from joulemark.frugal.target import Bound, Column, Target
from joulemark.metrics.finite_ratio import MIN_UNITS
from joulemark.record.errors import InputError

Over = Literal["each", "mean", "pooled"]
OVERS: tuple[Over, ...] = ("each", "mean", "pooled")
ITEMS = "items"
_COSTS = ("energy_j", "usd", "wall_s", "e2el_s", "gco2e", "completion_tokens")
PUBLISHED_SHARE = 0.407
"""Of the items, by the published cut-off: whatever the task, the model and the target."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one target takes of one task: ``n`` items, null with ``why``.

    ``half_width`` is what the planned number of items gives, ``published`` what 40.7 % of them would, both in
    the figure's unit.
    """

    target: Target
    n: int | None
    half_width: float | None = None
    published: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task with the number of items to ask, the target that asks for most (``binding``), and costs."""

    task: KnownTask
    n: int
    needs: tuple[Need, ...]
    binding: Target | None
    costs: tuple[PlannedCost, ...]
    costs_of_all: tuple[PlannedCost, ...]

    @property
    def share(self) -> float:
        """The planned share of the task's items."""
        return self.n / self.task.n_items


@dataclass(frozen=True, slots=True)
class Plan:
    """Tasks with what they take, and sums; ``by_cost`` is the cost that the allocation made smallest.

    ``figures`` are the half-widths of the figure over all tasks by target, where it is planned for such.
    """

    over: Over
    targets: tuple[Target, ...]
    tasks: tuple[PlannedTask, ...]
    by_cost: str = ITEMS
    gain: float = 1.0
    figures: tuple[tuple[Target, float], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """The planned number of items."""
        return sum(one.n for one in self.tasks)

    @property
    def n_items(self) -> int:
        """The number of items that there are."""
        return sum(one.task.n_items for one in self.tasks)

    @property
    def costs(self) -> tuple[PlannedCost, ...]:
        """What the plan costs in all, of the costs that every task has."""
        return summed(one.costs for one in self.tasks)

    @property
    def costs_of_all(self) -> tuple[PlannedCost, ...]:
        """What all items would cost."""
        return summed(one.costs_of_all for one in self.tasks)


def plan(
    tasks: Sequence[KnownTask],
    targets: Sequence[Target],
    *,
    over: Over = "each",
    by_cost: str | None = None,
    gain: float = 1.0,
) -> Plan:
    """Plan tasks for targets. Raises `InputError` where a target cannot be planned for any of them.

    ``gain``: how many times smaller the variance of accuracies and scores is by prior knowledge of the items.
    ``by_cost``: of which cost the allocation over tasks is the cheapest; null: the first that all tasks have.
    """
    if over != "each":
        return _together(tasks, targets, over, by_cost, gain)
    planned = [_apart(task, targets, gain) for task in tasks]
    for target in targets:
        whys = [need.why for one in planned for need in one.needs if need.target == target and need.n is None]
        if len(whys) == len(tasks):
            raise _unknown(target, whys[0])
    return Plan("each", tuple(targets), tuple(planned), gain=gain, notes=_notes(tasks, targets, over, gain))


def needed_of(task: KnownTask, target: Target, gain: float = 1.0) -> int | None:
    """Return how many items of one task a target needs; null where nothing is known of its figure."""
    found = task.spreads.get(target.quantity.name)
    if found is None or not math.isfinite(found.sd):
        return None
    column = target.quantity.column
    if isinstance(target, Bound):
        if column is Column.CORRECT:
            return needed_to_decide_share(found.mean, target.threshold, task.n_items)
        return needed_to_decide_mean(found.mean - target.threshold, found.sd, task.n_items)
    half = allowed_half(target, found.mean)
    if half is None:
        return None
    n = needed_for_width(half, found, column, task.n_items, gain)
    right = task.spreads.get("accuracy")
    if target.quantity.per_correct and right is not None and right.mean > 0:
        n = max(n, math.ceil(MIN_UNITS / right.mean))  # the rule believes no cost per fewer right answers
    return min(task.n_items, n)


def _apart(task: KnownTask, targets: Sequence[Target], gain: float) -> PlannedTask:
    sizes = {target.text: needed_of(task, target, gain) for target in targets}
    known = [target for target in targets if sizes[target.text] is not None]
    binding = max(known, key=lambda target: sizes[target.text] or 0, default=None)
    n = (sizes[binding.text] or 0) if binding is not None else 0
    needs = tuple(_need(task, target, sizes[target.text], n, gain) for target in targets)
    return PlannedTask(task, n, needs, binding, costs_of(task, n), costs_of(task, task.n_items))


def _need(task: KnownTask, target: Target, n: int | None, planned: int, gain: float) -> Need:
    found = task.spreads.get(target.quantity.name)
    if n is None or found is None:
        return Need(target, None, why=task.why_unknown(target.quantity))
    published = max(1, round(PUBLISHED_SHARE * task.n_items))
    return Need(
        target,
        n,
        width_of(found, target.quantity.column, planned, task.n_items, gain),
        width_of(found, target.quantity.column, published, task.n_items),
    )


def _together(
    tasks: Sequence[KnownTask], targets: Sequence[Target], over: Over, by_cost: str | None, gain: float
) -> Plan:
    notes = list(_notes(tasks, targets, over, gain))
    cost, prices, why = _prices(tasks, by_cost)
    notes += [why] if why else []
    total = sum(task.n_items for task in tasks)
    weights = [1 / len(tasks) if over == "mean" else task.n_items / total for task in tasks]
    sizes = [1] * len(tasks)
    parts_of: list[list[Part]] = []
    asked: list[list[int]] = []
    for target in targets:
        spreads = []
        for task in tasks:
            found = task.spreads.get(target.quantity.name)
            if found is None or not math.isfinite(found.sd):
                raise _unknown(target, f"{task.name}: {task.why_unknown(target.quantity)}")
            spreads.append(found)
        if over == "pooled" and target.quantity.per_correct:
            spreads = pooled_ratio(tasks, target.quantity) or spreads
        figure = math.fsum(weight * found.mean for weight, found in zip(weights, spreads, strict=True))
        half = allowed_half(target, figure)
        found_sizes, parts = shared_sizes(half, target, spreads, tasks, weights, prices, gain)
        sizes = [max(pair) for pair in zip(sizes, found_sizes, strict=True)]
        parts_of.append(parts)
        asked.append(found_sizes)
    figures = [(target, reached(sizes, parts)) for target, parts in zip(targets, parts_of, strict=True)]
    planned = []
    for k, task in enumerate(tasks):
        needs = tuple(
            _need(task, target, of[k], sizes[k], gain) for target, of in zip(targets, asked, strict=True)
        )
        binding = max(needs, key=lambda need: need.n or 0).target
        planned.append(
            PlannedTask(
                task, sizes[k], needs, binding, costs_of(task, sizes[k]), costs_of(task, task.n_items)
            )
        )
    if len(targets) > 1:
        notes.append("each task is asked as often as the most demanding target wants")
    return Plan(over, tuple(targets), tuple(planned), cost, gain, tuple(figures), tuple(notes))


def _prices(tasks: Sequence[KnownTask], wanted: str | None) -> tuple[str, list[float], str]:
    """Return the cost that is kept small, its mean an item of each task, and what is to be said of it."""
    if wanted == ITEMS or len(tasks) < 2:
        return ITEMS, [1.0] * len(tasks), ""
    for name in (wanted,) if wanted else _COSTS:
        found = [task.costs[name] for task in tasks if name in task.costs]
        if len(found) < len(tasks) or not all(cost.mean > 0 for cost in found):
            continue
        if len({cost.kind for cost in found}) == 1:
            return name, [cost.mean for cost in found], ""
    if wanted:
        raise InputError(
            f"the allocation cannot go by {wanted}",
            why="not all tasks have it, of one kind (measured, modelled, from a file, stated) and above 0",
            fix="leave --cost out, or say --cost items",
        )
    some = any(name in task.costs for task in tasks for name in _COSTS)
    why = "no cost is known of all tasks, of one kind: items count alike" if some else ""
    return ITEMS, [1.0] * len(tasks), why


def _unknown(target: Target, why: str) -> InputError:
    return InputError(
        f"{target.text} cannot be planned for",
        why=why,
        fix="name an earlier run that has it, or state it: --task NAME=N:p:12±4J",
    )


def _notes(tasks: Sequence[KnownTask], targets: Sequence[Target], over: Over, gain: float) -> tuple[str, ...]:
    told = list(dict.fromkeys(note for task in tasks for note in task.notes))
    notes = [f"{', '.join(task.name for task in tasks if note in task.notes)}: {note}" for note in told]
    if gain != 1 and not all(isinstance(target, Bound) for target in targets):
        notes.append(
            "the gain is that of a choice of items (`frugal choose`, then `frugal estimate`):"
            " `bench run --stop` draws plainly and does not have it"
        )
    if not all(isinstance(target, Bound) for target in targets):
        notes.append(
            "a width is planned for answers that spread as those known do: about half of all samples of this"
            " size come within it, and `bench run --stop` goes on until they do"
        )
    if not any(isinstance(target, Bound) for target in targets):
        return tuple(notes)
    if over != "each":
        told_once = (
            "a decision over tasks is planned as one look at the end, that tells in four cases of five"
        )
        return (*notes, f"{told_once}: `bench run --stop` ends the run of one task")
    notes.append(
        "a decision is planned for: four of five runs that it ends have ended by then, half of them far"
        " before (`bench run --stop`)"
    )
    if gain != 1:
        notes.append("that rule takes items as drawn plainly: --gain does not make a decision cheaper")
    return tuple(notes)
