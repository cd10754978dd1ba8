"""What rates that change with time came to over a run: its windows are split where a rate changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from joulemark.metrics.rate_steps import (
    Part,
    WallSpan,
    has_steps,
    rates_between,
    split_at,
    step_edges_ns,
    utc_ns,
)
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.manifest import Manifest, Rates, RateStep
from joulemark.record.span import Span
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.spans import measured_spans


def effective_rates(manifest: Manifest, energy: RunEnergy) -> Rates | None:
    """Return the run's rates as single numbers, weighted by the headline's energy; null where none changes.

    Where the meter cannot tell the parts of a window its energy counts as even over the window. Without any
    energy every moment weighs the same: no figure rests on it then.
    """
    if not has_steps(manifest.rates):
        return None
    rates = rates_of_run(manifest)
    offsets, edges = _offsets_ns(manifest), step_edges_ns(rates)
    parts = [
        part for window in energy.windows for part in _parts(window, offsets[window.segment], edges, energy)
    ]
    if not parts:
        return rates
    return rates_between(rates, parts[0][0], parts[-1][1], parts)


def wall_spans(manifest: Manifest) -> list[WallSpan]:
    """Return when a run measured, by the wall clock as it stood when each segment began."""
    offsets = _offsets_ns(manifest)
    return [(s.t0 + offsets[s.segment], s.t1 + offsets[s.segment]) for s in measured_spans(manifest)]


def rates_of_run(manifest: Manifest) -> Rates:
    """Return a run's rates with only those steps that hold at some moment that it measured."""
    if not has_steps(manifest.rates):
        return manifest.rates
    spans = wall_spans(manifest)
    kept = {
        name: [step for step in steps if _concerns(step, spans)]
        for name, steps in (("grid_series", manifest.rates.grid_series), ("tariff", manifest.rates.tariff))
    }
    return manifest.rates.model_copy(update=kept)


def _concerns(step: RateStep, spans: Sequence[WallSpan]) -> bool:
    t0, t1 = utc_ns(step.from_utc), utc_ns(step.to_utc)
    return any(t0 < end and begin < t1 for begin, end in spans)


def _offsets_ns(manifest: Manifest) -> dict[int, int]:
    """Return what a segment's clock lacks to UTC, by segment."""
    return {segment.index: segment.wall_anchor_ns - segment.t0 for segment in manifest.segments}


def _parts(window: Span, offset_ns: int, edges: Sequence[int], energy: RunEnergy) -> Iterator[Part]:
    parts = split_at(edges, window.t0 + offset_ns, window.t1 + offset_ns)
    pieces = [Span(window.segment, a - offset_ns, b - offset_ns) for a, b in parts]
    found = energy.of(pieces)
    joules = [one.joules for one in found if isinstance(one, MeasuredEnergy)]
    if len(joules) < len(pieces):
        (whole,) = energy.of([window])
        total = whole.joules if isinstance(whole, MeasuredEnergy) else 0.0
        joules = [total * (piece.t1 - piece.t0) / (window.t1 - window.t0) for piece in pieces]
    for (a, b), share in zip(parts, joules, strict=True):
        yield a, b, share
