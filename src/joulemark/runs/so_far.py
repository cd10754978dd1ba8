"""A run while it goes on, as the arithmetic sees it: its answers so far with what the meters told of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from joulemark.metrics.run_view import RunView
from joulemark.metrics.segment_loads import SegmentLoads
from joulemark.record.item import Item, Phase
from joulemark.record.manifest import Manifest
from joulemark.runs.answer_blocks import answer_blocks
from joulemark.runs.disbelieved import judge_energy
from joulemark.runs.effective_rates import effective_rates
from joulemark.runs.engine_gauges import engine_gauges
from joulemark.runs.processor import processor_use
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.time_blocks import time_blocks
from joulemark.runs.view import attribute
from joulemark.telemetry.timeline import Timeline


def view_so_far(
    manifest: Manifest, telemetry: Path, items: Sequence[Item], in_flight: Iterable[Item] = ()
) -> RunView:
    """Return the answers whose energy the meters can have told by now; changes ``manifest``, so give a copy.

    The open segment ends with the last of them; requests that were in flight beside it (``in_flight``, and
    answers that came after the last reading) take their share of the energy and count in nothing else. What
    the finished run would not be believed (`joulemark.runs.disbelieved`) is not believed here.
    """
    timeline = Timeline.from_journal(telemetry) if telemetry.exists() else Timeline({})
    open_segment = next((s for s in manifest.segments if s.t1 is None), None)
    if open_segment is not None:
        at = open_segment.index
        read_ns = _read_until_ns(timeline, manifest, at)
        told = [one for one in items if one.segment != at or one.t_end <= read_ns]
        end_ns = max((one.t_end for one in told if one.segment == at), default=open_segment.t0)
        # also where no request overlaps: what came later begins later, and is left out
        beside = [*(one for one in items if one.segment == at and one.t_end > read_ns), *in_flight]
        cut = [replace(one, phase=Phase.ABANDONED, t_end=end_ns) for one in beside if one.t_begin < end_ns]
        open_segment.t1 = end_ns
        for window in manifest.windows:
            if window.segment == at and window.t1 is None:
                window.t1 = max(window.t0, end_ns)
    else:
        told, cut = list(items), []
    energy = RunEnergy(timeline, manifest)
    measured = (*told, *cut)
    use = processor_use(timeline, manifest, energy.windows, measured)
    judge_energy(energy, manifest, SegmentLoads(measured, {}, engine_gauges(timeline)), use)
    total = energy.total()
    attributions, _ = attribute(energy, measured, total)
    return RunView(
        manifest=manifest,
        items=measured,
        headline_energy=total,
        headline_scope=energy.scope,
        headline_method=attributions[0].method if attributions else None,
        attributions=attributions,
        blocks=answer_blocks(timeline, energy, measured, attributions),
        time_blocks=time_blocks(energy, measured),
        duration_s=sum(window.duration_s for window in energy.windows) or None,
        effective_rates=effective_rates(manifest, energy),
    )


def _read_until_ns(timeline: Timeline, manifest: Manifest, segment: int) -> int:
    """Return up to when every meter of a segment's headline has been read; 0 where one has not been."""
    scopes = set(manifest.headline_scope or ())
    names = [m.source.name for m in manifest.meters if m.segment == segment and m.scope in scopes]
    tracks = [timeline.track(segment, name) for name in names]
    ends = [0 if track is None or not len(track.t_ns) else int(track.t_ns[-1]) for track in tracks]
    return min(ends, default=2**62)  # without a meter there is nothing to wait for
