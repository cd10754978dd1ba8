"""A plan as plain JSON values, unrounded; each null has its reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from joulemark.frugal.planning.plan import Need, Plan, PlannedTask
from joulemark.frugal.planning.plan_cost import PlannedCost
from joulemark.frugal.planning.plan_course import PlanPoint


def plan_json(found: Plan, course: Sequence[PlanPoint]) -> dict[str, Any]:
    """Return the plan, and what other widths of its first target would take."""
    return {
        "targets": [target.text for target in found.targets],
        "over": found.over,
        "allocation_by": found.by_cost if found.over != "each" else None,
        "variance_reduction": found.gain,
        "n_items": found.n_items,
        "needed_n": found.n,
        "needed_share": found.n / found.n_items,
        "tasks": [_task(one) for one in found.tasks],
        "half_widths": {target.text: half for target, half in found.figures},
        "costs": _costs(found.costs),
        "costs_of_all": _costs(found.costs_of_all),
        "other_widths": [
            {
                "target": point.target.text,
                "needed_n": point.n,
                "needed_share": point.share,
                "tasks": dict(point.by_task),
            }
            for point in course
        ],
        "notes": list(found.notes),
    }


def _task(one: PlannedTask) -> dict[str, Any]:
    return {
        "name": one.task.name,
        "n_items": one.task.n_items,
        "needed_n": one.n,
        "needed_share": one.share,
        "binding": None if one.binding is None else one.binding.text,
        "targets": [_need(need) for need in one.needs],
        "costs": _costs(one.costs),
        "costs_of_all": _costs(one.costs_of_all),
    }


def _need(need: Need) -> dict[str, Any]:
    return {
        "target": need.target.text,
        "needed_n": need.n,
        "half_width": need.half_width,
        "half_width_at_published_cutoff": need.published,
        "reason": need.why or None,
    }


def _costs(of: Sequence[PlannedCost]) -> dict[str, Any]:
    return {
        cost.name: {
            "value": cost.value,
            "interval": None
            if cost.interval is None
            else {"lo": cost.interval[0], "hi": cost.interval[1], "kind": "prediction95"},
            "interval_reason": None if cost.interval is not None else "its deviation an item was not stated",
            "kind": cost.kind,
        }
        for cost in of
    }
