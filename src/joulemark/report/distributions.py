"""How latencies are distributed, and what became of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np

from joulemark.metrics.latency import Latency
from joulemark.report.theme import ACCENT, INK, VERDICTS, rows, verdict_colour

_BINS = 28


def latency_chart(latency: Latency, width: int) -> alt.TopLevelMixin:
    """Draw a histogram of one latency's samples with its median and 95th percentile; needs a sample."""
    samples = np.asarray(latency.samples_s)
    factor, unit = (1e3, "ms") if float(np.median(samples)) < 1 else (1.0, "s")
    # a few stragglers would squeeze the rest into one bar: the last bar holds all beyond the 99th percentile
    top = float(np.quantile(samples, 0.99)) * 1.1
    counts, edges = np.histogram(np.minimum(samples, top) * factor, bins=_BINS)
    bars = rows(
        [
            {"a": float(a), "b": float(b), "n": int(n)}
            for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
    )
    marks: list[dict[str, Any]] = [
        {"v": value.value * factor, "p": f"p{percent}"}
        for percent, value in latency.answered.items()
        if percent in (50, 95) and value.value is not None
    ]
    histogram = (
        alt.Chart(bars, width=width, height=110)
        .mark_bar(color=ACCENT, opacity=0.75, binSpacing=1)
        .encode(
            x=alt.X("a:Q", bin="binned", title=unit, axis=alt.Axis(grid=False, tickCount=5)),
            x2="b:Q",
            y=alt.Y("n:Q", title="count", axis=alt.Axis(tickCount=3)),
        )
    )
    lines = alt.Chart(rows(marks)).encode(x="v:Q")
    rule = lines.mark_rule(color=INK, strokeDash=[3, 3])
    label = lines.mark_text(align="left", baseline="top", dx=3).encode(y=alt.value(0), text="p:N")
    return alt.layer(histogram, rule, label)


def verdict_chart(verdicts: Mapping[str, int], width: int) -> alt.TopLevelMixin:
    """Draw how many requests got which verdict."""
    data = rows([{"verdict": name, "n": count} for name, count in verdicts.items() if count])
    base = alt.Chart(data, width=width, height=alt.Step(24)).encode(
        y=alt.Y("verdict:N", sort=VERDICTS, title=None, axis=alt.Axis(labelColor=INK, ticks=False)),
        x=alt.X("n:Q", title="requests", axis=alt.Axis(grid=False, tickMinStep=1, tickCount=5)),
    )
    bars = base.mark_bar().encode(color=verdict_colour(verdicts, legend=False))
    return alt.layer(bars, base.mark_text(align="left", dx=4).encode(text="n:Q"))
