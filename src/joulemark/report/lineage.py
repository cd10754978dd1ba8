"""What a figure rests on: the fields of the record that its definition leads back to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from joulemark.metrics.catalogue import definitions
from joulemark.metrics.definition import MetricDefinition

# what only the meter of a device writes; the causes of throttling are read from the same driver
_METERED = ("telemetry.energy_j", "telemetry.power_w", "telemetry.throttle_", "attribution.joules")
_RATES = ("rates.",)


def of_meters(name: str) -> bool:
    """Tell whether a figure rests on what a meter saw, itself or through figures that it is made of."""
    return any(field.startswith(_METERED) for field in fields(name))


def of_rates(name: str) -> bool:
    """Tell whether a figure takes a rate that somebody declared: such a figure was asked for."""
    return any(field.startswith(_RATES) for field in fields(name))


@cache
def fields(name: str) -> frozenset[str]:
    """Return the record's fields that a figure's inputs lead back to; raises ``KeyError``."""
    return frozenset(_fields(name, {defined.name: defined for defined in definitions()}))


def _fields(name: str, defined: dict[str, MetricDefinition]) -> Iterator[str]:
    for given in defined[name].inputs:
        if given in defined:
            yield from _fields(given, defined)
        else:
            yield given
