"""A plan in words, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.frugal.planning.plan import PUBLISHED_SHARE, Need, Plan, PlannedTask
from joulemark.frugal.planning.plan_cost import PlannedCost
from joulemark.frugal.planning.plan_course import PlanPoint
from joulemark.frugal.target import Column, Precision, Target
from joulemark.report.wording import DASH, decimals, number, printable

_OVER = {
    "each": "on every task",
    "mean": "of the mean over tasks",
    "pooled": "of the mean over all items",
}
_UNITS = {
    "energy_j": "J",
    "usd": "USD",
    "gco2e": "gCO2e",
    "e2el_s": "s",
    "wall_s": "s",
    "completion_tokens": "tokens",
    "output_chars": "characters",
}
_TITLES = {
    "energy_j": "Energy",
    "usd": "Price",
    "gco2e": "CO2e",
    "wall_s": "Time",
    "completion_tokens": "Output",
    "output_chars": "Output",
}
TOGETHER = "together"
_HOUR_S, _MINUTE_S, _KWH_J = 3600.0, 60.0, 3.6e6


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A line of the table of tasks."""

    name: str
    items: str
    needed: str
    share: str
    gives: str
    published: str
    binding: str


@dataclass(frozen=True, slots=True)
class CostRow:
    """A line of the table of costs: one cost of one task, or of all together."""

    cost: str
    task: str
    planned: str
    of_all: str
    saved: str


def title(found: Plan) -> str:
    """Return what is wanted."""
    return f"{', '.join(target.text for target in found.targets)} {_OVER[found.over]}"


def lead(found: Plan) -> str:
    """Return the answer in a sentence."""
    share = number(100 * found.n / found.n_items, 1)
    return f"{found.n:,} of {found.n_items:,} items ({share} %)"


def cost_rows(found: Plan) -> list[CostRow]:
    """Return the costs as rows: of each task, and together where all tasks have it of one kind."""
    rows = []
    for name in _TITLES:
        parts = [(printable(one.task.name), one.costs, one.costs_of_all) for one in found.tasks]
        if len(parts) > 1:
            parts.append((TOGETHER, found.costs, found.costs_of_all))
        for task, costs, of_all in parts:
            planned = next((cost for cost in costs if cost.name == name), None)
            whole = next((cost for cost in of_all if cost.name == name), None)
            if planned is not None and whole is not None:
                rows.append(_cost_row(task, planned, whole))
    return rows


def _cost_row(task: str, planned: PlannedCost, whole: PlannedCost) -> CostRow:
    left = PlannedCost(whole.name, whole.value - planned.value, None, whole.kind)
    saved = cost_text(left).removesuffix(_kind(left))
    return CostRow(_TITLES[planned.name], task, cost_text(planned), cost_text(whole), saved)


def task_rows(found: Plan) -> list[TaskRow]:
    """Return the tasks as rows."""
    return [_row(one, found) for one in found.tasks]


def total_row(found: Plan) -> TaskRow:
    """Return the sums as a row."""
    return TaskRow(
        TOGETHER,
        f"{found.n_items:,}",
        f"{found.n:,}",
        _percent(found.n / found.n_items),
        "; ".join(width_text(target, half) for target, half in found.figures),
        "",
        "",
    )


def note_lines(found: Plan) -> list[str]:
    """Return what is to be read with the figures."""
    lines = [_each_alone(found)] if len(found.targets) > 1 else []
    lines += [printable(note) for note in found.notes]
    for one in found.tasks:
        lines += [
            f"{printable(one.task.name)}: {need.target.text} is not planned for: {printable(need.why)}"
            for need in one.needs
            if need.n is None
        ]
    lines += _cost_notes(found)
    if found.gain != 1:
        lines.append(f"accuracies and scores are planned with a variance ×{found.gain:g} smaller (--gain)")
    lines.append(
        f"The published cut-off asks {100 * PUBLISHED_SHARE:.1f} % of the items whatever is wanted; the "
        "column `at 40.7 %` is what that gives, as any plain random sample of that size does."
    )
    if len({cost.kind for one in found.tasks for cost in one.costs}) > 1:
        lines.append("Measured, a file's, modelled and stated costs are not added to each other.")
    return lines


def _cost_notes(found: Plan) -> list[str]:
    """Say what the ± of a cost is of, and which costs the table leaves out."""
    lines = []
    costs = [cost for one in found.tasks for cost in one.costs_of_all]
    if any(cost.interval is not None for cost in costs if cost.name in _TITLES):
        lines.append(
            "costs ± 95 %: of asking anew, other items of the kind, by what the known ones took. The same "
            "items asked again vary less; what they took itself is exact (in `frugal cutoff`)"
        )
    left_out = dict.fromkeys(cost.name for cost in costs if cost.name not in _TITLES)
    if left_out:
        lines.append(
            f"not in the table of costs but in --json: {', '.join(map(printable, left_out))}"
            + (" (requests overlap, so latencies add up to no time)" if "e2el_s" in left_out else "")
        )
    return lines


def course_rows(course: Sequence[PlanPoint]) -> list[tuple[str, str, str]]:
    """Return other widths of the first target: the width, the items it takes, their share."""
    return [(point.target.text, f"{point.n:,}", _percent(point.share)) for point in course]


def width_text(target: Target, half: float | None) -> str:
    """Return a half-width as a reader sees it: of an accuracy in percentage points."""
    if half is None:
        return DASH
    if target.quantity.column is Column.CORRECT:
        return f"±{number(100 * half, 2)} pp"
    unit = "" if target.quantity.unit == "1" else f" {target.quantity.unit}"
    return f"±{number(half, decimals(half) if half < 1e3 else 0)}{unit}"


def cost_text(cost: PlannedCost) -> str:
    """Return a cost with its unit and prediction interval, and its kind where it was not measured."""
    factor, unit = _scale(cost)
    interval = cost.interval
    if interval is None:
        value = cost.value * factor
        return f"{number(value, decimals(value))} {unit}{_kind(cost)}"
    half = (interval[1] - cost.value) * factor
    places = decimals(cost.value * factor, half or None)
    return f"{number(cost.value * factor, places)} ± {number(half, places)} {unit}{_kind(cost)}"


def _row(one: PlannedTask, found: Plan) -> TaskRow:
    first = _shown_need(one)
    return TaskRow(
        printable(one.task.name),
        f"{one.task.n_items:,}",
        f"{one.n:,}" if one.binding is not None else DASH,
        _percent(one.share) if one.binding is not None else DASH,
        DASH if first is None else _width(one, first, first.half_width),
        DASH if first is None else _width(one, first, first.published),
        one.binding.text if one.binding is not None and len(found.targets) > 1 else "",
    )


def _shown_need(one: PlannedTask) -> Need | None:
    """Return the need of the binding target, which is the one that the number of items is for."""
    return next((need for need in one.needs if need.target == one.binding), None)


def _width(one: PlannedTask, need: Need, half: float | None) -> str:
    target = need.target
    if isinstance(target, Precision) and target.relative and half is not None:
        mean = one.task.spreads[target.quantity.name].mean
        return f"±{number(100 * half / abs(mean), 1)} %" if mean else DASH
    return width_text(target, half)


def _each_alone(found: Plan) -> str:
    """Say what each target by itself takes of all tasks that it is planned for."""
    needed = [
        (target, [need.n for one in found.tasks for need in one.needs if need.target == target and need.n])
        for target in found.targets
    ]
    told = [f"{target.text} {sum(sizes):,}" for target, sizes in needed if sizes]
    return f"each target by itself takes: {'; '.join(told)} items"


def _percent(share: float) -> str:
    return f"{number(100 * share, 1)} %"


def _kind(cost: PlannedCost) -> str:
    return "" if cost.kind == "measured" else f" ({cost.kind})"


def _scale(cost: PlannedCost) -> tuple[float, str]:
    unit = _UNITS.get(cost.name, "")
    size = abs(cost.value)
    if unit == "s" and size >= 2 * _HOUR_S:
        return 1 / _HOUR_S, "h"
    if unit == "s" and size >= 5 * _MINUTE_S:
        return 1 / _MINUTE_S, "min"
    if unit == "J" and size >= _KWH_J:
        return 1 / _KWH_J, "kWh"
    if unit == "J" and size >= 1e4:
        return 1e-3, "kJ"
    if unit == "gCO2e" and size >= 1e4:
        return 1e-3, "kgCO2e"
    return 1.0, unit
