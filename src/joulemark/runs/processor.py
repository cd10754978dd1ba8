"""Who used the processors while a run was measured: the engine, the client, and everybody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.meters.machine_load import MACHINE_SOURCE
from joulemark.meters.process import PROCESS_SOURCE
from joulemark.metrics.attribution import items_overlap
from joulemark.record.item import Item, Phase
from joulemark.record.manifest import Manifest
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.cumulative import cpu_seconds_between, cpu_seconds_in, machine_seconds_between
from joulemark.telemetry.timeline import Timeline

# An engine that computes on the processors uses a good part of one; a forwarder uses next to nothing.
_FORWARDER_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """Processor seconds in the measured windows; ``reason`` says why the engine's are null.

    ``item_s``: single items' seconds by ``Item.key``, empty where requests overlap. ``foreign_share`` and
    ``stolen_share``: shares (0 to 1) of all processors' time that other processes used and that a hypervisor
    took; null where it was not observed. ``forwards``: the engine's process used so little that it cannot
    have computed the answers on the processors.
    """

    engine_s: float | None
    reason: Reason | None
    item_s: Mapping[tuple[str, int], float]
    foreign_share: float | None
    stolen_share: float | None
    forwards: bool


def processor_use(
    timeline: Timeline, manifest: Manifest, windows: Sequence[Span], items: Sequence[Item]
) -> ProcessorUse:
    """Account for the processors in the measured ``windows`` of a run."""
    engine_s = _total([cpu_seconds_between(timeline, PROCESS_SOURCE, w.segment, w.t0, w.t1) for w in windows])
    machine = [machine_seconds_between(timeline, MACHINE_SOURCE, w.segment, w.t0, w.t1) for w in windows]
    busy_s, stolen_s = _total([busy for busy, _ in machine]), _total([stolen for _, stolen in machine])
    client = {proof.segment: proof.cpu_seconds for proof in manifest.client}
    client_s = _total([client.get(segment) for segment in sorted({w.segment for w in windows})])
    capacity_s = _total([_capacity_s(timeline, window) for window in windows])
    foreign_share = stolen_share = None
    if capacity_s and busy_s is not None and engine_s is not None and client_s is not None:
        foreign_share = min(1.0, max(0.0, busy_s - engine_s - client_s) / capacity_s)
    if capacity_s and stolen_s is not None:
        stolen_share = min(1.0, stolen_s / capacity_s)
    duration_s = sum(window.duration_s for window in windows)
    return ProcessorUse(
        engine_s,
        None if engine_s is not None else _why_none(manifest),
        _by_item(timeline, items),
        foreign_share,
        stolen_share,
        forwards=engine_s is not None and engine_s < _FORWARDER_SHARE * duration_s,
    )


def _total(parts: Sequence[float | None]) -> float | None:
    """Return the sum; null where there is nothing to add or a part is not known."""
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _capacity_s(timeline: Timeline, window: Span) -> float | None:
    """Return the seconds that all processors together had."""
    series = timeline.series(window.segment, MACHINE_SOURCE, Quantity.CPU_COUNT.value)
    return None if series is None else float(series.value[-1]) * window.duration_s


def _by_item(timeline: Timeline, items: Sequence[Item]) -> dict[tuple[str, int], float]:
    """Return the engine's processor seconds of each item; nothing where requests overlap."""
    answers = [item for item in items if item.phase == Phase.MEASURE]
    if items_overlap(answers):
        return {}
    found: dict[tuple[str, int], float] = {}
    for segment in {item.segment for item in answers}:
        here = [item for item in answers if item.segment == segment]
        begins, ends = [item.t_begin for item in here], [item.t_end for item in here]
        used = cpu_seconds_in(timeline, PROCESS_SOURCE, segment, begins, ends)
        found.update((item.key, s) for item, s in zip(here, used, strict=True) if s is not None)
    return found


def _why_none(manifest: Manifest) -> Reason:
    local = [segment.engine_local for segment in manifest.segments]
    return Reason.ENGINE_REMOTE if False in local else Reason.CPU_NOT_OBSERVED
