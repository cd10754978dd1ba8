"""A pick as a picture: the cost that is ranked by, with its interval, a line a configuration."""

from __future__ import annotations

import altair as alt

from joulemark.metrics.picking import Picked, Table
from joulemark.report.pick_words import OBJECTIVES, chance_of, named
from joulemark.report.theme import ACCENT, FAINT, INK, Picture, Rows
from joulemark.report.theme import named as data

MAX_ROWS = 24
_LETTER_PX = 7.2  # of the widest usual font
_UNITS = {"joules": "J", "usd": "USD", "gco2e": "gCO2e"}


def pick_rows(found: Picked, table: Table) -> Rows:
    """Return what to draw: ``name``, ``value``, ``lo`` and ``hi`` (null without), ``chance``, ``tied``."""
    rows: Rows = []
    for row in table.rows[:MAX_ROWS]:
        value = row.priced.figures[found.wanted.figure]
        chance = row.probability.value
        tied = row.ranks is not None and row.ranks[0] == 1
        rows.append(
            {
                "name": named(row.priced.candidate.point),
                "value": value.value,
                "lo": value.lo,
                "hi": value.hi,
                "chance": "" if chance is None else chance_of(chance),
                "end": value.value if value.hi is None else value.hi,
                "tied": tied,
            }
        )
    return rows


def pick_chart(found: Picked, rows: Rows, width: int) -> Picture:
    """Draw each configuration's cost as a point in its interval, its probability to be the best beside."""
    unit = _UNITS[found.wanted.by.removesuffix("_per_correct")]
    ends = [end for row in rows for end in (row["value"], row["lo"], row["hi"]) if end is not None]
    low, high = min(ends), max(ends)
    scale = (
        alt.Scale(type="log", domain=[low / 1.1, high * 1.3], nice=False)
        if low > 0 and high / low > 5
        else alt.Scale(domain=[min(0.0, low), high * 1.12], nice=False)
    )
    axis = alt.Axis(
        title=f"{OBJECTIVES[found.wanted.by]}, {unit}",
        grid=False,
        tickCount=max(3, width // 110),
        format=",.4~r",
        labelOverlap=True,
    )
    x = alt.X("value:Q", scale=scale, axis=axis)
    limit = 300 if width > 300 else 120
    room = min(1.15 * limit, _LETTER_PX * max(len(row["name"]) for row in rows))
    names = alt.Axis(labelColor=INK, ticks=False, labelLimit=limit, minExtent=room)
    y = alt.Y("name:N", sort=[row["name"] for row in rows], title=None, axis=names)
    base = alt.Chart(data("rows"))
    bars = (
        base.transform_filter("datum.lo != null")
        .mark_rule(color=FAINT, strokeWidth=3, opacity=0.7)
        .encode(x=alt.X("lo:Q", scale=scale, axis=axis), x2="hi:Q", y=y)
    )
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=x, y=y, color=alt.condition("datum.tied", alt.value("var(--correct)"), alt.value(ACCENT))
    )
    text = base.mark_text(align="left", dx=6).encode(x=alt.X("end:Q", scale=scale), y=y, text="chance:N")
    chart = alt.layer(bars, dots, text).properties(width=width, height=alt.Step(28))
    return Picture(chart, {"rows": rows})
