"""Pictures of the published cut-off: the tracking curve, slopes with their knee, cut-offs, steps."""

from __future__ import annotations

import math

import altair as alt
import numpy as np

from joulemark.frugal.published.cutoff import Cutoff
from joulemark.frugal.published.self_application import SelfApplication
from joulemark.frugal.published.study import Study
from joulemark.frugal.sample_size import half_width, moments
from joulemark.report.theme import ACCENT, FAINT, INK, Picture, Rows, named

_HEIGHT_PX = 260
_OTHER_SHUFFLES = 12
_SHOWN = 250  # points of a curve
_HIGHEST = 6.0  # slopes are drawn up to so many times the smoothed curve's largest
_BINS = 40


def tracking_chart(found: Study, width: int) -> Picture:
    """Draw some shuffles' tracking curves, the band in which 95 % of them lie, the baseline, the cut-off."""
    outcomes, cutoff = found.outcomes, found.cutoff
    factor = 100.0 if outcomes.is_binary else 1.0
    at = np.unique(np.round(np.linspace(0, len(cutoff.sizes) - 1, _SHOWN)).astype(int))
    sizes = cutoff.sizes[at]
    of, known = len(outcomes), moments(outcomes.values)
    halves = [factor * half_width(known.sd, int(n), of) for n in sizes]
    mean = factor * known.mean
    begin = int(np.searchsorted(sizes, max(10, of // 200)))
    widest = 1.4 * halves[int(np.searchsorted(sizes, max(10, of // 50)))]
    low, high = mean - widest, mean + widest
    rows: dict[str, Rows] = {
        "others": [
            {"share": 100 * int(n) / of, "mean": factor * float(cutoff.curves[k, j]), "shuffle": k}
            for k in range(1, min(_OTHER_SHUFFLES, len(cutoff.curves)))
            for j, n in zip(at[begin:], sizes[begin:], strict=True)
        ],
        "first": [
            {"share": 100 * int(n) / of, "mean": factor * float(cutoff.curves[0, j])}
            for j, n in zip(at[begin:], sizes[begin:], strict=True)
        ],
        "band": [
            {"share": 100 * int(n) / of, "lo": mean - half, "hi": mean + half}
            for n, half in zip(sizes[begin:], halves[begin:], strict=True)
        ],
        "base": [{"mean": mean}],
        "cut": [{"share": 100 * cutoff.mean}],
    }
    what = f"{outcomes.metric}, %" if outcomes.is_binary else outcomes.metric
    x = alt.X("share:Q", axis=_axis("items asked, %", width // 90), scale=alt.Scale(domain=[0, 100]))
    y = alt.Y(
        "mean:Q",
        axis=_axis(f"mean {what}", 6),
        scale=alt.Scale(domain=[low, high], zero=False, nice=False),
    )
    band = (
        alt.Chart(named("band"))
        .mark_area(color=ACCENT, opacity=0.18, clip=True)
        .encode(x=x, y=alt.Y("lo:Q"), y2="hi:Q")
    )
    others = (
        alt.Chart(named("others"))
        .mark_line(color=FAINT, opacity=0.45, strokeWidth=0.7, clip=True)
        .encode(x=x, y=y, detail="shuffle:N")
    )
    first = alt.Chart(named("first")).mark_line(color=ACCENT, strokeWidth=1.8, clip=True).encode(x=x, y=y)
    base = alt.Chart(named("base")).mark_rule(color=INK, strokeDash=[2, 3]).encode(y=y)
    return _picture(alt.layer(band, others, first, base, _cut()), rows, width)


def slopes_chart(cutoff: Cutoff, width: int) -> Picture:
    """Draw the first shuffle's absolute slopes, lowess through them, and the knee."""
    shown, of = cutoff.example, cutoff.frames.n_items
    top = float(shown.smoothed.max())
    scale = 1.0 / top if top > 0 else 1.0
    every = max(1, len(shown.starts) // (3 * _SHOWN))
    rows: dict[str, Rows] = {
        "slopes": [
            {"share": 100 * int(n) / of, "slope": float(slope) * scale}
            for n, slope in zip(shown.starts[::every], shown.slopes[::every], strict=True)
            if slope * scale <= _HIGHEST
        ],
        "smoothed": [
            {"share": 100 * int(n) / of, "slope": float(value) * scale}
            for n, value in zip(shown.at, shown.smoothed, strict=True)
        ],
        "cut": [] if shown.knee is None else [{"share": 100 * shown.knee / of}],
    }
    x = alt.X("share:Q", axis=_axis("where the frame begins, % of the items", width // 90))
    y = alt.Y(
        "slope:Q",
        axis=_axis("absolute slope over lowess's largest", 5),
        scale=alt.Scale(domain=[min(0.0, float(shown.smoothed.min()) * scale), 2.5], nice=False),
    )
    points = (
        alt.Chart(named("slopes")).mark_circle(color=FAINT, size=8, opacity=0.55, clip=True).encode(x=x, y=y)
    )
    line = alt.Chart(named("smoothed")).mark_line(color=ACCENT, strokeWidth=2.5).encode(x=x, y=y)
    return _picture(alt.layer(points, line, _cut()), rows, width)


def distribution_chart(cutoff: Cutoff, width: int) -> Picture:
    """Draw the shuffles' cut-offs as bars and the normal curve of their mean and deviation over them."""
    percents = 100 * cutoff.fractions
    low, high = float(percents.min()), float(percents.max())
    # on the anchors' grid a bar is one place of it
    places = np.unique(percents)
    step = float(np.diff(places).min()) if 1 < len(places) <= _BINS else max((high - low) / _BINS, 1e-9)
    edges = np.arange(low - step / 2, high + step, step)
    counts, edges = np.histogram(percents, bins=edges)
    sd = 100 * cutoff.sd
    mean = 100 * cutoff.mean
    rows: dict[str, Rows] = {
        "bars": [
            {"lo": float(edges[k]), "hi": float(edges[k + 1]), "n": int(n)} for k, n in enumerate(counts) if n
        ],
        "normal": [],
        "cut": [{"share": mean}],
    }
    if sd > 0:
        rows["normal"] = [
            {
                "share": float(at),
                "n": len(percents)
                * step
                * math.exp(-0.5 * ((float(at) - mean) / sd) ** 2)
                / (sd * math.sqrt(2 * math.pi)),
            }
            for at in np.linspace(mean - 4 * sd, mean + 4 * sd, 121)
        ]
    x = alt.X(
        "lo:Q", axis=_axis("cut-off, % of the items", width // 90), scale=alt.Scale(zero=False, nice=False)
    )
    y = alt.Y("n:Q", axis=_axis("shuffles", 5))
    bars = (
        alt.Chart(named("bars"))
        .mark_rect(color=ACCENT, opacity=0.7)
        .encode(x=x, x2="hi:Q", y=y, y2=alt.datum(0))
    )
    normal = alt.Chart(named("normal")).mark_line(color=INK, strokeWidth=2).encode(x="share:Q", y=y)
    return _picture(alt.layer(bars, normal, _cut()), rows, width)


def steps_chart(found: SelfApplication, n_items: int, unit: str, width: int) -> Picture:
    """Draw the loss of each step over the items that are left, and the formula's line."""
    rows: dict[str, Rows] = {
        "steps": [
            {
                "share": 100 * step.n_left / n_items,
                "loss": 100 * step.loss.absolute,
                "normality": "rejected" if step.rejected else "not rejected",
            }
            for step in found.steps
        ],
        "formula": [
            {"share": 100 * step.n_left / n_items, "loss": 100 * step.loss.formula} for step in found.steps
        ],
    }
    x = alt.X(
        "share:Q",
        axis=_axis("items left, % (log scale, falling)", width // 90),
        scale=alt.Scale(type="log", reverse=True, nice=False, padding=20),
    )
    y = alt.Y("loss:Q", axis=_axis(f"loss against all items, {unit}", 5), scale=alt.Scale(zero=True))
    line = (
        alt.Chart(named("formula")).mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1.5).encode(x=x, y=y)
    )
    domain = ["not rejected", "rejected"]
    points = (
        alt.Chart(named("steps"))
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "normality:N",
                scale=alt.Scale(domain=domain, range=[ACCENT, "var(--wrong)"]),
                legend=alt.Legend(title="normality", orient="top", columnPadding=24),
            ),
            shape=alt.Shape("normality:N", scale=alt.Scale(domain=domain, range=["circle", "cross"])),
        )
    )
    return _picture(alt.layer(line, points), rows, width)


def _cut() -> alt.Chart:
    rule = alt.Chart(named("cut")).mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5)
    drawn: alt.Chart = rule.encode(x="share:Q")
    return drawn


def _picture(layers: alt.LayerChart | alt.FacetChart, rows: dict[str, Rows], width: int) -> Picture:
    return Picture(layers.properties(width=width, height=_HEIGHT_PX), rows)


def _axis(title: str, ticks: int) -> alt.Axis:
    return alt.Axis(title=title, grid=False, tickCount=max(3, ticks), labelOverlap=True, titlePadding=10)
