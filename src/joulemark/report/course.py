"""The course of a run on one axis: power, windows, throttling and who was being answered."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np

from joulemark.metrics.run_view import RunView
from joulemark.report.buckets import MAX_POINTS, thin
from joulemark.report.theme import ACCENT, FAINT, rows, verdict_colour, verdict_name

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


def _power_rows(run: RunView, place: Placement) -> list[dict[str, Any]]:
    drawn = [line for line in run.timelines if line.segment in place and len(line.t_ns)]
    budget = MAX_POINTS // max(len(drawn), 1)
    found: list[dict[str, Any]] = []
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


def _bands(run: RunView, place: Placement) -> list[dict[str, Any]]:
    windows = [
        {"a": place.seconds(w.segment, w.t0), "b": place.seconds(w.segment, w.t1), "what": w.name}
        for w in run.manifest.windows
        if w.t1 is not None
    ]
    throttles = [
        {"a": place.seconds(line.segment, t.t0), "b": place.seconds(line.segment, t.t1), "what": "throttled"}
        for line in run.timelines
        if line.segment in place
        for t in line.throttles
    ]
    return windows + throttles


def course_chart(run: RunView, width: int) -> alt.TopLevelMixin:
    """Draw power over time above the requests, coloured by what became of them."""
    place = Placement(run)
    x_scale = alt.Scale(domain=[0, max(place.end_s, 1e-3)], nice=False)
    x = alt.X("a:Q", scale=x_scale, axis=alt.Axis(title="seconds of the run", grid=False, tickCount=6))
    bare_x = alt.X("a:Q", scale=x_scale, axis=alt.Axis(title=None, labels=False, grid=False, tickCount=6))
    bands = rows(_bands(run, place))
    shade = (
        alt.Chart(bands)
        .mark_rect(opacity=0.22, clip=True)
        .encode(
            x=bare_x,
            x2="b:Q",
            color=alt.Color(
                "what:N",
                scale=alt.Scale(
                    domain=["measure", "warmup", "pause", "throttled"],
                    range=[FAINT, "var(--truncated)", "var(--refused)", "var(--wrong)"],
                ),
                legend=alt.Legend(title=None, orient="top", columns=4),
            ),
        )
    )
    items = rows(
        [
            {
                "a": place.seconds(item.segment, item.t_begin),
                "b": place.seconds(item.segment, item.t_end),
                "verdict": verdict_name(item),
            }
            for item in run.measured_items
        ]
    )
    strip = (
        alt.Chart(items, width=width, height=26)
        .mark_rect(clip=True)
        .encode(x=x, x2="b:Q", color=verdict_colour(map(verdict_name, run.measured_items), orient="bottom"))
    )
    power = _power_rows(run, place)
    if not power:
        return _stack(alt.layer(shade, width=width, height=30), strip)
    names = list(dict.fromkeys(row["source"] for row in power))
    line = (
        alt.Chart(rows(power))
        .mark_line(strokeWidth=1.4, clip=True, interpolate="linear", invalid="break-paths-show-domains")
        .encode(
            x=alt.X("s:Q", scale=x_scale, axis=alt.Axis(title=None, labels=False, grid=False, tickCount=6)),
            y=alt.Y("w:Q", title="watts", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5)),
            detail="piece:N",
            stroke=alt.Stroke(
                "source:N",
                scale=alt.Scale(domain=names, range=_SOURCE_COLOURS),
                legend=alt.Legend(title=None, orient="top", columns=1 if width < 400 else 2),
            ),
        )
    )
    upper = alt.layer(shade, line, width=width, height=220).resolve_scale(color="independent")
    return _stack(upper, strip)


def _stack(upper: alt.LayerChart | alt.FacetChart, lower: alt.Chart) -> alt.TopLevelMixin:
    stacked: alt.VConcatChart = alt.vconcat(upper, lower, spacing=4).resolve_scale(color="independent")
    return stacked


def course_words(run: RunView) -> str:
    """Describe the chart for a reader who does not see it."""
    watts = [line.power_w[np.isfinite(line.power_w)] for line in run.timelines]
    known = np.concatenate(watts) if watts else np.zeros(0)
    asked = f"{len(run.measured_items)} requests in the order they ran, coloured by verdict."
    if not len(known):
        return asked
    return f"Power between {known.min():.0f} and {known.max():.0f} watts; {asked}"
