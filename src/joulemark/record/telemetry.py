"""One reading of one source: the row of the telemetry journal."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Quantity(StrEnum):
    """What a telemetry value is; the unit is in the name."""

    ENERGY_J = "energy_j"  # a cumulative counter; its zero has no meaning
    POWER_W = "power_w"  # instantaneous, or the source's window (see SourceInfo.power_window_s)
    POWER_AVERAGE_W = "power_average_w"  # the driver's own trailing average
    TEMPERATURE_C = "temperature_c"
    SM_CLOCK_MHZ = "sm_clock_mhz"
    MEMORY_CLOCK_MHZ = "memory_clock_mhz"
    UTILIZATION_PCT = "utilization_pct"
    MEMORY_USED_MIB = "memory_used_mib"
    FAN_PCT = "fan_pct"
    PSTATE = "pstate"
    POWER_LIMIT_W = "power_limit_w"
    THROTTLE_REASONS = "throttle_reasons"  # bit mask of the driver
    THROTTLE_POWER_CAP_NS = "throttle_power_cap_ns"  # cumulative
    THROTTLE_SW_THERMAL_NS = "throttle_sw_thermal_ns"  # cumulative
    THROTTLE_HW_THERMAL_NS = "throttle_hw_thermal_ns"  # cumulative
    THROTTLE_POWER_BRAKE_NS = "throttle_power_brake_ns"  # cumulative
    CPU_TIME_NS = "cpu_time_ns"  # cumulative, of a process tree
    RSS_MIB = "rss_mib"
    CPU_BUSY_NS = "cpu_busy_ns"  # cumulative, of all processors of the machine together
    CPU_STOLEN_NS = "cpu_stolen_ns"  # cumulative, taken by a hypervisor
    CPU_COUNT = "cpu_count"
    REQUESTS_RUNNING = "requests_running"  # in the engine's batch, as the engine says
    REQUESTS_WAITING = "requests_waiting"
    KV_USED_SHARE = "kv_used_share"  # 0..1
    PREEMPTIONS = "preemptions"  # cumulative
    PROMPT_TOKENS = "prompt_tokens"  # cumulative
    GENERATION_TOKENS = "generation_tokens"  # cumulative


@dataclass(frozen=True, slots=True)
class Reading:
    """What one source said at one instant.

    ``t_ns`` is the monotonic stamp taken right after the read; ``read_ns`` is how long the read took, so the
    value belongs to some instant in ``[t_ns - read_ns, t_ns]``. ``t_driver_ns`` is the driver's own stamp,
    on the driver's own clock. A quantity that could not be read is absent from ``values`` and named in
    ``flags`` as ``quantity:reason``.
    """

    segment: int
    t_ns: int
    source: str
    scope: str
    values: dict[str, float] = field(default_factory=dict)
    read_ns: int = 0
    t_driver_ns: int | None = None
    flags: tuple[str, ...] = ()
