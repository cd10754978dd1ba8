"""Pictures of a calibration: power against utilisation, and a load under several power limits."""

from __future__ import annotations

import altair as alt

from joulemark.calibration.document import Calibration
from joulemark.report.calibration_words import device_power
from joulemark.report.theme import ACCENT, INK, Picture, Rows, named

_ONE, _MORE = "one request at a time", "several at once"


def curve_rows(calibration: Calibration) -> Rows:
    """Return the points: ``busy`` in per cent, ``w`` with ``lo`` and ``hi``, ``kind`` and ``label``."""
    rows: Rows = []
    for point in calibration.curve:
        power = device_power(point, calibration)
        if power is None:
            continue
        mean, low, high = power
        several = point.concurrency > 1
        rows.append(
            {
                "busy": 100 * point.utilisation,
                "w": mean,
                "lo": low,
                "hi": high,
                "kind": _MORE if several else _ONE,
                "label": f"{point.concurrency}" if several else "",
            }
        )
    return rows


def curve_chart(rows: Rows, width: int) -> Picture:
    """Draw power over utilisation with the meter's bounds; a number tells how many requests ran at once."""
    kinds = [kind for kind in (_ONE, _MORE) if any(row["kind"] == kind for row in rows)]
    x = alt.X(
        "busy:Q", title="time with a request in flight, %", scale=alt.Scale(domain=[0, 106], nice=False)
    )
    top = max(row["hi"] for row in rows)
    y = alt.Y("w:Q", title="power, W", scale=alt.Scale(domain=[0, 1.08 * top], nice=False))
    shape = alt.Shape(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=["circle", "diamond"][: len(kinds)]),
        legend=alt.Legend(title=None, orient="top", columns=1 if width < 300 else 2, columnPadding=14),
    )
    base = alt.Chart(named("points"), width=width, height=240)
    line = (
        base.transform_filter(f"datum.kind == '{_ONE}'")
        .mark_line(color=ACCENT, opacity=0.6)
        .encode(x=x, y=y, order=alt.Order("busy:Q"))
    )
    bars = base.mark_rule(color=INK, strokeWidth=1.5).encode(
        x=x, y=alt.Y("lo:Q", title="power, W"), y2="hi:Q"
    )
    dots = base.mark_point(color=ACCENT, size=70, filled=True, opacity=1).encode(x=x, y=y, shape=shape)
    labels = base.mark_text(dx=-9, align="right").encode(x=x, y=y, text="label:N")
    return Picture(alt.layer(line, bars, dots, labels), {"points": rows})


def cap_chart_rows(calibration: Calibration) -> Rows:
    """Return joules per token over the power limit, with bounds, in points that have one."""
    return [
        {
            "limit": point.limit_w,
            "j": point.joules_per_token,
            "lo": point.joules_per_token_bound[0],
            "hi": point.joules_per_token_bound[1],
        }
        for point in calibration.caps
        if point.joules_per_token is not None and point.joules_per_token_bound is not None
    ]


def cap_chart(rows: Rows, width: int) -> Picture:
    """Draw joules per token over the power limit."""
    x = alt.X("limit:Q", title="power limit, W", scale=alt.Scale(zero=False, padding=16))
    top = max(row["hi"] for row in rows)
    y = alt.Y("j:Q", title="J per output token", scale=alt.Scale(domain=[0, 1.08 * top], nice=False))
    base = alt.Chart(named("caps"), width=width, height=200)
    line = base.mark_line(color=ACCENT, opacity=0.6).encode(x=x, y=y, order=alt.Order("limit:Q"))
    bars = base.mark_rule(color=INK, strokeWidth=1.5).encode(
        x=x, y=alt.Y("lo:Q", title="J per output token"), y2="hi:Q"
    )
    dots = base.mark_point(color=ACCENT, size=70, filled=True, opacity=1).encode(x=x, y=y)
    return Picture(alt.layer(line, bars, dots), {"caps": rows})
