"""What each item cost against its length: joules with their bound, or processor seconds without joules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

import altair as alt

from joulemark.metrics.cost_model import CostModel
from joulemark.metrics.run_view import RunView
from joulemark.record.reason import Reason
from joulemark.report.theme import (
    INK,
    WIDE_PX,
    Picture,
    Rows,
    named,
    verdict_colour,
    verdict_name,
    verdict_shape,
)

MAX_BARS = 150  # bounds of more points would hide them
_POINTS_A_PX = 1.0
_NO_BOUND = {
    "joules": "It is a share by rule, and no bound belongs to such.",
    "CPU seconds": "The system counts processor time; no bound is known.",
    "seconds": "Read from the clock.",
}


@dataclass(frozen=True, slots=True)
class ItemCost:
    """Rows to draw: ``order``, ``cost``, ``lo``, ``hi`` (null without a bound), ``tokens``, ``verdict``.

    ``reasons`` says by order why an item has no cost, ``no_bound`` why costs have no bound.
    """

    title: str
    axis: str
    points: Rows
    n_without: int
    reasons: Mapping[int, str] = field(default_factory=dict)

    @property
    def no_bound(self) -> str:
        """Why costs of this unit may have no bound."""
        return _NO_BOUND[self.axis]

    @property
    def drawn(self) -> Rows:
        """The points that have a place on the axis of tokens."""
        return [point for point in self.points if point["tokens"] is not None]


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
    reasons: dict[int, str] = {}
    for order, item in enumerate(items, 1):
        row = energies.get(item.key)
        lo = hi = None
        if axis == "joules":
            cost = row.joules if row else None
            lo, hi = (row.lo, row.hi) if row else (None, None)
            lack = (row.reason if row else None) or Reason.NO_SAMPLES
        elif axis == "CPU seconds":
            cost, lack = run.item_cpu_seconds.get(item.key), Reason.CPU_NOT_OBSERVED
        else:
            cost, lack = (item.t_end - item.t_begin) / 1e9, Reason.NOT_MEASURED
        if cost is None:
            reasons[order] = lack.text
            continue
        verdict, tokens = verdict_name(item), item.completion_tokens
        points.append(
            {"order": order, "cost": cost, "lo": lo, "hi": hi, "tokens": tokens, "verdict": verdict}
        )
    return ItemCost(title, axis, points, len(items) - len(points), reasons)


def model_line(run: RunView, model: CostModel) -> Rows:
    """Return the ends of the fitted line at the median prompt length; nothing of a withheld model."""
    if model.coefficients is None or model.completion_range is None:
        return []
    fixed, alpha, beta = model.coefficients
    prompt = median_prompt(run)
    return [
        {"tokens": tokens, "cost": fixed + alpha * prompt + beta * tokens}
        for tokens in model.completion_range
    ]


def median_prompt(run: RunView) -> float:
    """Return the median prompt length of the requests that tell it, 0 where none does."""
    return float(median([i.prompt_tokens for i in run.measured_items if i.prompt_tokens is not None] or [0]))


def step_of(costs: ItemCost, width: int) -> int:
    """Return every how-manieth point is drawn: more than one a pixel would be a smear and a heavy page."""
    return max(1, -(-len(costs.drawn) // int(width * _POINTS_A_PX)))


def cost_notes(costs: ItemCost, line: Rows, run: RunView) -> list[str]:
    """Return what the drawing shows and what it leaves out."""
    found = []
    if line:
        found.append(
            f"Dashed: the fitted cost model at the median prompt of {median_prompt(run):,.0f} tokens."
        )
    if len(costs.drawn) <= MAX_BARS and any(point["lo"] is not None for point in costs.drawn):
        found.append("Bars: the meter's bound of the item.")
    untold = len(costs.points) - len(costs.drawn)
    lacks = [(costs.n_without, f"have no {costs.axis}"), (untold, "have no token count")]
    for n, what in lacks:
        if n:
            found.append(f"{n:,} of {n + len(costs.drawn):,} requests {what} and are not drawn.")
    if step_of(costs, WIDE_PX) > 1:
        found.append("Of so many requests only every few are drawn; all of them count.")
    return found


def item_cost_chart(costs: ItemCost, line: Rows, width: int) -> Picture:
    """Draw one point an item over its output tokens, with its bound as a bar, and the fitted line."""
    points = costs.drawn[:: step_of(costs, width)]
    present = {point["verdict"] for point in points}
    ticks = 8 if width >= WIDE_PX else 4
    x = alt.X("tokens:Q", axis=alt.Axis(title="output tokens", grid=False, tickMinStep=1, tickCount=ticks))
    y = alt.Y("cost:Q", title=costs.axis, scale=alt.Scale(zero=True))
    base = alt.Chart(named("items"), width=width, height=260)
    dots = base.mark_point(size=52, filled=True, opacity=0.9).encode(
        x=x, y=y, shape=verdict_shape(present, width), color=verdict_colour(present, width)
    )
    layers: list[alt.Chart] = [dots]
    if len(points) <= MAX_BARS and any(point["lo"] is not None for point in points):
        bars = (
            base.mark_rule(strokeWidth=1, opacity=0.35)
            .transform_filter("datum.lo != null && datum.hi != null")
            .encode(x=x, y=alt.Y("lo:Q", title=costs.axis), y2="hi:Q", color=verdict_colour(present, width))
        )
        layers.insert(0, bars)
    if line:
        fitted = alt.Chart(named("line")).mark_line(color=INK, strokeWidth=1.6, strokeDash=[6, 4])
        layers.append(fitted.encode(x=x, y=y))
    return Picture(alt.layer(*layers), {"items": points, **({"line": line} if line else {})})
