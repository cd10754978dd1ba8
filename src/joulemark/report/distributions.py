"""How latencies are distributed."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from joulemark.metrics.latency import Latency
from joulemark.report.theme import ACCENT, INK, Picture, Rows, named

_BINS = 28
_AXIS_OF_P95 = 1.5
_MAX_MS = 10_000
_HEADROOM = 1.35  # of the tallest bar, for the labels above


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
        {"v": value.value * factor, "p": f"p{percent}"}
        for percent, value in latency.answered.items()
        if percent in (50, 95) and value.value is not None
    ]
    peak = alt.Scale(domain=[0, float(counts.max()) * _HEADROOM], nice=False)
    histogram = (
        alt.Chart(named("bars"), width=width, height=110)
        .mark_bar(color=ACCENT, opacity=0.75, binSpacing=1)
        .encode(
            x=alt.X("a:Q", bin="binned", title=unit, axis=alt.Axis(grid=False, tickCount=5)),
            x2="b:Q",
            y=alt.Y("n:Q", title="count", scale=peak, axis=alt.Axis(tickCount=3, tickMinStep=1, format="d")),
        )
    )
    rule = alt.Chart(named("marks")).mark_rule(color=INK, strokeDash=[3, 3]).encode(x="v:Q")
    middle = (edges[0] + edges[-1]) / 2
    labels = [_label(row, line, left=row["v"] > middle) for line, row in enumerate(marks)]
    return Picture(alt.layer(histogram, rule, *labels), {"bars": bars, "marks": marks})


def _label(row: dict[str, Any], line: int, *, left: bool) -> alt.Chart:
    """Write a mark's name beside its rule, each on a line of its own so that close ones do not overprint."""
    chosen = alt.Chart(named("marks")).transform_filter(f"datum.p == '{row['p']}'")
    text = chosen.mark_text(align="right" if left else "left", baseline="top", dx=-3 if left else 3)
    drawn: alt.Chart = text.encode(x="v:Q", y=alt.value(13 * line), text="p:N")
    return drawn
