"""Energy against time as a picture: the configurations of one table, and the front among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from joulemark.report.theme import ACCENT, FAINT, INK, Picture, Rows
from joulemark.report.theme import named as data

_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")
_OTHER = "other devices"
_WIDE = 5.0
_ON, _OFF = "on the front", "off the front"


@dataclass(frozen=True, slots=True)
class Dot:
    """A configuration: seconds, joules with their interval, what it runs on, and whether on the front."""

    x_s: float
    y_j: float
    lo_j: float | None
    hi_j: float | None
    device: str
    on_front: bool


def serving_chart(dots: Sequence[Dot], x_title: str, y_title: str, width: int) -> Picture:
    """Draw dots in the unit that suits them; a step line joins the front."""
    factor, unit = (1e3, "ms") if max(dot.x_s for dot in dots) < 1 else (1.0, "s")
    devices = _devices(dots)
    rows: Rows = [
        {
            "x": factor * dot.x_s,
            "y": dot.y_j,
            "lo": dot.lo_j,
            "hi": dot.hi_j,
            "device": dot.device if dot.device in devices else _OTHER,
            "role": _ON if dot.on_front else _OFF,
        }
        for dot in dots
    ]
    x_scale = _scale([row["x"] for row in rows])
    y_scale = _scale([end for row in rows for end in (row["y"], row["lo"], row["hi"]) if end is not None])
    x = alt.X("x:Q", scale=x_scale, axis=_axis(f"{x_title}, {unit}", width // 90))
    y = alt.Y("y:Q", scale=y_scale, axis=_axis(y_title, 6))
    roles = [role for role in (_ON, _OFF) if any(row["role"] == role for row in rows)]
    colours = alt.Scale(domain=roles, range=[ACCENT if role == _ON else FAINT for role in roles])
    columns = 1 if width < 300 else 4
    colour = alt.Color(
        "role:N",
        scale=colours,
        legend=alt.Legend(title=None, orient="top", columns=columns, columnPadding=24),
    )
    shapes = [*devices, *([_OTHER] if any(row["device"] == _OTHER for row in rows) else [])]
    legend = alt.Legend(title=None, orient="bottom", columns=columns, columnPadding=24, labelLimit=260)
    legend.symbolFillColor = legend.symbolStrokeColor = INK
    shape = alt.Shape(
        "device:N", scale=alt.Scale(domain=shapes, range=list(_SHAPES[: len(shapes)])), legend=legend
    )
    base = alt.Chart(data("dots"), width=width, height=340 if width > 300 else 260)
    steps = (
        alt.Chart(data("front"))
        .mark_line(interpolate="step-after", color=ACCENT, strokeWidth=1.5, opacity=0.7)
        .encode(x=x, y=y, order=alt.Order("x:Q"))
    )
    bars = (
        base.transform_filter("datum.lo != null")
        .mark_rule(color=FAINT)
        .encode(x=x, y=alt.Y("lo:Q", scale=y_scale, axis=_axis(y_title, 6)), y2="hi:Q")
    )
    marks = base.mark_point(size=60 if len(rows) <= 60 else 28, filled=True, opacity=0.85)
    front = sorted((row for row in rows if row["role"] == _ON), key=lambda row: row["x"])
    line = [{"x": row["x"], "y": row["y"]} for row in front]
    if line:
        line.append({"x": max(row["x"] for row in rows), "y": line[-1]["y"]})
    chart = alt.layer(steps, bars, marks.encode(x=x, y=y, color=colour, shape=shape))
    return Picture(chart, {"dots": rows, "front": line})


def _devices(dots: Sequence[Dot]) -> list[str]:
    found = sorted({dot.device for dot in dots})
    return found if len(found) <= len(_SHAPES) else found[: len(_SHAPES) - 1]


def _scale(values: Sequence[float]) -> alt.Scale:
    low, high = min(values), max(values)
    if low > 0 and high / low > _WIDE:
        return alt.Scale(type="log", domain=[low / 1.15, high * 1.15], nice=False)
    room = 0.06 * (high - low) or 0.1 * high or 1.0
    return alt.Scale(domain=[max(0.0, low - room), high + room], nice=False)


def _axis(title: str, ticks: int) -> alt.Axis:
    return alt.Axis(
        title=title, grid=False, tickCount=max(3, ticks), format=",.6~r", labelOverlap=True, titlePadding=12
    )
