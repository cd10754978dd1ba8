"""How latencies are distributed."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from joulemark.metrics.latency import Latency
from joulemark.report.theme import ACCENT, INK, Picture, Rows, named
from joulemark.report.wording import figure_texts

_BINS = 28
_AXIS_OF_P95 = 1.5
_MAX_MS = 10_000
_HEADROOM = 1.45  # of the tallest bar, for the labels above
_MARGIN = 0.05  # of the axis right of the last bar, where the 95th percentile often lies

_HEIGHT_PX = 110
_LABEL_PX = 80  # a mark's name and value
_TICKS = alt.Axis(grid=False, tickCount=5, labelOverlap=True, labelSeparation=6)


@dataclass(frozen=True, slots=True)
class Beyond:
    """Samples that lie right of the drawn axis: how many, and the largest in seconds."""

    n: int
    max_s: float


def top_s(latency: Latency) -> float:
    """Return where the axis ends in seconds: one straggler would squeeze the rest into one bar."""
    samples = np.asarray(latency.samples_s)
    top = _AXIS_OF_P95 * float(np.quantile(samples, 0.95))
    return min(float(samples.max()), top) if top > 0 else float(samples.max())


def beyond(latency: Latency) -> Beyond:
    """Return what the histogram does not show; needs a sample."""
    n = len(latency.samples_s) - bisect_right(latency.samples_s, top_s(latency))
    return Beyond(n, latency.samples_s[-1])


def latency_chart(latency: Latency, width: int) -> Picture:
    """Draw a histogram of one latency's samples with its median and 95th percentile; needs a sample."""
    samples, top = np.asarray(latency.samples_s), top_s(latency)
    in_ms = float(np.median(samples)) < 1 and top * 1e3 <= _MAX_MS
    factor, unit = (1e3, "ms") if in_ms else (1.0, "s")
    counts, edges = np.histogram(samples[samples <= top] * factor, bins=_BINS)
    bars: Rows = [
        {"a": float(a), "b": float(b), "n": int(n)}
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    marks: Rows = [
        {"v": value.value * factor, "p": f"p{percent}", "told": f"p{percent} {figure_texts('', value)[0]}"}
        for percent, value in latency.answered.items()
        if percent in (50, 95) and value.value is not None
    ]
    most = int(counts.max())
    peak = alt.Scale(domain=[0, most * _HEADROOM], nice=False)
    end = float(edges[-1] + _MARGIN * (edges[-1] - edges[0]))
    along = alt.Scale(domain=[float(edges[0]), end], nice=False, zero=False)
    # no grid line crosses the labels above the bars
    heights = alt.Axis(values=[0, max(1, most // 2), max(1, most // 2 * 2)], format=",d")
    histogram = (
        alt.Chart(named("bars"), width=width, height=_HEIGHT_PX)
        .mark_bar(color=ACCENT, opacity=0.75, binSpacing=1)
        .encode(
            x=alt.X("a:Q", bin="binned", title=unit, scale=along, axis=_TICKS),
            x2="b:Q",
            y=alt.Y("n:Q", title="count", scale=peak, axis=heights),
        )
    )
    room = (end - float(edges[0])) * _LABEL_PX / width
    # the median's name stands left of it and the other's right, away from each other, where there is room
    layers = [
        layer
        for line, row in enumerate(marks)
        for layer in _mark(
            row, line, left=row["v"] - edges[0] > room if row["p"] == "p50" else end - row["v"] < room
        )
    ]
    return Picture(alt.layer(histogram, *layers), {"bars": bars, "marks": marks})


def _mark(row: dict[str, Any], line: int, *, left: bool) -> tuple[alt.Chart, alt.Chart]:
    """Draw a mark's rule and its name beside the top, each a line lower, so that none overprints another."""
    chosen, top = alt.Chart(named("marks")).transform_filter(f"datum.p == '{row['p']}'"), alt.value(13 * line)
    rule: alt.Chart = chosen.mark_rule(color=INK, strokeDash=[3, 3]).encode(
        x="v:Q", y=top, y2=alt.value(_HEIGHT_PX)
    )
    text = chosen.mark_text(align="right" if left else "left", baseline="top", dx=-3 if left else 3)
    name: alt.Chart = text.encode(x="v:Q", y=top, text="told:N")
    return rule, name
