"""A sweep in pictures: energy, latency and throughput against each axis, a line a combination of the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.value import Value
from joulemark.report.sweep_table import energy_unit, medium, whole_title
from joulemark.report.sweep_words import axis_title
from joulemark.report.theme import ACCENT, FAINT, INK, Picture, Rows
from joulemark.report.theme import named as data
from joulemark.report.wording import printable
from joulemark.sweeps.axes import LOADS
from joulemark.sweeps.points import Swept
from joulemark.sweeps.setting import Setting, setting_text

PANEL_PX = 240
MAX_SERIES = 8
"""More combinations than these are drawn alike, without a legend."""
_HEIGHT_PX = 170
_WIDE = 5.0  # ends of an axis that differ by more than this factor make it logarithmic
_COLOURS = (
    ACCENT,
    "var(--wrong)",
    "var(--correct)",
    "var(--unparsed)",
    "var(--truncated)",
    "var(--scored)",
    "var(--refused)",
    "var(--failed)",
)
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right", "stroke")
_ONE = "all points"


@dataclass(frozen=True, slots=True)
class Panel:
    """One small chart: a figure against an axis. ``rows`` hold ``x``, ``y``, ``lo``, ``hi``, ``series``."""

    title: str
    axis: str
    unit: str
    rows: Rows
    series: tuple[str, ...]
    values: tuple[Setting, ...]


def axes_drawn(swept: Swept) -> list[str]:
    """Return the axes that have more than one value: those of the load first, else in the grid's order."""
    found = [name for name, values in swept.record.axes.items() if len(values) > 1]
    return sorted(found, key=lambda name: name not in LOADS)


def panels(swept: Swept, axis: str) -> list[Panel]:
    """Return the small charts of an axis: those figures of which two points or more are known."""
    made: list[tuple[str, str, Callable[[OperatingPoint], Value]]] = [
        ("Energy", energy_unit(swept), lambda p: p.energy_j),
        ("Energy per correct answer", "J", lambda p: p.joules_per_correct),
        ("Time per output token, mean", "s", lambda p: figure_of(p, "tpot_mean")),
        ("Time to first token, mean", "s", lambda p: figure_of(p, "ttft_mean")),
        (f"{whole_title(swept)}, mean", "s", lambda p: figure_of(p, "e2el_mean")),
        ("Throughput", "tokens/s", lambda p: p.tokens_per_second),
        *([("Throughput", f"{unit}s/s", lambda p: p.throughput)] if (unit := medium(swept)) else []),
        ("Mean power", "W", lambda p: p.mean_power_w),
    ]
    drawn = []
    for title, unit, figure in made:
        rows, factor = _rows(swept, axis, figure), 1.0
        if unit == "s" and rows and max(row["y"] for row in rows) < 1:
            unit, factor = "ms", 1e3
        for row in rows:
            for name in ("y", "lo", "hi"):
                row[name] = None if row[name] is None else row[name] * factor
        if len(rows) > 1:
            series = tuple(dict.fromkeys(row["series"] for row in rows))
            drawn.append(Panel(title, axis, unit, rows, series, tuple(swept.record.axes[axis])))
    return drawn


def panel_chart(panel: Panel, width: int) -> Picture:
    """Draw one small chart; where values lie far apart its axes are logarithmic."""
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in panel.values)
    ends = [end for row in panel.rows for end in (row["y"], row["lo"], row["hi"]) if end is not None]
    up = alt.Axis(title=panel.unit, grid=False, tickCount=4, format="~s")
    y = alt.Y("y:Q", scale=_scale(ends), axis=up)
    x: alt.X
    title = axis_title(panel.axis)
    if numeric:
        numbers = [float(v) for v in panel.values if isinstance(v, int | float)]
        # of its own accord an axis of 10, 20, 30 is told in one digit: 1e+1
        label = "format(datum.value, '~r')"
        ticks = alt.Axis(title=title, grid=False, values=numbers, labelExpr=label, labelOverlap=True)
        x = alt.X("x:Q", scale=_scale(numbers), axis=ticks)
    else:
        x = alt.X(
            "x:N", sort=[setting_text(v) for v in panel.values], axis=alt.Axis(title=title, labelAngle=0)
        )
    several = 1 < len(panel.series) <= MAX_SERIES
    colour = _colour(panel.series, width) if several else alt.value(ACCENT)
    base = alt.Chart(data("points"), width=width, height=_HEIGHT_PX)
    lines = base.mark_line(strokeWidth=1.5, opacity=0.8).encode(
        x=x, y=y, color=colour, detail="series:N", order=alt.Order("place:Q")
    )
    whole = base.transform_filter("datum.lo != null")
    bars = whole.mark_rule(color=FAINT).encode(x=x, y=alt.Y("lo:Q", scale=_scale(ends), axis=up), y2="hi:Q")
    shape = _shape(panel.series, width) if several else alt.value("circle")
    dots = base.mark_point(size=45, filled=True, opacity=1).encode(x=x, y=y, color=colour, shape=shape)
    return Picture(alt.layer(bars, lines, dots), {"points": panel.rows})


def panel_words(panel: Panel) -> str:
    """Return what a reader of the screen is told: the first and the last value of each line."""
    told = []
    for name in panel.series:
        rows = [row for row in panel.rows if row["series"] == name]
        begin, end = rows[0], rows[-1]
        ends = [f"{row['y']:.4g} {panel.unit} at {row['x']}" for row in (begin, end)]
        told.append(f"{name}: {', '.join(ends)}")
    return "; ".join(told)


def _rows(swept: Swept, axis: str, figure: Callable[[OperatingPoint], Value]) -> Rows:
    values = swept.record.axes[axis]
    rows: Rows = []
    for one in swept.points:
        if one.measured is None or one.state != "done":
            continue
        value, at = figure(one.measured.point), one.record.values.get(axis)
        if value.value is None or at not in values:
            continue
        rows.append(
            {
                "x": at if isinstance(at, int | float) and not isinstance(at, bool) else _text(at),
                "y": value.value,
                "lo": value.lo,
                "hi": value.hi,
                "series": _series(one.record.values, axis, swept.record.axes),
                "place": values.index(at),
            }
        )
    return sorted(rows, key=lambda row: (row["series"], row["place"]))


def _series(values: Mapping[str, Setting], axis: str, axes: Mapping[str, Sequence[Setting]]) -> str:
    rest = {n: v for n, v in values.items() if n != axis and len(axes.get(n, ())) > 1}
    return printable(", ".join(f"{n.replace('_', ' ')} {_text(v)}" for n, v in rest.items())) or _ONE


def _text(value: Setting) -> str:
    return "" if value is None else setting_text(value)


def _scale(values: Sequence[float]) -> alt.Scale:
    """Return a scale that holds all values with some room, logarithmic where they lie far apart."""
    low, high = min(values), max(values)
    if low > 0 and high / low > _WIDE:
        return alt.Scale(type="log", domain=[low / 1.2, high * 1.2], nice=False)
    room = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
    return alt.Scale(domain=[max(0.0, low - room) if low >= 0 else low - room, high + room], nice=False)


def _colour(series: Sequence[str], width: int) -> alt.Color:
    scale = alt.Scale(domain=list(series), range=list(_COLOURS[: len(series)]))
    return alt.Color("series:N", scale=scale, legend=_legend(width))


def _shape(series: Sequence[str], width: int) -> alt.Shape:
    scale = alt.Scale(domain=list(series), range=list(_SHAPES[: len(series)]))
    return alt.Shape("series:N", scale=scale, legend=_legend(width))


def _legend(width: int) -> alt.Legend:
    return alt.Legend(
        title=None, orient="bottom", columns=1, labelLimit=width, symbolOpacity=1, labelColor=INK
    )
