"""The needed share of the items against how well the figure is to be known, a line a task."""

from __future__ import annotations

import altair as alt

from joulemark.frugal.planning.plan import PUBLISHED_SHARE, Plan
from joulemark.frugal.planning.plan_course import FINE_STEPS, course_of
from joulemark.frugal.target import Column, Precision
from joulemark.report.theme import FAINT, INK, Picture, Rows, named
from joulemark.report.wording import printable

MAX_LINES = 8
_TOGETHER = "together"
_COLOURS = ("correct", "truncated", "unparsed", "refused", "wrong", "failed", "scored", "unscored")


def course_points(found: Plan) -> Rows:
    """Return the points to draw: ``width`` (in pp, % or the figure's unit), ``share`` in %, ``task``.

    Of more than `MAX_LINES` tasks only the sum is drawn.
    """
    rows: Rows = []
    sizes = {one.task.name: one.task.n_items for one in found.tasks}
    for point in course_of(found, FINE_STEPS):
        width = point.target.half_width * _factor(point.target)
        if len(sizes) > 1 or not point.by_task:
            rows.append({"width": width, "share": 100 * point.share, "task": _TOGETHER})
        if len(sizes) <= MAX_LINES:
            rows += [
                {"width": width, "share": 100 * n / sizes[name], "task": printable(name)}
                for name, n in point.by_task.items()
            ]
    return rows


def course_chart(found: Plan, rows: Rows, width: int) -> Picture:
    """Draw the course, with the target as a dashed line and the published cut-off as another."""
    first = next(target for target in found.targets if isinstance(target, Precision))
    names = list(dict.fromkeys(row["task"] for row in rows))
    colours = [
        INK if name == _TOGETHER else f"var(--{_COLOURS[k % len(_COLOURS)]})" for k, name in enumerate(names)
    ]
    scale = alt.Scale(type="log", nice=False)
    x = alt.X(
        "width:Q",
        scale=scale,
        axis=_axis(f"half-width of {first.quantity.says}, ± {_unit(first)}", width // 90),
    )
    y = alt.Y("share:Q", scale=alt.Scale(domain=[0, 100]), axis=_axis("needed share of the items, %", 6))
    legend = alt.Legend(title=None, orient="top", columns=2 if width < 300 else 4, labelLimit=200)
    lines = (
        alt.Chart(named("course"), width=width, height=320 if width > 300 else 240)
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color("task:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
            strokeDash=alt.condition(f"datum.task == '{_TOGETHER}'", alt.value([6, 3]), alt.value([1, 0])),
        )
    )
    across = (
        alt.Chart(named("target"))
        .mark_rule(color=INK, strokeDash=[4, 3])
        .encode(x=alt.X("width:Q", scale=scale))
    )
    up = alt.Chart(named("published")).mark_rule(color=FAINT, strokeDash=[2, 3]).encode(y="share:Q")
    data: dict[str, Rows] = {
        "course": rows,
        "target": [{"width": first.half_width * _factor(first)}],
        "published": [{"share": 100 * PUBLISHED_SHARE}],
    }
    return Picture(alt.layer(lines, across, up), data)


def _factor(target: Precision) -> float:
    return 100.0 if target.relative or target.quantity.column is Column.CORRECT else 1.0


def _unit(target: Precision) -> str:
    if target.relative:
        return "%"
    if target.quantity.column is Column.CORRECT:
        return "pp"
    return "" if target.quantity.unit == "1" else target.quantity.unit


def _axis(title: str, ticks: int) -> alt.Axis:
    return alt.Axis(
        title=title, grid=False, tickCount=max(3, ticks), labelOverlap=True, format="~r", titlePadding=12
    )
