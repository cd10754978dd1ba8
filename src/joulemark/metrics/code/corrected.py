"""Time and memory of generated code as we measure them: CPU time, memory above the baseline, scaled inputs.

Under other names than those of the paper (`as_defined`). Over right code only; a task's right answers are
averaged first (geometric mean), then the tasks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from joulemark.metrics.code.as_defined import FAR_SLOWER
from joulemark.metrics.code.baseline import NO_BASELINE, Baseline, baseline_of
from joulemark.metrics.code.charged import charged
from joulemark.metrics.code.over_tasks import (
    geometric_by_task,
    geometric_mean_of,
    largest_of,
    median_of,
    share_of,
)
from joulemark.metrics.code.pair_ratio import aa_band
from joulemark.metrics.code.paired_sample import NOT_READ, PairedSample, paired_samples
from joulemark.metrics.code.pairs import control_pairs, pairs_of
from joulemark.metrics.code.sample import Sample, samples_of
from joulemark.metrics.code.shares import DEFINITIONS as SHARES
from joulemark.metrics.code.shares import Told, shares, told_apart
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun
from joulemark.record.reason import Reason

_WORDS = {
    "et": "CPU time",
    "mu": "peak memory above the baseline",
    "tmu": "memory above the baseline over time",
}
_SYMBOLS = {"et": "T", "mu": "M", "tmu": "A"}
_UNITS = {"et": "s", "mu": "MiB", "tmu": "MiB*s"}
_HELD = ("code.resident_bytes", "code.loaded_bytes")
_FIELDS = {
    "et": ("code.cpu_ns", "code.cpu_around_ns", "code.cpu_before_ns", "code.cpu_after_ns", "cpu_ratio"),
    "mu": ("code.peak_bytes", "code.peak_before_bytes", "code.ended_bytes", "code.peak_after_bytes", *_HELD),
    "tmu": ("code.memory_above_mib_s", "code.n_memory_samples", "code.wall_ns", *_HELD),
}
_HOW = {
    "et": "median CPU time of the reference's runs in fresh processes on the scaled input, that of a program "
    "that does nothing taken off, times the ratio; ratios are medians of runs next to each other",
    "mu": "peak above what was resident before the call, the baseline's taken off, and what the program "
    "holds before the call (tables made at import): the reference beyond its input and a program that does "
    "nothing, from 1 MiB up; the candidate as much, and what differs from the reference's from 256 KiB up; "
    "or what it takes before the call or after its end, where that is more, beyond the "
    "reference's (1 MiB and 20 %); one below 256 KiB, what a kernel's count may be off by, counts as that, "
    "and tasks in which neither side is above it have no ratio",
    "tmu": "time integral of the memory above that before the call and of what is held before it; a mean "
    "below 256 KiB counts as that, and tasks in which neither side's is above it have no ratio and are left "
    "out",
}
_CENSORED = (
    "a limit ended a right program on the scaled input, or it failed there: what it takes is not known, and "
    "leaving it out "
)
_WHEN = (
    "no right program was measured beside the reference on the scaled input",
    "no program that does nothing was measured",
)
_WHEN_MEMORY = (*_WHEN, "the memory was not read or sampled, or is never above 256 KiB")
_FAILED = "a right program failed on the scaled input: what it takes has no lower bound"
_OURS = "this project: geometric mean over tasks, tasks resampled for the interval"
_SHARE = "this project: share of tasks, Wilson's interval"
_LARGEST = "this project: largest over tasks, no interval"
NOT_PAIRED = "No right program was measured beside the reference on the scaled input."
_UNTOLD = "No program took so much memory above the baseline (256 KiB) that a kernel tells it from none."
_NO_BOUND = (
    "{} of {} right programs failed on the scaled input, and what a failed one takes has no lower bound."
)
HIT_LIMIT = (
    "A limit or a failure on the scaled input ended right programs, so their {} is not known ({} of {}); see "
    "the lower bound and the share above 5."
)


def _definitions(what: str) -> Iterator[MetricDefinition]:
    symbol, words, fields = _SYMBOLS[what], _WORDS[what], (*_FIELDS[what], "code_baseline_cpu_s")
    ratio = rf"{symbol}_i / {symbol}_{{\mathrm{{ref}},i}}"
    when = (*(_WHEN if what == "et" else _WHEN_MEMORY), f"{_CENSORED}would favour it")
    mean = r"\mathrm{{exp}}(\frac{{1}}{{N}} \sum_i \mathrm{{log}}\ {})"
    forms = (
        ("{}_corrected", "{} corrected: {}, geometric mean", _UNITS[what], mean.format(f"{symbol}_i"), _OURS),
        (
            "n{}_corrected",
            "N{} corrected: {} over the reference's, geometric mean",
            "1",
            mean.format(f"({ratio})"),
            _OURS,
        ),
        ("n{}_corrected_over_5", "N{} corrected above 5: share ({})", "1", rf"N({ratio} > 5) / N", _SHARE),
        ("n{}_corrected_max", "Largest N{} corrected ({})", "1", rf"\mathrm{{max}}_i\ {ratio}", _LARGEST),
    )
    for name, title, unit, latex, kind in forms:
        source = f"{kind}; {_HOW[what]}"
        yield MetricDefinition(
            name.format(what), title.format(what.upper(), words), unit, latex, fields, when, source
        )


AT_LEAST = MetricDefinition(
    "net_corrected_at_least",
    "NET corrected: lower bound of the geometric mean",
    "1",
    r"\mathrm{exp}(\frac{1}{N} \sum_i \mathrm{log}\ r_i)",
    ("cpu_ratio", "code.outcome"),
    (*_WHEN, _FAILED),
    f"{_OURS}; a program that a limit ended enters with the time seen until then",
)
MEDIAN = MetricDefinition(
    "net_corrected_median",
    "NET corrected: median over tasks",
    "1",
    r"\mathrm{median}_i\ r_i",
    ("cpu_ratio", "code.outcome"),
    (*_WHEN, "a limit ended the right programs of half the tasks or more"),
    "this project: a time known to be large only is above the median all the same, and so is a failure",
)


MEMORY_AT_LEAST = MetricDefinition(
    "nmu_corrected_at_least",
    "NMU corrected: lower bound of the geometric mean",
    "1",
    r"\mathrm{exp}(\frac{1}{N} \sum_i \mathrm{log}\ m_i)",
    (*_FIELDS["mu"], "code.outcome"),
    (*_WHEN_MEMORY, _FAILED),
    f"{_OURS}; a program that a limit ended enters with the largest memory seen until then",
)
DEFINITIONS = (
    *(d for what in _WORDS for d in _definitions(what)),
    AT_LEAST,
    MEDIAN,
    MEMORY_AT_LEAST,
    *SHARES,
)


@dataclass(frozen=True, slots=True)
class Corrected:
    """The figures by name, the band of the day, and the samples they are made of.

    ``told``: of each sample, whether it is told apart from the reference.
    """

    figures: dict[str, Value]
    band: Value
    samples: tuple[PairedSample, ...]
    baseline: Baseline
    told: tuple[Told, ...] = ()


def corrected(runs: Sequence[CodeRun], samples: Sequence[Sample] | None = None) -> Corrected:
    """Return the figures of `DEFINITIONS` of one model.

    ``samples`` (of `charged` rows) spares finding them again.
    """
    rows = charged(runs)
    baseline = baseline_of(rows)
    controls = control_pairs(rows)
    band = aa_band(controls, baseline)
    samples = samples_of(rows) if samples is None else samples
    found = paired_samples(samples, pairs_of(rows), baseline)
    told = told_apart(found, controls, baseline)
    if baseline.n == 0:
        none = {d.name: withheld(d.unit, Reason.NOT_MEASURED, detail=NO_BASELINE) for d in DEFINITIONS}
        return Corrected(none, band, found, baseline, told)
    figures = {**_time(found), **_memory(found, "mu"), **_memory(found, "tmu")}
    figures |= shares(told, samples, detail=NOT_PAIRED)
    return Corrected({d.name: figures[d.name] for d in DEFINITIONS}, band, found, baseline, told)


def _time(found: Sequence[PairedSample]) -> dict[str, Value]:
    ratios = _by_task(found, lambda one: one.ratio.ratio.value)
    seconds = _by_task(found, lambda one: one.candidate.cpu_s if one.ratio.ratio.value is not None else None)
    bounds = _by_task(found, _at_least)
    n_known = sum(one.ratio.ratio.value is not None for one in found)
    unknown = [one for one in found if _is_unknown(one)]
    hit = HIT_LIMIT.format("time", len(unknown), len(unknown) + n_known)
    least = {**bounds, **dict.fromkeys((one.problem for one in unknown), math.inf)}
    figures = {
        "et_corrected": geometric_mean_of(seconds, "s", detail=NOT_PAIRED),
        "net_corrected": geometric_mean_of(ratios, "1", detail=NOT_PAIRED),
        "net_corrected_max": largest_of(ratios, "1", detail=NOT_PAIRED),
    }
    if unknown:
        figures = {n: withheld(v.unit, Reason.NOT_MEASURED, detail=hit, n=v.n) for n, v in figures.items()}
    return {
        **figures,
        "net_corrected_over_5": _over(least, _with_failed(bounds, found), NOT_PAIRED),
        "net_corrected_at_least": _bound_of(bounds, found, NOT_PAIRED),
        "net_corrected_median": median_of(list(least.values()), "1", detail=NOT_PAIRED),
    }


def _is_unknown(one: PairedSample) -> bool:
    """Tell whether what a right program takes is not known: leaving it out would favour it."""
    return one.ratio.n_censored > 0 or one.has_failed


def _bound_of(bounds: dict[str, float], found: Sequence[PairedSample], detail: str) -> Value:
    """Return the geometric mean of lower bounds; none where a program failed: it would be left out."""
    mean = geometric_mean_of(bounds, "1", detail=detail)
    n_failed = sum(one.has_failed or (one.ratio.n_censored > 0 and _at_least(one) is None) for one in found)
    if n_failed:
        why = _NO_BOUND.format(n_failed, len(found))
        return withheld("1", Reason.NOT_MEASURED, detail=why, n=mean.n)
    return mean


def _with_failed(bounds: dict[str, float], found: Sequence[PairedSample]) -> dict[str, float]:
    """Return lower bounds in which tasks that a program fails on have none that any time meets."""
    return {**bounds, **{one.problem: math.inf for one in found if one.has_failed}}


def _over(least: dict[str, float], bounds: dict[str, float], detail: str) -> Value:
    """Return the share of tasks above 5; withheld where a limit came before what a program took told."""
    untold = sum(math.isinf(value) and bounds.get(task, 0.0) <= FAR_SLOWER for task, value in least.items())
    if untold:
        why = f"A limit ended the programs of {untold} tasks before they had taken five times as much."
        return withheld("1", Reason.NOT_MEASURED, detail=why, n=len(least))
    return share_of(sum(value > FAR_SLOWER for value in least.values()), len(least), detail=detail)


def _memory(found: Sequence[PairedSample], what: str) -> dict[str, Value]:
    is_peak = what == "mu"
    known = _by_task(found, lambda s: s.candidate.memory_mib if is_peak else s.candidate.memory_mib_s)
    ratios = _by_task(found, lambda s: s.memory_ratio if is_peak else s.memory_time_ratio)
    if is_peak:
        amounts = known if any(one.uses_memory for one in found) else {}
    else:  # what is made of a time and of the floor alone says nothing of memory
        amounts = {task: value for task, value in known.items() if task in ratios}
    detail = NOT_PAIRED if not found else NOT_READ if not known else _UNTOLD
    figures = {
        f"{what}_corrected": geometric_mean_of(amounts, _UNITS[what], detail=detail),
        f"n{what}_corrected": geometric_mean_of(ratios, "1", detail=detail),
        f"n{what}_corrected_max": largest_of(ratios, "1", detail=detail),
    }
    unknown = [one for one in found if _is_unknown(one)]
    if unknown:
        hit = HIT_LIMIT.format("memory", len(unknown), len(found))
        figures = {n: withheld(v.unit, Reason.NOT_MEASURED, detail=hit, n=v.n) for n, v in figures.items()}
    ended = {one.problem for one in unknown}
    bounds = {task: ratio for task, ratio in ratios.items() if task not in ended}
    if is_peak:
        bounds = _by_task(found, lambda s: s.memory_ratio_at_least)
    least = {**bounds, **dict.fromkeys(ended, math.inf)}
    figures[f"n{what}_corrected_over_5"] = _over(least, _with_failed(bounds, found), detail)
    if is_peak:
        figures[MEMORY_AT_LEAST.name] = _bound_of(bounds, found, detail)
    return figures


def _at_least(one: PairedSample) -> float | None:
    return one.ratio.at_least if one.ratio.at_least is not None else one.ratio.ratio.value


def _by_task(found: Sequence[PairedSample], of: Callable[[PairedSample], float | None]) -> dict[str, float]:
    """Return the geometric mean of a positive quantity over the right samples of each task."""
    return geometric_by_task((one.problem, of(one)) for one in found)
