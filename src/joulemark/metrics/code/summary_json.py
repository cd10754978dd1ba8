"""A summary of generated code as plain JSON values, unrounded; each null has its reason beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from joulemark.metrics.code.by_group import Extremes, Figures, Placed
from joulemark.metrics.code.distribution import Distribution
from joulemark.metrics.code.growth import Growth
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.code.summary import CodeSummary
from joulemark.metrics.code.wrong import Wrong
from joulemark.metrics.plain import JsonValue, intervals_json, reasons_json, spread_json
from joulemark.metrics.repeats import Spread
from joulemark.metrics.value import Value

_AT = re.compile(r"_at_\d+$")


def definition_name(figure: str) -> str:
    """Return the name under which a figure is defined: that of ``pass_at_10`` is ``pass_at_k``."""
    return _AT.sub("_at_k", figure)


def figures_json(figures: Mapping[str, Value]) -> dict[str, JsonValue]:
    """Return figures by name, with their units, numbers of tasks, intervals and reasons."""
    units: dict[str, JsonValue] = {name: value.unit for name, value in figures.items()}
    counts: dict[str, JsonValue] = {name: value.n for name, value in figures.items() if value.n is not None}
    return {
        **{name: value.value for name, value in figures.items()},
        "units": units,
        "n": counts,
        "intervals": intervals_json(figures),
        "reasons": reasons_json(figures),
    }


def summary_json(summary: CodeSummary) -> dict[str, JsonValue]:
    """Return the whole summary; runs and sources are in the journal."""
    counts: dict[str, JsonValue] = dict(summary.counts)
    flags: dict[str, JsonValue] = dict(summary.flags)
    flagged: dict[str, JsonValue] = {
        flag: [{"problem": problem, "sample": number} for problem, number in noticed]
        for flag, noticed in summary.flagged.items()
    }
    queued: dict[str, JsonValue] = {
        purpose.value: {"n_waited": one.n_waited, "n_runs": one.n_runs, "is_busy": one.is_busy}
        for purpose, one in summary.queued.items()
    }
    worst: dict[str, JsonValue] = {name: _extremes(one) for name, one in summary.extremes.items()}
    return {
        **figures_json(summary.figures),
        "counts": counts,
        "open_problems": list(summary.open_problems),
        "flags": flags,
        "flagged": flagged,
        "outside_call": [
            {"problem": problem, "sample": number, "cpu_s": cpu_s}
            for (problem, number), cpu_s in summary.outside_s.items()
        ],
        "queued": queued,
        "wrong": [_wrong(one) for one in summary.wrong],
        "distribution": _distribution(summary.ratios),
        "extremes": worst,
        "by_algorithm": _groups(summary.by_algorithm),
        "by_difficulty": _groups(summary.by_difficulty),
        "tasks": [_paired(one) for one in summary.paired],
        "growth": [_growth(one) for one in summary.growth],
    }


def spreads_json(spreads: Mapping[str, Spread]) -> dict[str, JsonValue]:
    """Return means and standard deviations by name."""
    return {name: spread_json(spread) for name, spread in spreads.items()}


def _groups(groups: Mapping[str, Figures]) -> JsonValue:
    found: dict[str, JsonValue] = {name: figures_json(figures) for name, figures in groups.items()}
    return found


def _distribution(one: Distribution) -> JsonValue:
    return {
        "edges": list(one.edges),
        "counts": list(one.counts),
        "n_at_least": one.n_at_least,
        "n_faster": one.n_faster,
        "n_told_faster": one.n_told_faster,
        "n_told_slower": one.n_told_slower,
    }


def _extremes(one: Extremes) -> JsonValue:
    algorithms: dict[str, JsonValue] = dict(one.algorithms)
    return {
        "worst": [_placed(p) for p in one.worst],
        "best": [_placed(p) for p in one.best],
        "algorithms": algorithms,
        "n_unplaced": one.n_unplaced,
    }


def _placed(one: Placed) -> JsonValue:
    return {
        "problem": one.problem,
        "sample": one.number,
        "program": one.program,
        "value": one.value,
        "is_at_least": one.is_at_least,
    }


def _paired(one: PairedSample) -> JsonValue:
    ratios = {
        "cpu_ratio": one.ratio.ratio,
        "memory_ratio": one.memory_figure,
        "memory_time_ratio": one.memory_time_figure,
        "instruction_ratio": one.instructions,
    }
    return {
        "problem": one.problem,
        "sample": one.number,
        "program": one.program,
        **figures_json(ratios),
        "at_least": one.ratio.at_least,
        "n_pairs": one.ratio.n_pairs,
        "n_censored": one.ratio.n_censored,
        "cpu_s": one.candidate.cpu_s,
        "reference_cpu_s": one.reference.cpu_s,
        "memory_mib": one.candidate.memory_mib,
        "reference_memory_mib": one.reference.memory_mib,
        "held_mib": one.candidate.held_mib,
        "outside_s": one.outside_s,
    }


def _wrong(one: Wrong) -> JsonValue:
    return {
        "problem": one.problem,
        "sample": one.number,
        "outcome": None if one.run is None else one.run.outcome.value,
        "case": None if one.run is None else one.run.case,
        "why": one.why,
    }


def _growth(one: Growth) -> JsonValue:
    return {
        "problem": one.problem,
        "sample": one.number,
        **figures_json(
            {
                "growth_exponent": one.exponent,
                "reference_growth_exponent": one.reference,
                "growth_excess": one.excess,
            }
        ),
        "is_too_slow": one.is_too_slow,
    }
