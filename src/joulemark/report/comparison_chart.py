"""Two runs in pictures: their ratios with intervals, and the cost of each item in both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import altair as alt

from joulemark.metrics.compare import Comparison
from joulemark.metrics.compare_definitions import (
    CPU_PER_CORRECT,
    PER_CORRECT,
    PER_REQUEST,
    PER_TOKEN,
    THROUGHPUT,
    TOKENS_EACH,
    TTFT,
)
from joulemark.metrics.paired_proportions import item_shares
from joulemark.metrics.run_view import RunView
from joulemark.report.theme import ACCENT, FAINT, INK, Picture, Rows, named

MAX_ITEMS = 2000
_SHORT = {
    PER_CORRECT.name: "J per correct answer",
    PER_REQUEST.name: "J per request",
    PER_TOKEN.name: "J per token",
    TOKENS_EACH.name: "tokens per request",
    THROUGHPUT.name: "tokens per second",
    TTFT.name: "time to first token",
    CPU_PER_CORRECT.name: "CPU s per correct",
}
_APART, _TIE, _UNSURE = "differs at 95 %", "a tie at 95 %", "no interval"
_COLOURS = {_APART: ACCENT, _TIE: "var(--unscored)", _UNSURE: FAINT}
_SHAPES = {_APART: "circle", _TIE: "diamond", _UNSURE: "cross"}
_WIDE_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_LEGEND_GAP_PX = 14
_RIGHT = ("right in both", "only {a} right", "only {b} right", "right in neither", "not scored")
_RIGHT_COLOURS = ("var(--correct)", "var(--truncated)", "var(--refused)", "var(--wrong)", "var(--unscored)")
_RIGHT_SHAPES = ("circle", "triangle-down", "triangle-up", "cross", "diamond")


@dataclass(frozen=True, slots=True)
class PairedCosts:
    """Rows to draw: ``a`` and ``b``, the item's cost in both runs (mean over repeats), and ``outcome``."""

    unit: str
    points: Rows
    n_without: int


def forest_rows(comparison: Comparison) -> Rows:
    """Return the ratios to draw: ``figure``, ``value``, ``lo``, ``hi`` (null without), ``verdict``."""
    rows: Rows = []
    for name, title in _SHORT.items():
        value = comparison.figures[name]
        if value.value is None:
            continue
        apart = comparison.told_apart(name)
        verdict = _UNSURE if apart is None else _APART if apart else _TIE
        rows.append(
            {"figure": title, "value": value.value, "lo": value.lo, "hi": value.hi, "verdict": verdict}
        )
    return rows


def forest_chart(rows: Rows, a: str, b: str, width: int) -> Picture:
    """Draw each ratio with its interval on a logarithmic axis; the line at 1 is no difference."""
    ends = [x for row in rows for x in (row["value"], row["lo"], row["hi"]) if x is not None]
    reach = max(1.1, *(max(x, 1 / x) for x in ends)) ** 1.08
    scale = alt.Scale(type="log", domain=[1 / reach, reach], nice=False)
    ticks = alt.Axis(title=f"{b} / {a}", grid=False, values=_ticks(reach), format="~g", labelOverlap=True)
    x = alt.X("value:Q", scale=scale, axis=ticks)
    present = [verdict for verdict in _COLOURS if any(row["verdict"] == verdict for row in rows)]
    legend = alt.Legend(
        title=None, orient="top", columns=1 if width < 200 else 2, columnPadding=_LEGEND_GAP_PX
    )
    colour = alt.Color(
        "verdict:N", scale=alt.Scale(domain=present, range=[_COLOURS[v] for v in present]), legend=legend
    )
    shape = alt.Shape(
        "verdict:N", scale=alt.Scale(domain=present, range=[_SHAPES[v] for v in present]), legend=legend
    )
    order = [row["figure"] for row in rows]
    y = alt.Y("figure:N", sort=order, title=None, axis=alt.Axis(labelColor=INK, ticks=False, labelLimit=160))
    base = alt.Chart(named("ratios"), width=width, height=alt.Step(28 if width < 200 else 42))
    bars = base.transform_filter("datum.lo != null").mark_rule(strokeWidth=2).encode(
        x=alt.X("lo:Q", scale=scale, axis=ticks), x2="hi:Q", y=y, color=colour
    )  # fmt: skip
    dots = base.mark_point(size=80, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape)
    line = alt.Chart(named("one")).mark_rule(color=INK, strokeDash=[4, 3]).encode(x=alt.X("x:Q", scale=scale))
    return Picture(alt.layer(line, bars, dots), {"ratios": rows, "one": [{"x": 1.0}]})


def _ticks(reach: float) -> list[float]:
    """Return few numbers that do not touch: 0.5, 1, 2 and so on, finer ones only where those do not fit."""
    steps = _WIDE_STEPS if reach >= 2 else (0.7, 1.0, 1.4) if reach >= 1.4 else (0.8, 1.0, 1.2)
    if reach < 1.2:
        steps = (0.9, 1.0, 1.1)
    return [step for step in steps if 1 / reach <= step <= reach]


def paired_costs(a: RunView, b: RunView, label_a: str, label_b: str) -> PairedCosts:
    """Return what each shared item cost in both runs: joules, or processor seconds where a run has none."""
    joules = [
        _by_item(view, {k: row.joules for k, row in view.headline_attributions().items()}) for view in (a, b)
    ]
    unit, costs = "joules", joules
    if not all(joules):
        unit, costs = "CPU seconds", [_by_item(view, view.item_cpu_seconds) for view in (a, b)]
    shares = [item_shares(view.measured_items) for view in (a, b)]
    names = outcome_names(label_a, label_b)
    shared = {i.item_id for i in a.measured_items} & {i.item_id for i in b.measured_items}
    points: Rows = []
    for name in sorted(shared):
        cost = [each.get(name) for each in costs]
        if cost[0] is None or cost[1] is None or cost[0] <= 0 or cost[1] <= 0:
            continue
        right = [each.get(name) for each in shares]
        points.append({"a": cost[0], "b": cost[1], "outcome": names[_outcome(right[0], right[1])]})
    return PairedCosts(unit, points, len(shared) - len(points))


def outcome_names(a: str, b: str) -> list[str]:
    """Return what can become of an item in two runs, in the order of the legend."""
    return [name.format(a=a, b=b) for name in _RIGHT]


def _outcome(right_a: float | None, right_b: float | None) -> int:
    if right_a is None or right_b is None:
        return 4
    return (0 if right_b > 0.5 else 1) if right_a > 0.5 else (2 if right_b > 0.5 else 3)


def _by_item(view: RunView, costs: Mapping[tuple[str, int], float | None]) -> dict[str, float]:
    """Return the mean cost of each item over its repeats; one with an unknown repeat is left out."""
    seen: dict[str, list[float | None]] = {}
    for item in view.measured_items:
        seen.setdefault(item.item_id, []).append(costs.get(item.key))
    return {
        name: math.fsum(known) / len(known)
        for name, values in seen.items()
        if len(known := [v for v in values if v is not None]) == len(values)
    }


def paired_chart(costs: PairedCosts, a: str, b: str, width: int) -> Picture:
    """Draw one point an item, its cost in A across and in B up, both logarithmic; on the line they agree."""
    step = -(-len(costs.points) // MAX_ITEMS)
    drawn = costs.points[::step]
    ends = [x for point in drawn for x in (point["a"], point["b"])]
    domain = [min(ends) / 1.15, max(ends) * 1.15]
    scale = alt.Scale(type="log", domain=domain, nice=False)
    axis = alt.Axis(grid=False, tickCount=4, format="~g", labelOverlap=True)
    names = outcome_names(a, b)
    present = [k for k, name in enumerate(names) if any(point["outcome"] == name for point in drawn)]
    legend = alt.Legend(title=None, orient="top", columns=2, columnPadding=_LEGEND_GAP_PX)
    domain_names = [names[k] for k in present]
    colour = alt.Color(
        "outcome:N",
        scale=alt.Scale(domain=domain_names, range=[_RIGHT_COLOURS[k] for k in present]),
        legend=legend,
    )
    shape = alt.Shape(
        "outcome:N",
        scale=alt.Scale(domain=domain_names, range=[_RIGHT_SHAPES[k] for k in present]),
        legend=legend,
    )
    dots = (
        alt.Chart(named("items"), width=width, height=width)
        .mark_point(size=45, filled=True, opacity=0.8)
        .encode(
            x=alt.X("a:Q", scale=scale, axis=axis, title=f"{costs.unit} in {a}"),
            y=alt.Y("b:Q", scale=scale, axis=axis, title=f"{costs.unit} in {b}"),
            color=colour,
            shape=shape,
        )
    )
    line = (
        alt.Chart(named("diagonal"))
        .mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1)
        .encode(x=alt.X("v:Q", scale=scale), y=alt.Y("v:Q", scale=scale))
    )
    return Picture(alt.layer(line, dots), {"items": drawn, "diagonal": [{"v": end} for end in domain]})
