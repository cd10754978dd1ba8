"""Figures as operands: numbers where all are known, else the reason of the first that is not."""

from __future__ import annotations

from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason


def numbers_of(*values: Value) -> tuple[float, ...] | Value:
    """Return the numbers of figures in their order, or the first figure that is withheld."""
    found = []
    for value in values:
        if value.value is None:
            return value
        found.append(value.value)
    return tuple(found)


def withheld_like(cause: Value, unit: str) -> Value:
    """Return a figure withheld for the reason of another one."""
    return withheld(unit, cause.reason or Reason.NOT_APPLICABLE, detail=cause.detail)
