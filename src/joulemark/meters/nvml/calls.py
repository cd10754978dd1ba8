"""The quantities of a board that need a driver call of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from joulemark.meters.nvml.field import NO_DATA, number_of_call
from joulemark.record.telemetry import Quantity


@dataclass(frozen=True, slots=True)
class CallRead:
    """One quantity that needs a driver call of its own."""

    quantity: str
    call: Callable[[], float]


def milli(module: Any, call: Callable[[], int]) -> Callable[[], float]:
    """Return the call in whole units; it raises the library's "no data" where the driver has no value."""

    def read() -> float:
        number = number_of_call(call())
        if number is None:
            raise module.NVMLError(NO_DATA)
        return number * 1e-3

    return read


def violation(module: Any, handle: Any, policy: int) -> Callable[[], float]:
    """Return the call for the driver's older count of throttled time (ns) by a policy."""
    return lambda: float(module.nvmlDeviceGetViolationStatus(handle, policy).violationTime)


def _reason_call(module: Any, handle: Any) -> Callable[[], float]:
    """Return the call for the reason mask under the name that the driver knows."""
    try:
        module.nvmlDeviceGetCurrentClocksEventReasons(handle)
    except module.NVMLError:
        return lambda: float(module.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
    return lambda: float(module.nvmlDeviceGetCurrentClocksEventReasons(handle))


def heat_calls(module: Any, handle: Any) -> dict[Quantity, Callable[[], float]]:
    """Return what a thermal guard must see in every reading."""
    return {
        Quantity.THROTTLE_REASONS: _reason_call(module, handle),
        Quantity.TEMPERATURE_C: lambda: float(module.nvmlDeviceGetTemperature(handle, 0)),
    }


def slow_calls(module: Any, handle: Any) -> dict[Quantity, Callable[[], float]]:
    """Return what is read one at a time, in turn."""
    return {
        Quantity.SM_CLOCK_MHZ: lambda: float(module.nvmlDeviceGetClockInfo(handle, 1)),
        Quantity.MEMORY_CLOCK_MHZ: lambda: float(module.nvmlDeviceGetClockInfo(handle, 2)),
        Quantity.UTILIZATION_PCT: lambda: float(module.nvmlDeviceGetUtilizationRates(handle).gpu),
        Quantity.MEMORY_USED_MIB: lambda: module.nvmlDeviceGetMemoryInfo(handle).used / 2**20,
        Quantity.FAN_PCT: lambda: float(module.nvmlDeviceGetFanSpeed(handle)),
        Quantity.PSTATE: lambda: float(module.nvmlDeviceGetPerformanceState(handle)),
        Quantity.POWER_LIMIT_W: lambda: module.nvmlDeviceGetEnforcedPowerLimit(handle) * 1e-3,
    }
