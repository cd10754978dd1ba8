"""Figures of the metrics as plain JSON and back, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joulemark.metrics.value import Value
from joulemark.record.reason import Reason


def value_to_json(value: Value) -> dict[str, Any]:
    """Return a figure as plain values; what is at its default is left out."""
    found: dict[str, Any] = {"value": value.value, "unit": value.unit}
    if value.interval is not None:
        found |= {"lo": value.lo, "hi": value.hi, "interval": value.interval}
    if value.reason is not None:
        found["reason"] = value.reason.value
    if value.n is not None:
        found["n"] = value.n
    if value.detail:
        found["detail"] = value.detail
    if value.interval_reason is not None:
        found["interval_reason"] = value.interval_reason.value
    if value.interval_method:
        found["interval_method"] = value.interval_method
    return found


def value_of_json(found: Mapping[str, Any]) -> Value:
    """Return the figure; raises ``KeyError``, ``TypeError`` or ``ValueError`` for what is none."""
    reason, interval_reason = found.get("reason"), found.get("interval_reason")
    return Value(
        value=found["value"],
        unit=found["unit"],
        lo=found.get("lo"),
        hi=found.get("hi"),
        interval=found.get("interval"),
        reason=None if reason is None else Reason(reason),
        n=found.get("n"),
        detail=found.get("detail", ""),
        interval_reason=None if interval_reason is None else Reason(interval_reason),
        interval_method=found.get("interval_method", ""),
    )
