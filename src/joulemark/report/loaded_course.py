"""The course of a load on one axis: its phases, the requests at work, and the power below them."""

from __future__ import annotations

import altair as alt

from joulemark.metrics.run_view import RunView
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.summary import Summary
from joulemark.report.course import HEADROOM, SOURCE_COLOURS, slowed_strip, time_axis, verdict_strip
from joulemark.report.course_rows import Placement, power_rows, request_rows, slowed_rows
from joulemark.report.loaded_course_rows import (
    DRAIN,
    IN_FLIGHT,
    LEAD,
    PAUSE,
    RAMP,
    RUNNING,
    SETTLING,
    STEADY,
    WAITING,
    Limit,
    count_rows,
    memory_rows,
    phase_rows,
    power_limit,
)
from joulemark.report.theme import ACCENT, INK, Picture, Rows, named

_PHASES = {
    LEAD: ("lead requests", "var(--truncated)"),
    RAMP: ("ramp up", "var(--unparsed)"),
    SETTLING: ("not yet steady", "var(--unscored)"),
    STEADY: ("steady", ACCENT),
    DRAIN: ("drain", "var(--wrong)"),
    PAUSE: ("pause", "var(--failed)"),
}
_MEANS = {
    LEAD: "the lead requests, which do not count",
    RAMP: "the load's rise",
    SETTLING: "measured but not yet steady",
    STEADY: "the steady window, which the figures above are of",
    DRAIN: "after the last request was sent",
    PAUSE: "pauses",
}
_NEVER = ("measured, never steady", "measured, but never steady")
_COUNTS = {
    IN_FLIGHT: (INK, [1, 0]),
    RUNNING: ("var(--correct)", [6, 3]),
    WAITING: ("var(--wrong)", [2, 2]),
}
_PARTS = {"memory": "var(--scored)", "the rest": "var(--refused)"}
_COUNTS_PX, _POWER_PX = 130, 170


def loaded_course_chart(run: RunView, width: int) -> Picture:
    """Draw requests at work over power, both over the phases, above what became of the requests."""
    place = Placement(run)
    data = {
        "bands": [{**row, "what": _name(row["what"], run)} for row in phase_rows(run, place)],
        "counts": count_rows(run, place),
        "power": power_rows(run, place),
        "requests": request_rows(run, place, width, most=0),
    }
    across = alt.Scale(domain=[0, max(place.end_s, 1e-3)], nice=False)
    upper = alt.layer(
        _bands(data["bands"], across, run, legend=True, width=width),
        _counts(data["counts"], across, width),
        width=width,
        height=_COUNTS_PX,
    )
    parts: list[alt.Chart | alt.LayerChart] = [upper.resolve_scale(color="independent")]
    if any(row["w"] is not None for row in data["power"]):
        data["memory"] = memory_rows(run, place)
        bands = _bands(data["bands"], across, run, legend=False, width=width)
        layers = [bands, *_power(data["power"], data["memory"], power_limit(run), across, width)]
        lower = alt.layer(*layers, width=width, height=_POWER_PX)
        parts.append(lower.resolve_scale(color="independent", y="independent"))
    if rows := slowed_rows(run.slowed, place, width):
        data["slowed"] = rows
        parts.append(slowed_strip(rows, across, width))
    parts.append(verdict_strip(data["requests"], across, width))
    stacked = alt.vconcat(*parts, spacing=6)
    apart = stacked.resolve_scale(
        color="independent", stroke="independent", strokeDash="independent", fill="independent"
    )
    return Picture(apart, data)


def _name(phase: str, run: RunView) -> str:
    if phase == SETTLING and not isinstance(run.steady.window, SteadyWindow):
        return _NEVER[0]
    return _PHASES[phase][0]


def _bands(bands: Rows, across: alt.Scale, run: RunView, *, legend: bool, width: int) -> alt.Chart:
    present = {row["what"] for row in bands}
    colours = {_name(phase, run): colour for phase, (_, colour) in _PHASES.items()}
    colours = {name: colour for name, colour in colours.items() if name in present}
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    columns = 6 if width > 400 else 2
    look = alt.Legend(title=None, orient="bottom", columns=columns, columnPadding=18, symbolOpacity=0.5)
    shown = look if legend else None
    steady = _PHASES[STEADY][0]
    opacity = alt.condition(f"datum.what === '{steady}'", alt.value(0.2), alt.value(0.16))
    marks = alt.Chart(named("bands")).mark_rect(clip=True)
    drawn: alt.Chart = marks.encode(
        x=time_axis("a", across),
        x2="b:Q",
        color=alt.Color("what:N", scale=scale, legend=shown),
        opacity=opacity,
    )
    return drawn


def _counts(counts: Rows, across: alt.Scale, width: int) -> alt.Chart:
    present = {row["who"] for row in counts}
    kept = {who: look for who, look in _COUNTS.items() if who in present}
    legend = alt.Legend(
        title=None, orient="top", columns=3 if width > 400 else 1, columnPadding=24, symbolSize=400
    )
    stroke = alt.Scale(domain=list(kept), range=[colour for colour, _ in kept.values()])
    dash = alt.Scale(domain=list(kept), range=[dashes for _, dashes in kept.values()])
    top = HEADROOM * max((row["n"] for row in counts), default=0.0) or 1.0
    line = alt.Chart(named("counts")).mark_line(strokeWidth=1.4, clip=True, interpolate="step-after")
    axis = alt.Axis(title="requests", tickCount=4, tickMinStep=1, format="d")
    drawn: alt.Chart = line.encode(
        x=time_axis("s", across),
        y=alt.Y("n:Q", scale=alt.Scale(domain=[0, top], nice=False), axis=axis),
        detail="piece:N",
        stroke=alt.Stroke("who:N", scale=stroke, legend=legend),
        strokeDash=alt.StrokeDash("who:N", scale=dash, legend=legend),
    )
    return drawn


def _power(power: Rows, memory: Rows, limit: Limit | None, across: alt.Scale, width: int) -> list[alt.Chart]:
    """Return the watts, where it is metered in layers of memory and the rest, and the limit's own scale."""
    known = [row["w"] for row in power if row["w"] is not None]
    top_w = HEADROOM * max(known) or 1.0
    if limit is not None and limit.power_w <= 1.5 * top_w:
        top_w = max(top_w, limit.power_w * 1.02)  # a limit that is near is worth seeing
    watts = alt.Y(
        "w:Q", scale=alt.Scale(domain=[0, top_w], nice=False), axis=alt.Axis(title="watts", tickCount=5)
    )
    names = list(dict.fromkeys(row["source"] for row in power))
    legend = alt.Legend(
        title=None, orient="top", columns=1 if width < 400 else 2, labelLimit=width, columnPadding=24
    )
    line = alt.Chart(named("power")).mark_line(strokeWidth=1.4, clip=True, invalid="break-paths-show-domains")
    left: list[alt.Chart] = []
    if memory:
        scale = alt.Scale(domain=list(_PARTS), range=list(_PARTS.values()))
        colour = alt.Fill("of:N", scale=scale, legend=legend)
        areas = alt.Chart(named("memory")).mark_area(opacity=0.45, clip=True, line=False)
        y = alt.Y("lo:Q", scale=alt.Scale(domain=[0, top_w], nice=False), axis=None)
        left.append(areas.encode(x=time_axis("s", across), y=y, y2="hi:Q", fill=colour, detail="piece:N"))
    left.append(
        line.encode(
            x=time_axis("s", across),
            y=watts,
            detail="piece:N",
            stroke=alt.Stroke("source:N", scale=alt.Scale(domain=names, range=SOURCE_COLOURS), legend=legend),
        )
    )
    return left if limit is None else [*left, _limit(limit, top_w)]


def _limit(limit: Limit, top_w: float) -> alt.Chart:
    """Draw the limit as a line, with its scale at the right."""
    shares = alt.Scale(domain=[0, 100 * top_w / limit.power_w], nice=False)
    axis = alt.Axis(title="% of the power limit", orient="right", tickCount=5, grid=False)
    rows = alt.Chart(alt.InlineData(values=[{"share": 100}]))
    rule = rows.mark_rule(strokeDash=[4, 3], color="var(--loud)", clip=True)
    drawn: alt.Chart = rule.encode(y=alt.Y("share:Q", scale=shares, axis=axis))
    return drawn


def loaded_course_words(run: RunView, summary: Summary) -> str:
    """Describe the chart for a reader who does not see it."""
    place = Placement(run)
    counts, power = count_rows(run, place), power_rows(run, place)
    told = []
    for who in _COUNTS:
        values = [row["n"] for row in counts if row["who"] == who]
        if values:
            told.append(f"up to {max(values):.0f} requests {who}")
    watts = [row["w"] for row in power if row["w"] is not None]
    if watts:
        told.append(f"power between {min(watts):.0f} and {max(watts):.0f} watts")
    window = summary.steady.window
    if isinstance(window, SteadyWindow):
        a, b = (place.seconds(window.part.segment, t) for t in (window.part.t0, window.part.t1))
        told.append(f"steady from {a:.1f} to {b:.1f} s")
    else:
        told.append("never steady")
    return f"Over {place.end_s:.1f} s: {', '.join(told)}."


def course_notes(run: RunView) -> list[str]:
    """Say what the shades and the right-hand scale are, and of which device."""
    place = Placement(run)
    phases = dict.fromkeys(row["what"] for row in phase_rows(run, place))
    never = not isinstance(run.steady.window, SteadyWindow)
    means = [_NEVER[1] if never and phase == SETTLING else _MEANS[phase] for phase in phases]
    found = [f"Shaded: {'; '.join(means)}."] if means else []
    limit = power_limit(run)
    if limit is not None and run.timelines:
        each = " each" if " and " in limit.scope else ""
        told = f"{limit.scope}, {limit.power_w:g} W{each}"
        found.append(f"The right-hand scale is the share of the power limit of {told}.")
    if memory_rows(run, place):
        found.append("The device's power is parted into its memory and the rest, both metered.")
    return found
