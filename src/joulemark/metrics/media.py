"""What a picture or a video costs that a pipeline made: the energy of its batch, shared out evenly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from joulemark.metrics.bootstrap import sum_by_cluster
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.latency import MIN_VALUES, PERCENTILES, answered_items, e2el_s
from joulemark.metrics.run_view import RunView
from joulemark.metrics.student import MIN_DEGREES, t_95
from joulemark.metrics.value import Value, energy_value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.item import Item
from joulemark.record.percentile import percentile
from joulemark.record.reason import Reason

MEDIA = ("image", "video")
MIN_BATCHES = MIN_DEGREES + 1
_NO_MEDIA = "no {0} was asked for"
_NO_JOULES = "there are no joules"
_FEW = f"interval: withheld below {MIN_BATCHES} batches"


def _per_unit(medium: str, title: str) -> tuple[MetricDefinition, MetricDefinition]:
    name = f"joules_per_{medium}"
    return (
        MetricDefinition(
            name,
            f"Energy per {title}",
            "J",
            r"\sum_b E_b / \sum_b B_b",
            ("attribution.joules", "items.media_units"),
            (_NO_MEDIA.format(medium), _NO_JOULES, "any batch has no energy of its own"),
            "ML.ENERGY Benchmark (NeurIPS 2025), equation 1: the energy of a batch over its size; failed "
            "batches are in the numerator, what passes between batches is not; interval: 95 % over batches, "
            f"linearised ratio with Student's t; {_FEW}",
        ),
        MetricDefinition(
            f"{name}_bound",
            "… with all between batches, and the meter's bound",
            "J",
            r"[E_\mathrm{lo}, E_\mathrm{hi}] / \sum_b B_b",
            ("total_joules", "items.media_units"),
            (_NO_MEDIA.format(medium), _NO_JOULES),
            "the meter's bound (to hold in at least 99 % of cases); no statistics over batches",
        ),
    )


PER_UNIT = {"image": _per_unit("image", "image"), "video": _per_unit("video", "video")}
LATENCY = MetricDefinition(
    "batch_latency_s",
    "Mean time of a batch",
    "s",
    r"\frac{1}{n} \sum_b (t_{\mathrm{end},b} - t_{\mathrm{sent},b})",
    ("items.t_end", "items.t_sent", "items.attempts", "items.media_units"),
    ("neither images nor videos were asked for", "no batch was made"),
    "sent is the first sending; failed batches are left out; interval: 95 % over batches, Student's t; "
    f"{_FEW}",
)
RATE = MetricDefinition(
    "media_per_second",
    "Images or videos a second",
    "1/s",
    r"\sum_b B_b / t",
    ("items.media_units", "windows"),
    ("neither images nor videos were asked for", "nothing was made"),
    "over the length of the measured windows; the time between batches is inside",
)
DEFINITIONS = (*PER_UNIT["image"], *PER_UNIT["video"], LATENCY, RATE)


def medium_of(run: RunView) -> str | None:
    """Return what the run's engine makes, ``image`` or ``video``; null for words."""
    medium = run.manifest.engine.flags.get("media")
    return medium if isinstance(medium, str) and medium in MEDIA else None


def media_figures(run: RunView) -> dict[str, Value]:
    """Return all figures by name; each withheld with the reason where there is none."""
    medium, items = medium_of(run), run.measured_items
    units = math.fsum(item.media_units or 0.0 for item in items)
    found = {defined.name: withheld(defined.unit, Reason.NOT_APPLICABLE) for defined in DEFINITIONS}
    if medium is None:
        return found
    figure, bound = PER_UNIT[medium]
    if not units:
        nothing = ("Nothing was made.", Reason.NOTHING_SCORED)
        made = {
            d.name: withheld(d.unit, nothing[1], detail=nothing[0]) for d in (figure, bound, LATENCY, RATE)
        }
        return {**found, **made}
    return {
        **found,
        figure.name: _per_batch(run, items),
        bound.name: energy_value(run.headline_energy, divisor=units),
        LATENCY.name: _latency(items),
        RATE.name: Value(units / run.duration_s, "1/s", n=len(items))
        if run.duration_s
        else withheld("1/s", Reason.OUTSIDE_TIMELINE),
    }


def batch_latencies(run: RunView, figures: Mapping[str, Value]) -> dict[str, Value]:
    """Return the mean and the percentiles of the time of a batch, as ``e2el_mean``, ``e2el_p50``, ….

    Percentiles count failed batches as infinitely late, the mean leaves them out.
    """
    items = run.measured_items
    seconds = sorted(e2el_s(item) for item in _made(items))
    n = len(items)
    found = {"e2el_mean": figures[LATENCY.name]}
    for percent in PERCENTILES:
        name = f"e2el_p{percent}"
        if not seconds or n < MIN_VALUES[percent]:
            found[name] = withheld("s", Reason.TOO_FEW_ITEMS, n=n)
            continue
        at = percentile(seconds, percent, n_failed=n - len(seconds))
        late = withheld("s", Reason.REQUEST_FAILED, n=n)
        found[name] = late if math.isinf(at) else Value(at, "s", n=n)
    return found


def _made(items: Sequence[Item]) -> list[Item]:
    """Return the batches that were made."""
    return [item for item in answered_items(items) if item.media_units]


def _per_batch(run: RunView, items: Sequence[Item]) -> Value:
    """Return the energies of the batches over their sizes."""
    if isinstance(run.headline_energy, Withheld):
        return energy_value(run.headline_energy)
    rows = run.headline_attributions()
    joules: list[float] = []
    for item in items:
        row = rows.get(item.key)
        if row is None or row.joules is None:
            why = Reason.NOT_MEASURED if row is None or row.reason is None else Reason(row.reason)
            return withheld("J", why, n=len(items))
        joules.append(row.joules)
    sizes = [item.media_units or 0.0 for item in items]
    return _ratio(joules, sizes, [item.item_id for item in items], "J")


def _latency(items: Sequence[Item]) -> Value:
    made = _made(items)
    seconds = [e2el_s(item) for item in made]
    return _ratio(seconds, [1.0] * len(made), [item.item_id for item in made], "s")


def _ratio(
    numerators: Sequence[float], denominators: Sequence[float], batches: Sequence[str], unit: str
) -> Value:
    """Return the ratio of two sums over batches with its 95 % interval; repeats of a batch are one."""
    top, bottom = sum_by_cluster(batches, numerators, denominators)
    n, ratio = len(top), float(top.sum() / bottom.sum())
    if n < MIN_BATCHES:
        few = f"It takes {MIN_BATCHES} batches; there are {n}."
        return Value(ratio, unit, n=n, interval_reason=Reason.TOO_FEW_ITEMS, detail=few)
    errors = (top - ratio * bottom) / bottom.mean()
    half = t_95(n - 1) * float(np.std(errors, ddof=1)) / math.sqrt(n)
    return Value(ratio, unit, ratio - half, ratio + half, "ci95", n=n)


def unit_energy(figures: Mapping[str, Value], medium: str) -> Value:
    """Return the joules of a picture or video: by its batches, else by all that was metered."""
    figure, bound = PER_UNIT[medium]
    found = figures[figure.name]
    return figures[bound.name] if found.value is None else found
