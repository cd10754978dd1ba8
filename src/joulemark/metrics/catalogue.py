"""Every metric's definition in the order of a report: the source of tooltips, docs and schemas."""

from __future__ import annotations

from joulemark.metrics import (
    accuracy,
    carbon,
    compare_definitions,
    cost_forecast,
    cost_model,
    cpu,
    drift,
    embodied,
    energy_per,
    engine_figures,
    engine_time,
    latency,
    loaded_definitions,
    media,
    money,
    other_load,
    repeats,
    score,
    speed,
    standby,
    throttle,
    tier,
    truncation,
    verdict_energy,
    wall_model,
)
from joulemark.metrics.definition import MetricDefinition

NOT_FIGURES = frozenset(
    {
        # words of a summary
        "measurement_tier",
        "energy_source",
        "streaming_used",
        # more than one number: Summary.by_verdict, Summary.repeats
        "energy_by_verdict",
        "spread_over_repeats",
        # of two runs
        "cost_model_transfer_pct",
    }
)
"""Names that are defined and are neither a scalar figure nor a latency of one run."""


def definitions() -> tuple[MetricDefinition, ...]:
    """Return all definitions; names are unique."""
    return (
        *energy_per.DEFINITIONS,
        *tier.DEFINITIONS,
        *standby.DEFINITIONS,
        *wall_model.DEFINITIONS,
        *drift.DEFINITIONS,
        *money.DEFINITIONS,
        *carbon.DEFINITIONS,
        *embodied.DEFINITIONS,
        *accuracy.DEFINITIONS,
        *truncation.DEFINITIONS,
        *score.DEFINITIONS,
        *verdict_energy.DEFINITIONS,
        *speed.DEFINITIONS,
        *engine_time.DEFINITIONS,
        *latency.DEFINITIONS,
        *loaded_definitions.DEFINITIONS,
        *engine_figures.DEFINITIONS,
        *media.DEFINITIONS,
        *cost_model.DEFINITIONS,
        *cost_forecast.DEFINITIONS,
        *repeats.DEFINITIONS,
        *cpu.DEFINITIONS,
        *other_load.DEFINITIONS,
        *throttle.DEFINITIONS,
    )


def comparison_definitions() -> tuple[MetricDefinition, ...]:
    """Return the definitions of the figures of two runs."""
    return compare_definitions.DEFINITIONS


def definition(name: str) -> MetricDefinition:
    """Return one definition by its name; raises ``KeyError``."""
    return {d.name: d for d in definitions()}[name]
