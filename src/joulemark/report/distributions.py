"""How latencies are distributed, and what became of the answers."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np

from joulemark.metrics.latency import Latency
from joulemark.report.theme import ACCENT, INK, VERDICTS, Picture, Rows, named, verdict_colour

_BINS = 28


def top_s(latency: Latency) -> float:
    """Return where the last bar ends in seconds; it holds all beyond.

    A few stragglers would otherwise squeeze the rest into one bar.
    """
    samples = np.asarray(latency.samples_s)
    return min(float(samples.max()), float(np.quantile(samples, 0.99)) * 1.1)


def latency_chart(latency: Latency, width: int) -> Picture:
    """Draw a histogram of one latency's samples with its median and 95th percentile; needs a sample."""
    samples = np.asarray(latency.samples_s)
    factor, unit = (1e3, "ms") if float(np.median(samples)) < 1 else (1.0, "s")
    counts, edges = np.histogram(np.minimum(samples, top_s(latency)) * factor, bins=_BINS)
    bars: Rows = [
        {"a": float(a), "b": float(b), "n": int(n)}
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    marks: Rows = [
        {"v": value.value * factor, "p": f"p{percent}"}
        for percent, value in latency.answered.items()
        if percent in (50, 95) and value.value is not None
    ]
    histogram = (
        alt.Chart(named("bars"), width=width, height=110)
        .mark_bar(color=ACCENT, opacity=0.75, binSpacing=1)
        .encode(
            x=alt.X("a:Q", bin="binned", title=unit, axis=alt.Axis(grid=False, tickCount=5)),
            x2="b:Q",
            y=alt.Y("n:Q", title="count", axis=alt.Axis(tickCount=3)),
        )
    )
    lines = alt.Chart(named("marks")).encode(x="v:Q")
    rule = lines.mark_rule(color=INK, strokeDash=[3, 3])
    label = lines.mark_text(align="left", baseline="top", dx=3).encode(y=alt.value(0), text="p:N")
    return Picture(alt.layer(histogram, rule, label), {"bars": bars, "marks": marks})


def verdict_chart(verdicts: Mapping[str, int], width: int) -> Picture:
    """Draw how many requests got which verdict."""
    counts: Rows = [{"verdict": name, "n": count} for name, count in verdicts.items() if count]
    base = alt.Chart(named("counts"), width=width, height=alt.Step(24)).encode(
        y=alt.Y("verdict:N", sort=VERDICTS, title=None, axis=alt.Axis(labelColor=INK, ticks=False)),
        x=alt.X("n:Q", title="requests", axis=alt.Axis(grid=False, tickMinStep=1, tickCount=5)),
    )
    bars = base.mark_bar().encode(color=verdict_colour(verdicts, legend=False))
    labels = base.mark_text(align="left", dx=4).encode(text="n:Q")
    return Picture(alt.layer(bars, labels), {"counts": counts})
