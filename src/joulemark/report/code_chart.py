"""The ratios to the reference in a picture: how many programs are how much slower or faster."""

from __future__ import annotations

import altair as alt

from joulemark.metrics.code.distribution import LARGEST, Distribution
from joulemark.report.theme import ACCENT, FAINT, INK, Picture
from joulemark.report.theme import named as data

_HEIGHT_PX = 190
_TICKS = (1 / LARGEST, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, LARGEST)
_LABELS = (
    f"datum.value >= {LARGEST:g} ? '≥ {LARGEST:g}' : datum.value <= {1 / LARGEST:g} ? "
    f"'≤ 1/{LARGEST:g}' : datum.value < 1 ? '1/' + format(1 / datum.value, '~r') : "
    "format(datum.value, '~r')"
)
_MOST_STEPS = 5


def ratio_chart(ratios: Distribution, band: float | None, width_px: int) -> Picture:
    """Draw the buckets on a log scale, the reference as a line and the A/A band as a stripe."""
    edges = ratios.edges
    bars = [
        {"lo": edges[k], "hi": edges[k + 1], "n": count} for k, count in enumerate(ratios.counts) if count
    ]
    x = alt.X(
        "lo:Q",
        title="CPU time over the reference's (log scale)",
        scale=alt.Scale(type="log", domain=[edges[0], edges[-1]], nice=False),
        axis=alt.Axis(values=list(_TICKS), labelExpr=_LABELS, labelFlush=False),
    )
    histogram = (
        alt.Chart(data("bars"))
        .mark_rect(color=ACCENT)
        .encode(
            x=x,
            x2="hi:Q",
            y=alt.Y("n:Q", title="programs", axis=alt.Axis(values=_counts(max(ratios.counts)), format="d")),
            y2=alt.datum(0),
        )
    )
    line = alt.Chart(data("one")).mark_rule(color=INK, strokeDash=[4, 3]).encode(x="at:Q")
    parts = [histogram, line]
    rows = {"bars": bars, "one": [{"at": 1.0}]}
    if band is not None and 0 < band < 1:
        stripe = alt.Chart(data("band")).mark_rect(color=FAINT, opacity=0.25).encode(x="lo:Q", x2="hi:Q")
        parts.insert(0, stripe)
        rows["band"] = [{"lo": 1 - band, "hi": 1 + band}]
    return Picture(alt.layer(*parts).properties(width=width_px, height=_HEIGHT_PX), rows)


def _counts(most: int) -> list[int]:
    """Return whole numbers from 0 to ``most`` for an axis, each once."""
    step = next(
        k * 10**power for power in range(20) for k in (1, 2, 5) if k * 10**power * _MOST_STEPS >= most
    )
    return list(range(0, most + 1, step))


def ratio_words(ratios: Distribution) -> str:
    """Say what the picture shows: what is faster or slower is what noise does not explain."""
    n = ratios.n - ratios.n_at_least
    said = f"{n} programs by their CPU time over the reference's: "
    if ratios.n_told_faster is None or ratios.n_told_slower is None:
        said += (
            f"{ratios.n_faster} ratios are below 1, and how many of these by chance is not known, for no "
            "program was measured against itself."
        )
    else:
        n_tied = n - ratios.n_told_faster - ratios.n_told_slower
        said += (
            f"beyond noise {ratios.n_told_faster} take less than it and {ratios.n_told_slower} more; "
            f"{n_tied} are not told apart from it."
        )
    if n_slow := ratios.counts[-1]:
        said += (
            f" {n_slow} {'takes' if n_slow == 1 else 'take'} some {LARGEST:g} times or more: the last bar."
        )
    if n_quick := ratios.counts[0]:
        said += f" {n_quick} {'takes' if n_quick == 1 else 'take'} some 1/{LARGEST:g} or less: the first bar."
    return said + (
        f" {ratios.n_at_least} were ended by a limit and are not drawn." if ratios.n_at_least else ""
    )
