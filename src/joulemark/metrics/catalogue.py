"""Every metric's definition in the order of a report: the source of tooltips, docs and schemas."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from joulemark.metrics.definition import MetricDefinition

_PACKAGE = "joulemark.metrics"
_COMPARISON, _RECOMMENDATION = "compare_definitions", "recommendation_definitions"
# the order of a report; modules that are not named follow by their names, so that none is left out
_ORDER = (
    "energy_per",
    "tier",
    "standby",
    "wall_model",
    "drift",
    "money",
    "carbon",
    "embodied",
    "accuracy",
    "truncation",
    "score",
    "verdict_energy",
    "counts",
    "speed",
    "engine_time",
    "latency",
    "slo",
    "slo_energy",
    "loaded_definitions",
    "engine_figures",
    "media",
    "cost_model",
    "cost_forecast",
    "repeats",
    "cpu",
    "other_load",
    "throttle",
)

NOT_FIGURES = frozenset(
    {
        # words of a summary
        "measurement_tier",
        "energy_source",
        "streaming_used",
        # counts beside the figures, and the time they took
        "n_wanted",
        "n_items",
        "n_requests",
        "n_scored",
        "n_correct",
        "n_retried",
        "duration_s",
        # more than one number: Summary.by_verdict, Summary.repeats, Summary.slo
        "energy_by_verdict",
        "spread_over_repeats",
        "slo_share",
        "slo_share_correct",
        "slo_joules_per_correct_answer",
        # of two runs
        "cost_model_transfer_pct",
    }
)
"""Names that are defined and are neither a scalar figure nor a latency of one run."""


@cache
def all_definitions() -> tuple[MetricDefinition, ...]:
    """Return every definition of this package: of one run, of two, of operating points.

    Whatever a module calls ``DEFINITIONS`` is in it. Raises ``ValueError`` where two have one name.
    """
    return (*definitions(), *comparison_definitions(), *recommendation_definitions())


@cache
def definitions() -> tuple[MetricDefinition, ...]:
    """Return the definitions of the figures of one run; names are unique."""
    apart = {defined.name for defined in (*comparison_definitions(), *recommendation_definitions())}
    return tuple(defined for name, defined in _collected().items() if name not in apart)


def comparison_definitions() -> tuple[MetricDefinition, ...]:
    """Return the definitions of the figures of two runs."""
    return _of(_COMPARISON)


def recommendation_definitions() -> tuple[MetricDefinition, ...]:
    """Return the definitions of an operating point and of a recommendation.

    Accuracy, power and tokens a second of a point are those of its run, and defined there.
    """
    return _of(_RECOMMENDATION)


def definition(name: str) -> MetricDefinition:
    """Return the definition of a figure of one run by its name; raises ``KeyError``."""
    return {d.name: d for d in definitions()}[name]


@cache
def _collected() -> dict[str, MetricDefinition]:
    """Return the definitions of all modules of this package by name, in order."""
    modules = [module.name for module in iter_modules(import_module(_PACKAGE).__path__)]
    place = {name: k for k, name in enumerate(_ORDER)}
    found: dict[str, MetricDefinition] = {}
    for name in sorted(modules, key=lambda name: (place.get(name, len(place)), name)):
        for defined in _of(name):
            if found.setdefault(defined.name, defined) != defined:
                raise ValueError(f"two figures are called {defined.name}")
    return found


def _of(module: str) -> tuple[MetricDefinition, ...]:
    found: tuple[MetricDefinition, ...] = getattr(import_module(f"{_PACKAGE}.{module}"), "DEFINITIONS", ())
    return found
