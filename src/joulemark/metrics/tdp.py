"""What a device's rated power would have made of the same time: the estimate that measuring replaces.

Source of the method: the usual estimate of inference energy, rated power times time. It is modelled: it
stands beside a measured figure, and is never summed or ranked with one.
"""

from __future__ import annotations

from joulemark.metrics.operands import numbers_of, withheld_like
from joulemark.metrics.value import Value, withheld
from joulemark.record.rated import rated_power
from joulemark.record.reason import Reason


def tdp_energy(device: str | None, n_devices: int | None, device_seconds: float | None) -> Value:
    """Return rated power × devices × the time that one unit took of them, in J: modelled.

    ``device_seconds`` is the reciprocal of the throughput, so that of a batch each unit has its share.
    """
    rated = rated_power(device)
    if device is None or n_devices is None:
        return withheld("J", Reason.NOT_REPORTED, detail="The device is not told.")
    if rated is None:
        return withheld("J", Reason.NOT_REPORTED, detail=f"The rated power of {device} is not on file.")
    if device_seconds is None:
        return withheld("J", Reason.NOT_PUBLISHED, detail="The time of one unit is not told.")
    said = (
        f"modelled: {n_devices} × {rated.watts:g} W ({rated.board}, {rated.source}) × {device_seconds:.4g} s"
    )
    return Value(rated.watts * n_devices * device_seconds, "J", detail=said)


def tdp_ratio(estimate: Value, energy: Value) -> Value:
    """Return how many times the measured energy the estimate is."""
    found = numbers_of(estimate, energy)
    if isinstance(found, Value):
        return withheld_like(found, "1")
    modelled, measured = found
    if measured <= 0:
        return withheld("1", Reason.NOT_APPLICABLE, detail="The measured energy is zero.")
    return Value(modelled / measured, "1")
