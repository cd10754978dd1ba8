"""The frontier as pictures: energy against latency, and energy before the estimate by rated power."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import altair as alt

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.recommendation import Recommendation
from joulemark.report.frontier_table import ratio_text
from joulemark.report.frontier_words import ROLE_WORDS, figure_title, named, objective_title
from joulemark.report.theme import ACCENT, FAINT, INK, Picture, Rows
from joulemark.report.theme import named as data
from joulemark.report.wording import printable

MAX_BARS = 24
MANY = 60
"""More points than these are drawn smaller."""
_WIDE = 5.0  # ends of an axis that differ by more than this factor make it logarithmic
_COLOURS = {
    "pick": "var(--correct)",
    "fastest": "var(--truncated)",
    "default": "var(--unparsed)",
    "front": ACCENT,
    "tied": "var(--refused)",
    "off": "var(--unscored)",
}
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right", "stroke")
_OTHER = "other devices"
_LEGEND_GAP_PX = 24
_NUMBER = ",.6~r"
_LETTER_PX = 7.2  # of the widest usual font


def frontier_rows(found: Recommendation) -> Rows:
    """Return the points to draw: ``x`` in ms or s, ``y`` in J with ``lo``/``hi``, ``role``, ``device``."""
    factor = x_unit(found)[0]
    on, tied = set(found.front.on), set(found.front.tied)
    devices = _devices(found)
    rows: Rows = []
    for k, point in enumerate(found.front.points):
        x, y = figure_of(point, found.latency), figure_of(point, found.wish.objective)
        if x.value is None or y.value is None:
            continue
        device = _device(point)
        role = (
            "pick"
            if point is found.pick
            else "fastest"
            if point is found.fastest
            else "default"
            if point is found.default
            else "front"
            if k in on
            else "tied"
            if k in tied
            else "off"
        )
        rows.append(
            {
                "x": factor * x.value,
                "y": y.value,
                "lo": y.lo,
                "hi": y.hi,
                "role": ROLE_WORDS[role],
                "device": device if device in devices else _OTHER,
                "label": named(point, found) if role in ("pick", "fastest", "default") else "",
                "front": k in on,
            }
        )
    return rows


def x_unit(found: Recommendation) -> tuple[float, str]:
    """Return the factor and the unit of the axis of latency: milliseconds where all are below a second."""
    seconds = [v for p in found.ranked if (v := figure_of(p, found.latency).value) is not None]
    return (1e3, "ms") if seconds and max(seconds) < 1 else (1.0, "s")


def frontier_chart(found: Recommendation, rows: Rows, width: int) -> Picture:
    """Draw energy over latency: the front as steps, the pick, the fastest, and the limits as dashed lines."""
    factor, unit = x_unit(found)
    limits = [factor * limit.bound for limit in found.wish.limits if limit.name == found.latency]
    budgets = [limit.bound for limit in found.wish.limits if limit.name == found.wish.objective]
    x_scale = _scale([row["x"] for row in rows] + limits)
    ends = [end for row in rows for end in (row["y"], row["lo"], row["hi"]) if end is not None]
    y_scale = _scale(ends + budgets)
    x = alt.X("x:Q", scale=x_scale, axis=_axis(f"{figure_title(found.latency)}, {unit}", width // 90))
    y = alt.Y("y:Q", scale=y_scale, axis=_axis(objective_title(found), 6))
    present = [role for role in ROLE_WORDS if any(row["role"] == ROLE_WORDS[role] for row in rows)]
    colour = alt.Color(
        "role:N",
        scale=alt.Scale(domain=[ROLE_WORDS[r] for r in present], range=[_COLOURS[r] for r in present]),
        legend=_legend(width, "top"),
    )
    devices = [*_devices(found)]
    if any(row["device"] == _OTHER for row in rows):
        devices.append(_OTHER)
    shape = alt.Shape(
        "device:N",
        scale=alt.Scale(domain=devices, range=list(_SHAPES[: len(devices)])),
        legend=_legend(width, "bottom"),
    )
    size = 70 if len(rows) <= MANY else 30
    base = alt.Chart(data("points"), width=width, height=340 if width > 300 else 260)
    steps = (
        alt.Chart(data("front"))
        .mark_line(interpolate="step-after", color=ACCENT, strokeWidth=1.5, opacity=0.7)
        .encode(x=x, y=y, order=alt.Order("x:Q"))
    )
    bars = base.transform_filter("datum.lo != null").mark_rule(color=FAINT).encode(
        x=x, y=alt.Y("lo:Q", scale=y_scale, axis=_axis(objective_title(found), 6)), y2="hi:Q"
    )  # fmt: skip
    dots = base.mark_point(size=size, filled=True, opacity=0.9).encode(x=x, y=y, color=colour, shape=shape)
    ring = base.transform_filter(f"datum.role == '{ROLE_WORDS['pick']}'").mark_point(
        size=260, color=INK, strokeWidth=1.5, shape="circle", filled=False
    ).encode(x=x, y=y)  # fmt: skip
    across = (
        alt.Chart(data("limits"))
        .mark_rule(color=INK, strokeDash=[4, 3])
        .encode(x=alt.X("x:Q", scale=x_scale))
    )
    up = (
        alt.Chart(data("budgets"))
        .mark_rule(color=INK, strokeDash=[4, 3])
        .encode(y=alt.Y("y:Q", scale=y_scale))
    )
    layers: list[alt.Chart] = [steps, across, up, bars, dots, ring]
    front = sorted((row for row in rows if row["front"]), key=lambda row: row["x"])
    steps_to = [{"x": row["x"], "y": row["y"]} for row in front]
    if steps_to:
        right = max(row["x"] for row in rows)
        steps_to.append({"x": right, "y": steps_to[-1]["y"]})
    found_data = {
        "points": rows,
        "front": steps_to,
        "limits": [{"x": bound} for bound in limits],
        "budgets": [{"y": bound} for bound in budgets],
    }
    return Picture(alt.layer(*layers), found_data)


def energy_rows(found: Recommendation) -> Rows:
    """Return what to draw as bars: of each model its best within the limits, of one model the front.

    ``energy`` and ``estimate`` (rated power × time, null where it is not known) in J, ``ratio`` as text.
    """
    rows: Rows = []
    one_model = len({point.model for point in found.ranked}) < 2
    for point in _bars(found)[:MAX_BARS]:
        energy, estimate = figure_of(point, found.wish.objective).value, point.tdp_energy_j.value
        if energy is None or energy <= 0:
            continue
        shown = estimate if found.wish.objective == "energy_j" else None
        rows.append(
            {
                "name": named(point, found) if one_model else printable(point.model).rpartition("/")[2],
                "energy": energy,
                "estimate": shown,
                "ratio": ratio_text(point) if shown is not None else "",
                "end": max(energy, shown or 0.0),
                "pick": point is found.pick,
            }
        )
    return rows


def energy_chart(found: Recommendation, rows: Rows, width: int) -> Picture:
    """Draw energy on a log axis, the estimate by rated power dimmed behind it with its ratio beside."""
    ends = [end for row in rows for end in (row["energy"], row["estimate"]) if end is not None]
    low, high = min(ends) / 1.6, max(ends) * 1.7
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(
        title=f"{objective_title(found)} (log)", grid=False, tickCount=5, format=_NUMBER, labelOverlap=True
    )
    order = [row["name"] for row in rows]
    limit = 300 if width > 300 else 120
    # the viewer's font may be wider than the one that the layout is measured with
    room = min(1.15 * limit, _LETTER_PX * max(map(len, order)))
    names = alt.Axis(labelColor=INK, ticks=False, labelLimit=limit, minExtent=room)
    y = alt.Y("name:N", sort=order, title=None, axis=names)
    base = alt.Chart(data("bars"), width=width, height=alt.Step(26))
    floor = alt.Chart(data("bars")).transform_calculate(floor=f"{low}")
    behind = (
        floor.transform_filter("datum.estimate != null")
        .mark_bar(color=FAINT, opacity=0.25, height=18)
        .encode(x=alt.X("estimate:Q", scale=scale, axis=axis), x2="floor:Q", y=y)
    )
    before = floor.mark_bar(height=10).encode(
        x=alt.X("energy:Q", scale=scale, axis=axis),
        x2="floor:Q",
        y=y,
        color=alt.condition("datum.pick", alt.value(_COLOURS["pick"]), alt.value(ACCENT)),
    )
    text = base.mark_text(align="left", dx=5).encode(x=alt.X("end:Q", scale=scale), y=y, text="ratio:N")
    chart = alt.layer(behind, before, text).properties(width=width, height=alt.Step(26))
    return Picture(chart, {"bars": rows})


def _bars(found: Recommendation) -> list[OperatingPoint]:
    if len({point.model for point in found.ranked}) < 2:
        shown = [*found.front.front]
        if found.pick is not None and not any(point is found.pick for point in shown):
            shown.append(found.pick)
        return shown
    best: dict[str, OperatingPoint] = {}
    for point in (*found.met, *found.ranked):  # each already by its energy
        best.setdefault(point.model, point)
    return sorted(best.values(), key=lambda point: figure_of(point, found.wish.objective).value or 0.0)


def _device(point: OperatingPoint) -> str:
    return printable(point.device or "device not told").removeprefix("NVIDIA ")


def _devices(found: Recommendation) -> Sequence[str]:
    counted = list(dict.fromkeys(_device(point) for point in found.front.points))
    return sorted(counted if len(counted) <= len(_SHAPES) else counted[: len(_SHAPES) - 1])


def _scale(values: Sequence[float]) -> alt.Scale:
    """Return a scale that holds all values with some room, logarithmic where they lie far apart."""
    low, high = min(values), max(values)
    if low > 0 and high / low > _WIDE:
        return alt.Scale(type="log", domain=[low / 1.15, high * 1.15], nice=False)
    room = 0.06 * (high - low) or 0.1 * high or 1.0
    return alt.Scale(domain=[max(0.0, low - room) if low >= 0 else low - room, high + room], nice=False)


def _axis(title: str, ticks: int) -> alt.Axis:
    return alt.Axis(
        title=title, grid=False, tickCount=max(3, ticks), format=_NUMBER, labelOverlap=True, titlePadding=12
    )


def _legend(width: int, orient: Literal["top", "bottom"]) -> alt.Legend:
    columns = 2 if width < 300 else 4
    if orient == "bottom" and width < 300:
        columns = 1
    legend = alt.Legend(
        title=None, orient=orient, columns=columns, columnPadding=_LEGEND_GAP_PX, labelLimit=260
    )
    if orient == "bottom":  # of shapes alone, which have no colour of their own
        legend.symbolFillColor = legend.symbolStrokeColor = INK
    return legend
