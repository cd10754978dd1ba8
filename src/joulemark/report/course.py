"""The course of a run on one axis: power, windows and who was being answered."""

from __future__ import annotations

import math

import altair as alt
import numpy as np

from joulemark.metrics.run_view import RunView
from joulemark.report.buckets import MAX_POINTS, thin
from joulemark.report.theme import ACCENT, FAINT, Picture, Rows, named, verdict_colour, verdict_name

_BAND_COLOURS = {
    "measure": FAINT,
    "warmup": "var(--truncated)",
    "pause": "var(--refused)",
}
_SOURCE_COLOURS = [ACCENT, "var(--refused)", "var(--unparsed)", "var(--truncated)", "var(--correct)"]


class Placement:
    """Where an instant lies on the axis: seconds, segment after segment.

    Segments have clocks of their own; they are set side by side, and nothing is subtracted across them.
    """

    def __init__(self, run: RunView) -> None:
        self._start_ns: dict[int, int] = {}
        self._offset_s: dict[int, float] = {}
        offset_s = 0.0
        for index in sorted({item.segment for item in run.items} | {w.segment for w in run.manifest.windows}):
            stamps = [
                t for w in run.manifest.windows if w.segment == index for t in (w.t0, w.t1) if t is not None
            ]
            stamps += [t for item in run.items if item.segment == index for t in (item.t_begin, item.t_end)]
            self._start_ns[index], self._offset_s[index] = min(stamps), offset_s
            offset_s += (max(stamps) - min(stamps)) / 1e9 + 1.0
        self.end_s = max(offset_s - 1.0, 0.0)

    def seconds(self, segment: int, t_ns: int) -> float:
        """Return the place of a stamp on the axis; ``KeyError`` for a segment in which nothing was asked."""
        return self._offset_s[segment] + (t_ns - self._start_ns[segment]) / 1e9

    def __contains__(self, segment: int) -> bool:
        return segment in self._start_ns


def _power_rows(run: RunView, place: Placement) -> Rows:
    drawn = [line for line in run.timelines if line.segment in place and len(line.t_ns)]
    budget = MAX_POINTS // max(len(drawn), 1)
    found: Rows = []
    for line in drawn:
        for k in thin(line.t_ns, line.power_w, budget):
            watts = float(line.power_w[k])
            found.append(
                {
                    "s": place.seconds(line.segment, int(line.t_ns[k])),
                    "w": watts if math.isfinite(watts) else None,
                    "source": f"{line.source} {line.scope}",
                    "piece": f"{line.source} {line.scope} {line.segment}",
                }
            )
    return found


def _bands(run: RunView, place: Placement) -> Rows:
    return [
        {"a": place.seconds(w.segment, w.t0), "b": place.seconds(w.segment, w.t1), "what": w.name}
        for w in run.manifest.windows
        if w.t1 is not None
    ]


def _requests(run: RunView, place: Placement) -> Rows:
    return [
        {
            "a": place.seconds(item.segment, item.t_begin),
            "b": place.seconds(item.segment, item.t_end),
            "verdict": verdict_name(item),
        }
        for item in run.measured_items
    ]


def course_chart(run: RunView, width: int) -> Picture:
    """Draw power over time above the requests, coloured by what became of them."""
    place = Placement(run)
    data = {"bands": _bands(run, place), "requests": _requests(run, place), "power": _power_rows(run, place)}
    scale = alt.Scale(domain=[0, max(place.end_s, 1e-3)], nice=False)
    upper: list[alt.Chart | alt.LayerChart] = [_shade(data["bands"], scale)]
    if data["power"]:
        upper.append(_power_line(data["power"], scale, width))
    layered = alt.layer(*upper, width=width, height=220 if data["power"] else 30)
    stacked = alt.vconcat(layered.resolve_scale(color="independent"), _strip(data, scale, width), spacing=4)
    return Picture(stacked.resolve_scale(color="independent"), data)


def _x(field: str, scale: alt.Scale, title: str | None = None) -> alt.X:
    axis = alt.Axis(title=title, labels=title is not None, grid=False, tickCount=6, labelOverlap=True)
    return alt.X(f"{field}:Q", scale=scale, axis=axis)


def _shade(bands: Rows, scale: alt.Scale) -> alt.Chart:
    present = {row["what"] for row in bands}
    named_colours = {what: colour for what, colour in _BAND_COLOURS.items() if what in present}
    colours = alt.Scale(domain=list(named_colours), range=list(named_colours.values()))
    colour = alt.Color("what:N", scale=colours, legend=alt.Legend(title=None, orient="top", columns=4))
    marks = alt.Chart(named("bands")).mark_rect(opacity=0.22, clip=True)
    drawn: alt.Chart = marks.encode(x=_x("a", scale), x2="b:Q", color=colour)
    return drawn


def _power_line(power: Rows, scale: alt.Scale, width: int) -> alt.Chart:
    names = list(dict.fromkeys(row["source"] for row in power))
    legend = alt.Legend(title=None, orient="top", columns=1 if width < 400 else 2)
    line = alt.Chart(named("power")).mark_line(strokeWidth=1.4, clip=True, invalid="break-paths-show-domains")
    drawn: alt.Chart = line.encode(
        x=_x("s", scale),
        y=alt.Y("w:Q", title="watts", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5)),
        detail="piece:N",
        stroke=alt.Stroke("source:N", scale=alt.Scale(domain=names, range=_SOURCE_COLOURS), legend=legend),
    )
    return drawn


def _strip(data: dict[str, Rows], scale: alt.Scale, width: int) -> alt.Chart:
    colour = verdict_colour((row["verdict"] for row in data["requests"]), width, orient="bottom")
    marks = alt.Chart(named("requests"), width=width, height=26).mark_rect(clip=True)
    drawn: alt.Chart = marks.encode(x=_x("a", scale, "seconds of the run"), x2="b:Q", color=colour)
    return drawn


def course_words(run: RunView) -> str:
    """Describe the chart for a reader who does not see it."""
    watts = [line.power_w[np.isfinite(line.power_w)] for line in run.timelines]
    known = np.concatenate(watts) if watts else np.zeros(0)
    asked = f"{len(run.measured_items)} requests in the order they ran, coloured by verdict."
    if not len(known):
        return asked
    return f"Power between {known.min():.0f} and {known.max():.0f} watts; {asked}"
