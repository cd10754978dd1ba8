"""Every metric's definition in the order of a report: the source of tooltips, docs and schemas."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from joulemark.metrics.definition import MetricDefinition

_PACKAGE = "joulemark.metrics"
_CODE = "joulemark.metrics.code"
_PICKING = "joulemark.metrics.picking"
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
    "stopped_early",
    "these_questions",
    "cpu",
    "other_load",
    "throttle",
)
_CODE_ORDER = (
    "pass_at_k",
    "as_defined",
    "pair_ratio",
    "corrected",
    "growth",
    "eff_at_k",
    "beyond",
    "efficient_at_k",
    "dps",
    "percentile_rank",
    "cost_definitions",
    "environments",
    "baseline",
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
        # more than one number: Summary.by_verdict, Summary.repeats, Summary.slo, Summary.stopped,
        # Summary.these
        "energy_by_verdict",
        "spread_over_repeats",
        "slo_share",
        "slo_share_correct",
        "slo_joules_per_correct_answer",
        "saved_by_stopping",
        "these_questions",
        # of two runs
        "cost_model_transfer_pct",
    }
)
"""Names that are defined and are neither a scalar figure nor a latency of one run."""


@cache
def all_definitions() -> tuple[MetricDefinition, ...]:
    """Return every definition: of one run, of two, of operating points, of a pick, of generated code.

    Whatever a module calls ``DEFINITIONS`` is in it. Raises ``ValueError`` where two have one name.
    """
    groups = (
        definitions(),
        comparison_definitions(),
        recommendation_definitions(),
        picking_definitions(),
        code_definitions(),
    )
    found = tuple(defined for group in groups for defined in group)
    names = [defined.name for defined in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two figures are called {name}")
    return found


@cache
def definitions() -> tuple[MetricDefinition, ...]:
    """Return the definitions of the figures of one run; names are unique."""
    apart = {defined.name for defined in (*comparison_definitions(), *recommendation_definitions())}
    return tuple(defined for name, defined in _collected(_PACKAGE, _ORDER).items() if name not in apart)


def comparison_definitions() -> tuple[MetricDefinition, ...]:
    """Return the definitions of the figures of two runs."""
    return _of(_COMPARISON)


def recommendation_definitions() -> tuple[MetricDefinition, ...]:
    """Return the definitions of an operating point and of a recommendation.

    Accuracy, power and tokens a second of a point are those of its run, and defined there.
    """
    return _of(_RECOMMENDATION)


def picking_definitions() -> tuple[MetricDefinition, ...]:
    """Return the definitions of what a workload would cost, and of a pick."""
    return _of("definitions", _PICKING)


@cache
def code_definitions() -> tuple[MetricDefinition, ...]:
    """Return the definitions of the figures of generated code; names are unique."""
    return tuple(_collected(_CODE, _CODE_ORDER).values())


def definition(name: str) -> MetricDefinition:
    """Return the definition of a figure of one run by its name; raises ``KeyError``."""
    return {d.name: d for d in definitions()}[name]


@cache
def _collected(package: str, order: tuple[str, ...]) -> dict[str, MetricDefinition]:
    """Return the definitions of all modules of a package by name, in order; those of its packages apart."""
    modules = [module.name for module in iter_modules(import_module(package).__path__) if not module.ispkg]
    place = {name: k for k, name in enumerate(order)}
    found: dict[str, MetricDefinition] = {}
    for name in sorted(modules, key=lambda name: (place.get(name, len(place)), name)):
        for defined in _of(name, package):
            if found.setdefault(defined.name, defined) != defined:
                raise ValueError(f"two figures are called {defined.name}")
    return found


def _of(module: str, package: str = _PACKAGE) -> tuple[MetricDefinition, ...]:
    found: tuple[MetricDefinition, ...] = getattr(import_module(f"{package}.{module}"), "DEFINITIONS", ())
    return found
