"""Every metric's definition in the order of a report: the source of tooltips, docs and schemas."""

from __future__ import annotations

from joulemark.metrics import accuracy, cpu, drift, energy_per, latency, other_load, score, speed, throttle
from joulemark.metrics.definition import MetricDefinition


def definitions() -> tuple[MetricDefinition, ...]:
    """Return all definitions; names are unique."""
    return (
        *energy_per.DEFINITIONS,
        *drift.DEFINITIONS,
        *accuracy.DEFINITIONS,
        *score.DEFINITIONS,
        *speed.DEFINITIONS,
        *latency.DEFINITIONS,
        *cpu.DEFINITIONS,
        *other_load.DEFINITIONS,
        *throttle.DEFINITIONS,
    )


def definition(name: str) -> MetricDefinition:
    """Return one definition by its name; raises ``KeyError``."""
    return {d.name: d for d in definitions()}[name]
