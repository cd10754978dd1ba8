"""Times from cumulative counters: how long a device was throttled, and why; processor time of the engine."""

from __future__ import annotations

from typing import Final

import numpy as np

from joulemark.record.telemetry import Quantity
from joulemark.telemetry.timeline import Timeline

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
        reason: _rise_s(timeline, source, segment, quantity, t0_ns, t1_ns)
        for reason, quantity in THROTTLE_REASONS.items()
    }


def cpu_seconds_between(
    timeline: Timeline, source: str, segment: int, t0_ns: int, t1_ns: int
) -> float | None:
    """Return the processor seconds that the process tree of ``source`` used; null when not observed."""
    return _rise_s(timeline, source, segment, Quantity.CPU_TIME_NS, t0_ns, t1_ns)


def _rise_s(
    timeline: Timeline, source: str, segment: int, quantity: str, t0_ns: int, t1_ns: int
) -> float | None:
    """Return the rise of a nanosecond counter in seconds, linear between readings; null when it fell or the
    window is not covered to within the distance of two readings.
    """
    series = timeline.series(segment, source, quantity)
    if series is None or len(series) < 2:
        return None
    slack_ns = int(np.max(np.diff(series.t_ns)))
    if t0_ns < series.t_ns[0] - slack_ns or t1_ns > series.t_ns[-1] + slack_ns:
        return None
    first = max(int(np.searchsorted(series.t_ns, t0_ns, side="right")) - 1, 0)
    last = int(np.searchsorted(series.t_ns, t1_ns, side="left"))
    if np.any(np.diff(series.value[first : last + 1]) < 0):
        return None
    start, stop = np.interp([t0_ns, t1_ns], series.t_ns, series.value)
    return float(stop - start) * 1e-9
