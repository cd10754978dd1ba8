"""The course of a load as rows to draw: phases, requests at work, and power with what is known of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.occupancy import Occupancy
from joulemark.metrics.run_view import PowerTimeline, RunView
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.record.item import Item
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity
from joulemark.record.window_name import WindowName
from joulemark.report.buckets import MAX_POINTS, thin
from joulemark.report.course_rows import Placement
from joulemark.report.theme import Rows

LEAD, RAMP, SETTLING, STEADY, DRAIN, PAUSE = "lead", "ramp", "settling", "steady", "drain", "pause"
IN_FLIGHT = "in flight (client)"
RUNNING, WAITING = "in the batch (engine)", "waiting (engine)"
_GAUGES = {Quantity.REQUESTS_RUNNING.value: RUNNING, Quantity.REQUESTS_WAITING.value: WAITING}
_MEMORY = ("memory", "dram")  # the last element of the scope of a device's memory
_NEAR_S = 2.0  # between two readings further apart nothing is drawn


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of one segment and the phase that it belongs to, in monotonic ns."""

    segment: int
    t0: int
    t1: int
    phase: str


def stretches(run: RunView) -> list[Stretch]:
    """Return the phases of a load, one after the other: each instant belongs to one of them at most.

    Without a steady state all of the measured window up to the last sending is ``settling``.
    """
    found: list[Stretch] = []
    for segment in sorted({window.segment for window in run.manifest.windows}):
        items = [item for item in run.items if item.segment == segment]
        if items:
            found += _of_segment(run, segment, items)
    return found


def _of_segment(run: RunView, segment: int, items: Sequence[Item]) -> Iterator[Stretch]:
    windows = [w for w in run.manifest.windows if w.segment == segment and w.t1 is not None]
    first, last = min(item.t_begin for item in items), max(item.t_begin for item in items)
    ramp_s = run.manifest.load.ramp_s or 0.0
    risen = first + round(ramp_s * 1e9)
    steady = run.steady.window
    part = steady.part if isinstance(steady, SteadyWindow) and steady.part.segment == segment else None
    if part is not None:
        last = max(last, part.t1) if run.manifest.load.arrival != "at_once" else part.t1

    def phase(t: float) -> str | None:
        name = next((w.name for w in windows if w.t1 is not None and w.t0 <= t < w.t1), None)
        if name not in (WindowName.MEASURE, WindowName.WARMUP):
            return PAUSE if name == WindowName.PAUSE else None
        if part is not None and part.t0 <= t < part.t1:
            return STEADY
        if ramp_s and first <= t < risen:
            return RAMP
        if name == WindowName.WARMUP:
            return LEAD
        return SETTLING if t < last else DRAIN

    edges = {first, risen, last, *(t for w in windows for t in (w.t0, w.t1) if t is not None)}
    edges |= set() if part is None else {part.t0, part.t1}
    pending: Stretch | None = None
    for t0, t1 in pairwise(sorted(edges)):
        name = phase((t0 + t1) / 2)
        if pending is not None and pending.phase == name and pending.t1 == t0:
            pending = Stretch(segment, pending.t0, t1, pending.phase)
            continue
        if pending is not None:
            yield pending
        pending = None if name is None else Stretch(segment, t0, t1, name)
    if pending is not None:
        yield pending


def phase_rows(run: RunView, place: Placement) -> Rows:
    """Return the phases as bands."""
    return [
        {"a": place.seconds(one.segment, one.t0), "b": place.seconds(one.segment, one.t1), "what": one.phase}
        for one in stretches(run)
    ]


def count_rows(run: RunView, place: Placement) -> Rows:
    """Return the requests at work as steps: the client's in flight, and the engine's own where it has any."""
    series: list[tuple[str, int, Occupancy]] = [
        (IN_FLIGHT, segment, run.loads[segment].in_flight)
        for segment in sorted({item.segment for item in run.items})
        if segment in place
    ]
    series += [
        (_GAUGES[gauge.quantity], gauge.segment, gauge.steps)
        for gauge in run.engine_gauges
        if gauge.quantity in _GAUGES and gauge.segment in place and len(gauge.t_ns)
    ]
    budget = MAX_POINTS // max(len(series), 1)
    found: Rows = []
    for who, segment, steps in series:
        shown = place.holds(segment, steps.t_ns)
        t_ns, value = steps.t_ns[shown], steps.value[shown]
        for k in thin(t_ns, value, budget) if len(t_ns) else ():
            found.append(
                {
                    "s": place.seconds(segment, int(t_ns[k])),
                    "n": float(value[k]),
                    "who": who,
                    "piece": f"{who} {segment}",
                }
            )
    return found


@dataclass(frozen=True, slots=True)
class Limit:
    """A device's power limit in watts, and the scope that it is of, by its last element."""

    scope: str
    power_w: float


def power_limit(run: RunView) -> Limit | None:
    """Return the limit of the one device whose power is drawn; null where it is not known or they differ."""
    drawn = {line.scope for line in run.timelines}
    found = {
        (Scope(device.scope).label, device.power_limit_w)
        for device in run.manifest.devices
        if device.power_limit_w and Scope(device.scope).label in drawn
    }
    limits = {limit_w for _, limit_w in found}
    if len(limits) != 1:
        return None
    return Limit(" and ".join(sorted(label for label, _ in found)), float(limits.pop() or 0.0))


def memory_rows(run: RunView, place: Placement) -> Rows:
    """Return the power of a device's memory and of the rest of it as layers; none without such a meter.

    ``lo`` and ``hi`` are watts: memory from 0 up, the rest from there to the whole device's power, at the
    device's own readings; memory's are read off the line between its neighbours in time.
    """
    found: Rows = []
    pairs = list(_with_memory(run, place))
    for whole, memory in pairs:
        shown = place.holds(whole.segment, whole.t_ns)
        t_ns, whole_w = whole.t_ns[shown], whole.power_w[shown]
        memory_w = _read_off(memory, t_ns)
        for k in thin(t_ns, whole_w, MAX_POINTS // (2 * len(pairs))) if len(t_ns) else ():
            if not (math.isfinite(whole_w[k]) and math.isfinite(memory_w[k])):
                continue
            s, low, high = place.seconds(whole.segment, int(t_ns[k])), float(memory_w[k]), float(whole_w[k])
            piece = f"{whole.source} {whole.segment}"
            found.append({"s": s, "lo": 0.0, "hi": low, "of": "memory", "piece": f"{piece} m"})
            found.append({"s": s, "lo": low, "hi": max(low, high), "of": "the rest", "piece": f"{piece} r"})
    return found


def _with_memory(run: RunView, place: Placement) -> Iterator[tuple[PowerTimeline, PowerTimeline]]:
    """Yield the devices whose memory is metered too, each with it."""
    scopes = {(m.segment, m.source.name): Scope(m.scope) for m in run.manifest.meters}
    placed = [
        (line, scope)
        for line in run.timelines
        if line.segment in place and (scope := scopes.get((line.segment, line.source))) is not None
    ]
    for memory, part in placed:
        if part.label.partition(":")[0] not in _MEMORY:
            continue
        for whole, scope in placed:
            if whole.segment == memory.segment and part.path == f"{scope.path}/{part.label}":
                yield whole, memory


def _read_off(line: PowerTimeline, t_ns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a line's watts at other instants; NaN outside it and where its neighbours lie far apart."""
    known = np.isfinite(line.power_w)
    own, watts = line.t_ns[known], line.power_w[known]
    if len(own) < 2:
        return np.full(len(t_ns), math.nan)
    after = np.clip(np.searchsorted(own, t_ns), 1, len(own) - 1)
    near = own[after] - own[after - 1] <= _NEAR_S * 1e9
    inside = (t_ns >= own[0]) & (t_ns <= own[-1])
    read = np.interp(t_ns.astype(np.float64), own.astype(np.float64), watts)
    return np.where(near & inside, read, math.nan)
