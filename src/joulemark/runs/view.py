"""From a recorded run to what the arithmetic wants: energies of its windows, items and gaps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from joulemark.metrics.attribution import (
    attribute_equal_share,
    attribute_sequential,
    items_overlap,
    time_slices,
)
from joulemark.metrics.run_view import RunView
from joulemark.metrics.segment_loads import SegmentLoads
from joulemark.metrics.summary import Summary, summarize
from joulemark.record.attribution import Attribution, AttributionCheck
from joulemark.record.energy import MeasuredOrWithheld
from joulemark.record.item import Item, Phase
from joulemark.record.span import Span
from joulemark.runs.answer_blocks import answer_blocks
from joulemark.runs.disbelieved import judge_energy
from joulemark.runs.effective_rates import effective_rates
from joulemark.runs.engine_gauges import engine_gauges
from joulemark.runs.input_aware import input_aware
from joulemark.runs.processor import processor_use
from joulemark.runs.recorded import RecordedRun, n_wanted, read_run
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.spans import gap_spans, item_span
from joulemark.runs.time_blocks import time_blocks
from joulemark.runs.timelines import power_timelines, slowed_stretches
from joulemark.telemetry.cumulative import throttled_between
from joulemark.telemetry.timeline import Timeline


def summary_of(root: Path) -> tuple[RunView, Summary]:
    """Read a run directory and compute every figure of it anew."""
    view = view_of(read_run(root))
    return view, summarize(view)


def view_of(run: RecordedRun) -> RunView:
    """Compute the energies of a recorded run; nothing derived is taken from its files."""
    timeline = run.timeline
    energy = RunEnergy(timeline, run.manifest)
    windows = energy.windows
    items = tuple(
        item
        for item in run.items
        if item.phase in (Phase.MEASURE, Phase.ABANDONED) or _reaches_into(item, windows)
    )
    sources = [meter.qualified for meter in run.manifest.meters]
    use = processor_use(timeline, run.manifest, windows, run.items)
    gauges = engine_gauges(timeline)
    loads = SegmentLoads(run.items, run.chunks, gauges)
    steady = judge_energy(energy, run.manifest, loads, use)
    total = energy.total()
    attributions, checks = attribute(energy, items, total)
    aware, aware_checks, fit = input_aware(
        run.manifest, loads, windows, energy.of, total, energy.scope, energy.renewal_s
    )
    return RunView(
        manifest=run.manifest,
        items=run.items,
        chunks=run.chunks,
        headline_energy=total,
        headline_scope=energy.scope,
        headline_method=attributions[0].method if attributions else None,
        other_energy=energy.others(),
        integrated_energy=energy.integrated(),
        attributions=(*attributions, *aware),
        checks=(*checks, *aware_checks),
        blocks=answer_blocks(timeline, energy, items, attributions),
        time_blocks=time_blocks(energy, items),
        duration_s=sum(window.duration_s for window in windows) if windows else None,
        cpu_seconds=use.engine_s,
        cpu_reason=use.reason,
        item_cpu_seconds=use.item_s,
        wanted=n_wanted(run.manifest),
        foreign_cpu_share=use.foreign_share,
        stolen_cpu_share=use.stolen_share,
        throttle_s=_throttle(timeline, energy),
        timelines=power_timelines(timeline, sources),
        slowed=slowed_stretches(timeline, sources),
        effective_rates=effective_rates(run.manifest, energy),
        engine_gauges=gauges,
        steady=steady,
        input_aware=fit,
        loads=loads,
    )


def _reaches_into(item: Item, windows: Sequence[Span]) -> bool:
    """Tell whether a request that does not count took part in the work of a measured window."""
    return any(w.segment == item.segment and item.t_begin < w.t1 and w.t0 < item.t_end for w in windows)


def attribute(
    energy: RunEnergy, items: Sequence[Item], total: MeasuredOrWithheld
) -> tuple[tuple[Attribution, ...], tuple[AttributionCheck, ...]]:
    """Return what each request is charged, and the proof that it adds up to ``total``."""
    scope = energy.scope
    if scope is None or not items:
        return (), ()
    if not items_overlap(items) and all(item.phase == Phase.MEASURE for item in items):
        energies = energy.of([item_span(item) for item in items])
        gaps = energy.of(gap_spans(energy.windows, items))
        rows, proof = attribute_sequential(items, energies, gaps, total, scope)
        return rows, (proof,)
    slices = time_slices(items, energy.windows)
    energies = energy.of(slices)
    rows, proof = attribute_equal_share(items, slices, energies, total, scope)
    return rows, (proof,)


def _throttle(timeline: Timeline, energy: RunEnergy) -> dict[str, float]:
    """Return the seconds held back by cause, of the one device that was held back longest."""
    held: dict[str, dict[str, float | None]] = {}
    for window in energy.windows:
        for source in energy.evidence[window.segment].chosen:
            name = source.info.name
            causes = held.setdefault(name, {})
            found = throttled_between(timeline, name, window.segment, window.t0, window.t1)
            for cause, seconds in found.items():
                before = causes.get(cause, 0.0)
                causes[cause] = None if seconds is None or before is None else before + seconds
    known = [{c: s for c, s in causes.items() if s is not None} for causes in held.values()]
    return max(known, key=lambda causes: sum(causes.values()), default={})
