"""What a stretch of time took beside joules: processor seconds and memory; and what went on beside it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from joulemark.live.history import SEGMENT
from joulemark.meters.machine_load import MACHINE_SOURCE
from joulemark.meters.process import PROCESS_SOURCE
from joulemark.metrics.other_load import cpu_share
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.cumulative import cpu_seconds_between, machine_seconds_between

if TYPE_CHECKING:
    from joulemark.telemetry.timeline import Timeline

_SHORTEST_S = 1.0  # the kernel's account goes in steps of 10 ms
_SHARE_TOO_SHORT = "The machine's load is counted in steps of 10 ms; less than a second says too little."


@dataclass(frozen=True, slots=True)
class Used:
    """Figures that need no meter.

    ``peak_memory`` in MiB of the process or its tree; ``board_memory`` in MiB of each board, everybody's
    together, the most that a reading showed. ``foreign_share`` and ``stolen_share``: of all processors' time,
    what others used (the sampler is one of them) and what a hypervisor took.
    """

    cpu_seconds: Value
    peak_memory: Value
    foreign_share: Value
    stolen_share: Value
    board_memory: Mapping[str, Value] = field(default_factory=dict)


def shares(timeline: Timeline, t0_ns: int, t1_ns: int, own_s: float | None) -> tuple[Value, Value]:
    """Return the share of all processors' time that others used, and the hypervisor's; ``own_s`` is ours."""
    duration_s = (t1_ns - t0_ns) * 1e-9
    if duration_s < _SHORTEST_S:
        short = withheld("1", Reason.TOO_SHORT, detail=_SHARE_TOO_SHORT)
        return short, short
    busy_s, stolen_s = machine_seconds_between(timeline, MACHINE_SOURCE, SEGMENT, t0_ns, t1_ns)
    count = timeline.series(SEGMENT, MACHINE_SOURCE, Quantity.CPU_COUNT.value)
    if count is None or not count.value[-1]:
        return cpu_share(None), cpu_share(None)
    capacity_s = float(count.value[-1]) * duration_s
    foreign = stolen = None
    if busy_s is not None and own_s is not None:
        foreign = min(1.0, max(0.0, busy_s - own_s) / capacity_s)
    if stolen_s is not None:
        stolen = min(1.0, stolen_s / capacity_s)
    return cpu_share(foreign), cpu_share(stolen)


def board_memory(timeline: Timeline, t0_ns: int, t1_ns: int) -> dict[str, Value]:
    """Return the most memory that each board's readings showed, by the board's source."""
    found: dict[str, Value] = {}
    for name in timeline.sources(SEGMENT):
        if timeline.series(SEGMENT, name, Quantity.MEMORY_USED_MIB) is not None:
            most = _most(timeline, name, Quantity.MEMORY_USED_MIB, t0_ns, t1_ns)
            found[name] = withheld("MiB", Reason.NO_SAMPLES) if most is None else Value(most, "MiB")
    return found


def tree_memory_mib(timeline: Timeline, t0_ns: int, t1_ns: int) -> float | None:
    """Return the most resident memory that a reading of the program's tree showed; null where none did."""
    return _most(timeline, PROCESS_SOURCE, Quantity.RSS_MIB, t0_ns, t1_ns)


def tree_seconds(timeline: Timeline, t0_ns: int, t1_ns: int) -> float | None:
    """Return the processor seconds that readings of the program's processes showed; null where none did."""
    return cpu_seconds_between(timeline, PROCESS_SOURCE, SEGMENT, t0_ns, t1_ns)


def maxrss_mib(maxrss: int) -> float:
    """Return ``ru_maxrss`` in MiB: it is in KiB, on macOS in bytes (getrusage(2))."""
    return maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def _most(timeline: Timeline, source: str, quantity: str, t0_ns: int, t1_ns: int) -> float | None:
    series = timeline.series(SEGMENT, source, quantity)
    if series is None:
        return None
    inside = series.value[(series.begin_ns >= t0_ns) & (series.t_ns <= t1_ns)]
    return float(inside.max()) if len(inside) else None
