"""Times from cumulative counters: how long a device was throttled, and why; processor time of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from joulemark.record.telemetry import Quantity
from joulemark.telemetry.timeline import Ints, Timeline

COVERED_NS = 1_000_000_000
COVERED_PERIODS = 5
"""An instant is covered when a reading lies within the larger of a second and five typical periods of it."""

THROTTLE_REASONS: Final = {
    "power_cap": Quantity.THROTTLE_POWER_CAP_NS,
    "sw_thermal": Quantity.THROTTLE_SW_THERMAL_NS,
    "hw_thermal": Quantity.THROTTLE_HW_THERMAL_NS,
    "power_brake": Quantity.THROTTLE_POWER_BRAKE_NS,
}


def throttled_between(
    timeline: Timeline, source: str, segment: int, t0_ns: int, t1_ns: int
) -> dict[str, float | None]:
    """Return the seconds throttled in the window by reason; null where the driver does not count them."""
    return {
        reason: _rises_s(timeline, source, segment, quantity, [t0_ns], [t1_ns])[0]
        for reason, quantity in THROTTLE_REASONS.items()
    }


def cpu_seconds_between(
    timeline: Timeline, source: str, segment: int, t0_ns: int, t1_ns: int
) -> float | None:
    """Return the processor seconds that the process tree of ``source`` used; null when not observed."""
    return cpu_seconds_in(timeline, source, segment, [t0_ns], [t1_ns])[0]


def cpu_seconds_in(
    timeline: Timeline,
    source: str,
    segment: int,
    t0s_ns: Sequence[int] | Ints,
    t1s_ns: Sequence[int] | Ints,
) -> list[float | None]:
    """Return the processor seconds of each window ``[t0s_ns[i], t1s_ns[i]]``; a search a window."""
    return _rises_s(timeline, source, segment, Quantity.CPU_TIME_NS, t0s_ns, t1s_ns)


def machine_seconds_between(
    timeline: Timeline, source: str, segment: int, t0_ns: int, t1_ns: int
) -> tuple[float | None, float | None]:
    """Return the seconds that all processors together were busy, and that a hypervisor took from them."""
    window = ([t0_ns], [t1_ns])
    busy = _rises_s(timeline, source, segment, Quantity.CPU_BUSY_NS, *window)[0]
    return busy, _rises_s(timeline, source, segment, Quantity.CPU_STOLEN_NS, *window)[0]


def _rises_s(
    timeline: Timeline,
    source: str,
    segment: int,
    quantity: str,
    t0s_ns: Sequence[int] | Ints,
    t1s_ns: Sequence[int] | Ints,
) -> list[float | None]:
    """Return the rise of a nanosecond counter in each window in seconds, linear between readings.

    Null when the counter fell in the window, or when an end of the window lies too far from any reading:
    there the counter may have risen by anything.
    """
    t0_ns, t1_ns = np.asarray(t0s_ns, np.int64), np.asarray(t1s_ns, np.int64)
    series = timeline.series(segment, source, quantity)
    if series is None or len(series) < 2:
        return [None] * len(t0_ns)
    at_ns, value = series.t_ns, series.value
    covered_ns = max(COVERED_NS, COVERED_PERIODS * int(np.median(np.diff(at_ns))))
    falls = np.concatenate(([0], np.cumsum(np.diff(value) < 0)))
    first = np.maximum(np.searchsorted(at_ns, t0_ns, side="right") - 1, 0)
    last = np.minimum(np.searchsorted(at_ns, t1_ns, side="left"), len(at_ns) - 1)
    away_ns = np.maximum(_distance_ns(at_ns, t0_ns), _distance_ns(at_ns, t1_ns))
    unknown = (away_ns > covered_ns) | (falls[last] > falls[first])
    rise_s = (np.interp(t1_ns, at_ns, value) - np.interp(t0_ns, at_ns, value)) * 1e-9
    return [None if unknown[i] else float(rise_s[i]) for i in range(len(t0_ns))]


def _distance_ns(at_ns: Ints, t_ns: Ints) -> Ints:
    """Return how far the nearest of the ascending ``at_ns`` is from each instant."""
    after = np.clip(np.searchsorted(at_ns, t_ns), 1, len(at_ns) - 1)
    distance_ns: Ints = np.minimum(np.abs(t_ns - at_ns[after - 1]), np.abs(at_ns[after] - t_ns))
    return distance_ns
