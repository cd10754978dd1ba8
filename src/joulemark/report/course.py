"""The course of a run on one axis: power, phases, who was being answered, when the device was slowed down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np

from joulemark.metrics.run_view import RunView, Slowed
from joulemark.report.course_rows import (
    CAUSES,
    PHASES,
    Placement,
    band_rows,
    power_rows,
    request_rows,
    slowed_rows,
)
from joulemark.report.theme import ACCENT, Picture, Rows, named, verdict_colour

HEADROOM = 1.1  # above the highest power: a line at the very top is half cut off
SOURCE_COLOURS = [ACCENT, "var(--refused)", "var(--unparsed)", "var(--truncated)", "var(--correct)"]


def course_chart(run: RunView, width: int, slowed: Sequence[Slowed] = ()) -> Picture:
    """Draw power over time above when the device was slowed down and what became of the requests."""
    place = Placement(run)
    data = {
        "bands": band_rows(run, place),
        "requests": request_rows(run, place, width),
        "power": power_rows(run, place),
    }
    scale = alt.Scale(domain=[0, max(place.end_s, 1e-3)], nice=False)
    upper: list[alt.Chart | alt.LayerChart] = [_shade(data["bands"], scale)]
    if data["power"]:
        upper.append(_power_line(data["power"], scale, width))
    layered = alt.layer(*upper, width=width, height=220 if data["power"] else 30)
    parts: list[alt.Chart | alt.LayerChart] = [layered.resolve_scale(color="independent")]
    if rows := slowed_rows(slowed, place, width):
        data["slowed"] = rows
        parts.append(slowed_strip(rows, scale, width))
    parts.append(verdict_strip(data["requests"], scale, width))
    stacked = alt.vconcat(*parts, spacing=4)
    return Picture(stacked.resolve_scale(color="independent"), data)


def time_axis(field: str, scale: alt.Scale, title: str | None = None) -> alt.X:
    """Return the channel of seconds of the run; without a title it has no labels either."""
    axis = alt.Axis(title=title, labels=title is not None, grid=False, tickCount=6, labelOverlap=True)
    return alt.X(f"{field}:Q", scale=scale, axis=axis)


def _shade(bands: Rows, scale: alt.Scale) -> alt.Chart:
    present = {row["what"] for row in bands}
    known = dict(PHASES.values())
    named_colours = {what: known.get(what, ACCENT) for what in [*known, *sorted(present - known.keys())]}
    named_colours = {what: colour for what, colour in named_colours.items() if what in present}
    colours = alt.Scale(domain=list(named_colours), range=list(named_colours.values()))
    colour = alt.Color("what:N", scale=colours, legend=alt.Legend(title=None, orient="top", columns=4))
    marks = alt.Chart(named("bands")).mark_rect(opacity=0.16, clip=True)
    drawn: alt.Chart = marks.encode(x=time_axis("a", scale), x2="b:Q", color=colour)
    return drawn


def _power_line(power: Rows, scale: alt.Scale, width: int) -> alt.Chart:
    names = list(dict.fromkeys(row["source"] for row in power))
    top_w = HEADROOM * max((row["w"] for row in power if row["w"] is not None), default=0.0) or 1.0
    legend = alt.Legend(title=None, orient="top", columns=1 if width < 400 else 2)
    line = alt.Chart(named("power")).mark_line(strokeWidth=1.4, clip=True, invalid="break-paths-show-domains")
    drawn: alt.Chart = line.encode(
        x=time_axis("s", scale),
        y=alt.Y("w:Q", title="watts", scale=alt.Scale(domain=[0, top_w]), axis=alt.Axis(tickCount=5)),
        detail="piece:N",
        stroke=alt.Stroke("source:N", scale=alt.Scale(domain=names, range=SOURCE_COLOURS), legend=legend),
    )
    return drawn


def slowed_strip(rows: Rows, scale: alt.Scale, width: int) -> alt.Chart:
    """Draw when the device was slowed down; the rows are the picture's ``slowed``."""
    present = {row["cause"] for row in rows}
    colours = {cause: colour for cause, colour in CAUSES.values() if cause in present}
    colours |= dict.fromkeys(sorted(present - colours.keys()), ACCENT)
    legend = alt.Legend(title="slowed down by", orient="top", columns=4 if width > 400 else 2)
    marks = alt.Chart(named("slowed"), width=width, height=12).mark_rect(clip=True)
    scaled = alt.Scale(domain=list(colours), range=list(colours.values()))
    colour = alt.Color("cause:N", scale=scaled, legend=legend)
    drawn: alt.Chart = marks.encode(x=time_axis("a", scale), x2="b:Q", color=colour)
    return drawn


def verdict_strip(requests: Rows, scale: alt.Scale, width: int) -> alt.Chart:
    """Draw the requests by verdict above the axis of time; the rows are the picture's ``requests``."""
    colour = verdict_colour((row["verdict"] for row in requests), width, orient="bottom")
    marks = alt.Chart(named("requests"), width=width, height=26).mark_rect(clip=True)
    height = alt.Y("lo:Q", scale=alt.Scale(domain=[0, 1]), axis=None)
    drawn: alt.Chart = marks.encode(
        x=time_axis("a", scale, "seconds of the run"), x2="b:Q", y=height, y2="hi:Q", color=colour
    )
    return drawn


def course_words(run: RunView) -> str:
    """Describe the chart for a reader who does not see it."""
    watts = [line.power_w[np.isfinite(line.power_w)] for line in run.timelines]
    known = np.concatenate(watts) if watts else np.zeros(0)
    asked = f"{len(run.measured_items)} requests in the order they ran, coloured by verdict."
    if not len(known):
        return asked
    return f"Power between {known.min():.0f} and {known.max():.0f} watts; {asked}"


def slowed_words(throttle_s: Mapping[str, float], duration_s: float | None, *, metered: bool) -> str:
    """Say for how long the device was slowed down by what, by the driver's counters."""
    if not metered:
        return ""
    if not throttle_s:
        return "Whether the device was slowed down is not known: its driver counts no such time."
    held = {cause: seconds for cause, seconds in throttle_s.items() if seconds > 0}
    counted = " or ".join(dict.fromkeys(_cause(cause) for cause in throttle_s))
    if not held:
        return f"The device was never slowed down by {counted}, says its driver's counter."
    told = " and ".join(
        f"for {seconds:,.1f} s{_part(seconds, duration_s)} by {_cause(cause)}"
        for cause, seconds in held.items()
    )
    return f"The device was slowed down {told}, says its driver's counter."


def _cause(cause: str) -> str:
    name = CAUSES.get(cause, (cause, ACCENT))[0]
    return name if name.startswith("heat") else f"the {name}"


def _part(seconds: float, duration_s: float | None) -> str:
    # counter and window are read a moment apart
    return f" ({min(100.0, 100 * seconds / duration_s):.1f} %)" if duration_s else ""
