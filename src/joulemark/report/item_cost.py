"""What each item cost: joules with their bound, or processor seconds where there are no joules."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt

from joulemark.metrics.run_view import RunView
from joulemark.report.theme import WIDE_PX, Picture, Rows, named, verdict_colour, verdict_name, verdict_shape

MAX_ITEMS = 2000


@dataclass(frozen=True, slots=True)
class ItemCost:
    """Rows to draw: ``order``, ``cost``, ``lo``, ``hi`` (null without a bound), ``verdict``."""

    title: str
    axis: str
    points: Rows
    n_without: int


def item_costs(run: RunView) -> ItemCost:
    """Return what items cost in the best unit there is: joules, else CPU seconds, else seconds."""
    energies = run.headline_attributions()
    items = run.measured_items
    if any(row.joules is not None for row in energies.values()):
        title, axis = "Energy per item", "joules"
    elif run.item_cpu_seconds:
        title, axis = "Processor time per item", "CPU seconds"
    else:
        title, axis = "Time per item", "seconds"
    points: Rows = []
    for order, item in enumerate(items):
        row = energies.get(item.key)
        if axis == "joules":
            cost, lo, hi = (row.joules, row.lo, row.hi) if row else (None, None, None)
        elif axis == "CPU seconds":
            cost, lo, hi = run.item_cpu_seconds.get(item.key), None, None
        else:
            cost, lo, hi = (item.t_end - item.t_begin) / 1e9, None, None
        if cost is not None:
            points.append(
                {"order": order + 1, "cost": cost, "lo": lo, "hi": hi, "verdict": verdict_name(item)}
            )
    return ItemCost(title, axis, points, len(items) - len(points))


def item_cost_chart(costs: ItemCost, width: int) -> Picture:
    """Draw one point an item, with its bound as a bar; every k-th item where there are very many."""
    step = -(-len(costs.points) // MAX_ITEMS) if costs.points else 1
    present = {point["verdict"] for point in costs.points}
    ticks = 8 if width >= WIDE_PX else 4
    x = alt.X("order:Q", axis=alt.Axis(title="request", grid=False, tickMinStep=1, tickCount=ticks))
    y = alt.Y("cost:Q", title=costs.axis, scale=alt.Scale(zero=True))
    base = alt.Chart(named("items"), width=width, height=220)
    bars = (
        base.mark_rule(strokeWidth=1.2, opacity=0.6)
        .transform_filter("datum.lo != null && datum.hi != null")
        .encode(x=x, y=alt.Y("lo:Q", title=costs.axis), y2="hi:Q", color=verdict_colour(present, width))
    )
    dots = base.mark_point(size=60, filled=True, opacity=0.95).encode(
        x=x, y=y, shape=verdict_shape(present, width), color=verdict_colour(present, width)
    )
    return Picture(alt.layer(bars, dots), {"items": costs.points[::step]})
