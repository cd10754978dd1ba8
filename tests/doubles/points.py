"""Operating points made up in memory, with known figures."""

from __future__ import annotations

from typing import Any

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason


def ci(value: float, half: float, unit: str = "J") -> Value:
    """Return a figure with a symmetric confidence interval."""
    return Value(value, unit, value - half, value + half, "ci95")


def bound(value: float, half: float, unit: str = "J") -> Value:
    """Return a figure with a symmetric bound of its meter."""
    return Value(value, unit, value - half, value + half, "bound")


def point(
    energy: float | Value | None = 100.0,
    tpot_s: float | Value | None = 0.05,
    label: str = "a point",
    *,
    accuracy: float | None = None,
    latencies: dict[str, float] | None = None,
    **fields: Any,
) -> OperatingPoint:
    """Return a point; a null figure is withheld."""
    none = withheld("1", Reason.NOT_MEASURED)
    energy_j = _value(energy, "J")
    graded = _value(accuracy, "1")
    per_correct = none
    if energy_j.value is not None and accuracy:
        per_correct = Value(energy_j.value / accuracy, "J")
    seconds = {name: Value(value, "s") for name, value in (latencies or {}).items()}
    if tpot_s is not None:
        seconds["tpot_mean"] = _value(tpot_s, "s")
    defaults: dict[str, Any] = {
        "label": label,
        "kind": "measured",
        "model": "org/model-1b",
        "task": "sums",
        "unit": "request",
        "energy_j": energy_j,
        "latencies_s": seconds,
        "accuracy": graded,
        "joules_per_correct": per_correct,
        "throughput": none,
        "tokens_per_second": none,
        "mean_power_w": none,
        "tdp_energy_j": none,
        "usd": none,
        "gco2e": none,
        "origin": f"runs/{label}",
        "device": "NVIDIA Testboard 90",
        "n_devices": 1,
        "tier": "C",
        "scope": "gpu",
    }
    return OperatingPoint(**{**defaults, **fields})


def _value(number: float | Value | None, unit: str) -> Value:
    if isinstance(number, Value):
        return number
    return withheld(unit, Reason.NOT_MEASURED) if number is None else Value(number, unit)
