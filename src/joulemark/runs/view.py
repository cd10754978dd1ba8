"""From a recorded run to what the arithmetic wants: energies of its windows, items and gaps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.attribution import (
    EQUAL_SHARE,
    attribute_equal_share,
    attribute_sequential,
    check,
    items_overlap,
    scope_label,
)
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary, summarize
from joulemark.record.attribution import Attribution, AttributionCheck
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.item import Item
from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.reason import Reason
from joulemark.runs.headline import Headline, choose_headline
from joulemark.runs.recorded import RecordedRun, read_run
from joulemark.runs.spans import (
    Span,
    best_method,
    gap_spans,
    item_span,
    measured_spans,
    span_energies,
    total_energy,
)
from joulemark.runs.timelines import power_timelines
from joulemark.telemetry.cumulative import cpu_seconds_between, throttled_between
from joulemark.telemetry.timeline import Timeline

ENGINE_SOURCE = "process:engine"


def summary_of(root: Path) -> tuple[RunView, Summary]:
    """Read a run directory and compute every figure of it anew."""
    view = view_of(read_run(root))
    return view, summarize(view)


def view_of(run: RecordedRun) -> RunView:
    """Compute the energies of a recorded run; nothing derived is taken from its files."""
    manifest, timeline = run.manifest, run.timeline
    windows = measured_spans(manifest)
    items = tuple(item for item in run.items if item.phase == "measure")
    sources = [meter.qualified for meter in manifest.meters]
    headline = choose_headline(
        sources,
        engine_local=manifest.engine.local,
        on_board={device.scope: device.engine_on_device for device in manifest.devices},
    )
    chosen = [source for source in sources if source.info.name in headline.sources]
    method = best_method(chosen)
    scope = scope_label([source.info.scope for source in chosen]) if chosen else None
    total = _headline_energy(timeline, chosen, windows, method, headline)
    attributions, checks = _attribute(timeline, chosen, windows, items, method, scope, total)
    cpu_s = [cpu_seconds_between(timeline, ENGINE_SOURCE, w.segment, w.t0, w.t1) for w in windows]
    cpu_seconds = sum(s for s in cpu_s if s is not None) if cpu_s and None not in cpu_s else None
    return RunView(
        manifest=manifest,
        items=run.items,
        chunks=run.chunks,
        headline_energy=total,
        headline_scope=scope,
        headline_method=attributions[0].method if attributions else None,
        other_energy=_other_energy(timeline, sources, windows, headline, method),
        integrated_energy=_integrated(timeline, chosen, windows, method),
        attributions=attributions,
        checks=checks,
        duration_s=sum(window.duration_s for window in windows) if windows else None,
        cpu_seconds=cpu_seconds,
        cpu_reason=None if cpu_seconds is not None else _why_no_cpu(run),
        item_cpu_seconds=_item_cpu(timeline, items),
        throttle_s=_throttle(timeline, chosen, windows),
        timelines=power_timelines(timeline, sources),
    )


def _headline_energy(
    timeline: Timeline,
    chosen: Sequence[QualifiedSource],
    windows: Sequence[Span],
    method: Method,
    headline: Headline,
) -> MeasuredEnergy | Withheld:
    if not chosen:
        return Withheld(headline.reason or Reason.NO_METER)
    return total_energy(span_energies(timeline, chosen, windows, method))


def _integrated(
    timeline: Timeline, chosen: Sequence[QualifiedSource], windows: Sequence[Span], method: Method
) -> MeasuredEnergy | Withheld:
    """Return the integral that stands beside a counter headline."""
    if not chosen or method is Method.INTEGRATED:
        return Withheld(Reason.NOT_APPLICABLE if chosen else Reason.NO_METER)
    return total_energy(span_energies(timeline, chosen, windows, Method.INTEGRATED))


def _other_energy(
    timeline: Timeline,
    sources: Sequence[QualifiedSource],
    windows: Sequence[Span],
    headline: Headline,
    method: Method,
) -> dict[str, MeasuredEnergy | Withheld]:
    """Return what each source that is no headline saw of the same windows."""
    others: dict[str, MeasuredEnergy | Withheld] = {}
    for source in sources:
        if source.info.name in headline.sources or source.qualification.trust is Trust.ABSENT:
            continue
        energies = span_energies(timeline, [source], windows, best_method([source]))
        others[f"{source.info.name} · {source.info.scope.label}"] = total_energy(energies)
    return others


def _attribute(
    timeline: Timeline,
    chosen: Sequence[QualifiedSource],
    windows: Sequence[Span],
    items: Sequence[Item],
    method: Method,
    scope: str | None,
    total: MeasuredEnergy | Withheld,
) -> tuple[tuple[Attribution, ...], tuple[AttributionCheck, ...]]:
    if scope is None or not items:
        return (), ()
    if not items_overlap(items):
        energies = span_energies(timeline, chosen, [item_span(item) for item in items], method)
        gaps = span_energies(timeline, chosen, gap_spans(windows, items), method)
        rows, proof = attribute_sequential(items, energies, gaps, total, scope)
        return rows, (proof,)
    return _share(timeline, chosen, windows, items, method, scope, total)


def _share(
    timeline: Timeline,
    chosen: Sequence[QualifiedSource],
    windows: Sequence[Span],
    items: Sequence[Item],
    method: Method,
    scope: str,
    total: MeasuredEnergy | Withheld,
) -> tuple[tuple[Attribution, ...], tuple[AttributionCheck, ...]]:
    """Share the energy of overlapping requests, each segment on its own clock."""
    rows: list[Attribution] = []
    idle_j: list[float | None] = []
    for segment in sorted({item.segment for item in items}):
        spans = [(window.t0, window.t1) for window in windows if window.segment == segment]
        here = [item for item in items if item.segment == segment]
        start = min([t0 for t0, _ in spans] + [item.t_begin for item in here])

        def energy_at(
            t_ns: NDArray[np.int64], segment: int = segment, start: int = start
        ) -> NDArray[np.float64]:
            since = [Span(segment, start, int(t)) for t in t_ns]
            energies = span_energies(timeline, chosen, since, method)
            return np.array([np.nan if isinstance(e, Withheld) else e.joules for e in energies])

        shared, proof = attribute_equal_share(here, energy_at, spans, total, scope)
        rows.extend(shared)
        idle_j.append(proof.idle_j)
    whole = check(EQUAL_SHARE, scope, total, [row.joules for row in rows], idle_j)
    return tuple(rows), (whole,)


def _item_cpu(timeline: Timeline, items: Sequence[Item]) -> dict[tuple[str, int], float]:
    """Return the engine's processor seconds of each item; nothing where requests overlap."""
    if items_overlap(items):
        return {}
    found: dict[tuple[str, int], float] = {}
    for item in items:
        seconds = cpu_seconds_between(timeline, ENGINE_SOURCE, item.segment, item.t_begin, item.t_end)
        if seconds is not None:
            found[item.key] = seconds
    return found


def _throttle(
    timeline: Timeline, chosen: Sequence[QualifiedSource], windows: Sequence[Span]
) -> dict[str, float]:
    """Return the seconds held back by cause, of the device that was held back longest."""
    worst: dict[str, float] = {}
    for source in chosen:
        known: dict[str, list[float | None]] = {}
        for window in windows:
            found = throttled_between(timeline, source.info.name, window.segment, window.t0, window.t1)
            for cause, seconds in found.items():
                known.setdefault(cause, []).append(seconds)
        for cause, parts in known.items():
            held = [s for s in parts if s is not None]
            if parts and len(held) == len(parts):
                worst[cause] = max(worst.get(cause, 0.0), sum(held))
    return worst


def _why_no_cpu(run: RecordedRun) -> Reason:
    return Reason.ENGINE_REMOTE if run.manifest.engine.local is False else Reason.CPU_NOT_OBSERVED
