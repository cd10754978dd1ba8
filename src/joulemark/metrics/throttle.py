"""Share of the measured time in which a device was held back, by cause."""

from __future__ import annotations

from collections.abc import Mapping

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

_WHEN = ("the driver has no cumulative counter of this cause", "there is no meter")
_SOURCE = (
    "the driver's cumulative violation time over the measured windows, not sampled flags; of several devices "
    "all causes are of the one that was slowed down longest"
)


def _defined(name: str, title: str, latex: str, causes: tuple[str, ...]) -> MetricDefinition:
    return MetricDefinition(name, title, "%", latex, (*causes, "windows"), _WHEN, _SOURCE)


THERMAL = _defined(
    "thermal_throttle_pct",
    "Time slowed down by heat",
    r"100\,t_\mathrm{thermal} / t",
    ("telemetry.throttle_sw_thermal_ns", "telemetry.throttle_hw_thermal_ns"),
)
POWER_CAP = _defined(
    "power_cap_throttle_pct",
    "Time slowed down by the power limit",
    r"100\,t_\mathrm{power\,cap} / t",
    ("telemetry.throttle_power_cap_ns",),
)
POWER_BRAKE = _defined(
    "power_brake_throttle_pct",
    "Time slowed down by the power brake",
    r"100\,t_\mathrm{power\,brake} / t",
    ("telemetry.throttle_power_brake_ns",),
)
DEFINITIONS = (THERMAL, POWER_CAP, POWER_BRAKE)


def throttle_pct(
    throttle_s: Mapping[str, float], duration_s: float | None, causes: tuple[str, ...], absent: Reason
) -> Value:
    """Return 100 × time slowed down by any of ``causes`` / duration.

    ``throttle_s`` are the seconds of one device: those of two must not be mixed. Counters of two causes may
    run at the same time; how long both did is not known, so the share of either is bounded by the larger one
    and by their sum (or all of the time), and the sum is given as the figure. ``absent`` is the reason where
    no counter of the causes exists.
    """
    seconds = [throttle_s[cause] for cause in causes if cause in throttle_s]
    if not seconds:
        return withheld("%", absent)
    if not duration_s:
        return withheld("%", Reason.OUTSIDE_TIMELINE, detail="The measured windows have no length.")
    # counters and windows are read a moment apart, so a share may pass 100 % by rounding
    shares = [min(100.0, 100 * s / duration_s) for s in seconds]
    together = min(100.0, sum(shares))
    if max(shares) == together:  # one cause alone, so nothing can have run at the same time
        return Value(together, "%")
    return Value(together, "%", max(shares), together, "bound")
