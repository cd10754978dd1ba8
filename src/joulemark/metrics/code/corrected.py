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
from joulemark.metrics.code.over_tasks import geometric_mean_of, largest_of, median_of, share_of
from joulemark.metrics.code.pair_ratio import Comparison, aa_band
from joulemark.metrics.code.paired_sample import NOT_READ, PairedSample, paired_samples
from joulemark.metrics.code.pairs import control_pairs, pairs_of
from joulemark.metrics.code.sample import Sample, samples_of
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
    "et": ("code.cpu_ns", "code.cpu_around_ns", "cpu_ratio"),
    "mu": ("code.peak_bytes", *_HELD),
    "tmu": ("code.memory_above_mib_s", "code.n_memory_samples", "code.wall_ns", *_HELD),
}
_HOW = {
    "et": "least CPU time of a sample's runs in fresh processes on the scaled input, that of a program that "
    "does nothing taken off; ratios are medians of runs next to each other",
    "mu": "peak above what was resident before the call, the baseline's taken off, and what the program "
    "holds before the call beyond its input and beyond a program that does nothing, from 1 MiB up (tables "
    "made at import); one below 256 KiB, what a kernel's count may be off by, counts as that, and tasks in "
    "which neither side is above it have no ratio",
    "tmu": "time integral of the memory above that before the call and of what is held before it; a mean "
    "below 256 KiB counts as that, and tasks in which neither side's is above it have no ratio and are left "
    "out",
}
_CENSORED = (
    "a limit ended a right program on the scaled input: what it takes is not known, and leaving it out "
)
_WHEN = (
    "no right program was measured beside the reference on the scaled input",
    "no program that does nothing was measured",
)
_WHEN_MEMORY = (*_WHEN, "the memory was not read or sampled, or is never above 256 KiB")
_OURS = "this project: geometric mean over tasks, tasks resampled for the interval"
NOT_PAIRED = "No right program was measured beside the reference on the scaled input."
_UNTOLD = "No program took so much memory above the baseline (256 KiB) that a kernel tells it from none."
HIT_LIMIT = "A limit ended {} of {} right programs, so their time is not known; see the lower bound."


def _definitions(what: str) -> Iterator[MetricDefinition]:
    symbol, words, fields = _SYMBOLS[what], _WORDS[what], (*_FIELDS[what], "code_baseline_cpu_s")
    ratio = rf"{symbol}_i / {symbol}_{{\mathrm{{ref}},i}}"
    when = (*_WHEN, f"{_CENSORED}would favour it") if what == "et" else _WHEN_MEMORY
    mean = r"\mathrm{{exp}}(\frac{{1}}{{N}} \sum_i \mathrm{{log}}\ {})"
    forms = (
        ("{}_corrected", "{} corrected: {}", _UNITS[what], mean.format(f"{symbol}_i")),
        ("n{}_corrected", "N{} corrected: {} over the reference's", "1", mean.format(f"({ratio})")),
        ("n{}_corrected_over_5", "N{} corrected above 5: share ({})", "1", rf"N({ratio} > 5) / N"),
        ("n{}_corrected_max", "Largest N{} corrected ({})", "1", rf"\mathrm{{max}}_i\ {ratio}"),
    )
    for name, title, unit, latex in forms:
        source = f"{_OURS}; {_HOW[what]}"
        yield MetricDefinition(
            name.format(what), title.format(what.upper(), words), unit, latex, fields, when, source
        )


AT_LEAST = MetricDefinition(
    "net_corrected_at_least",
    "NET corrected: lower bound",
    "1",
    r"\mathrm{exp}(\frac{1}{N} \sum_i \mathrm{log}\ r_i)",
    ("cpu_ratio", "code.outcome"),
    _WHEN,
    f"{_OURS}; a program that a limit ended enters with the time seen until then",
)
MEDIAN = MetricDefinition(
    "net_corrected_median",
    "NET corrected: median over tasks",
    "1",
    r"\mathrm{median}_i\ r_i",
    ("cpu_ratio", "code.outcome"),
    (*_WHEN, "a limit ended the right programs of half the tasks or more"),
    "this project: a time known to be large only is above the median all the same",
)


def _share(name: str, title: str, latex: str, source: str) -> MetricDefinition:
    return MetricDefinition(name, title, "1", latex, ("cpu_ratio", "aa_band"), _WHEN, source)


SHARES = (
    _share(
        "faster_share",
        "Share of tasks faster than the reference",
        r"N(r_i < 1 \text{ beyond the A/A band and the interval}) / N",
        "this project: a ratio inside the A/A band, or whose interval holds 1, is a tie; a task with several "
        "right answers counts by the share of them; interval: Wilson's",
    ),
    _share(
        "tied_share",
        "Share of tasks not told apart from the reference",
        r"N(r_i \text{ inside the A/A band, or 1 inside its interval}) / N",
        "this project: see the share of faster tasks",
    ),
    _share(
        "slower_share",
        "Share of tasks slower than the reference",
        r"N(r_i > 1 \text{ beyond the A/A band and the interval}) / N",
        "this project: see the share of faster tasks; a program that a limit ended is slower where the time "
        "until then says so",
    ),
)
DEFINITIONS = (*(d for what in _WORDS for d in _definitions(what)), AT_LEAST, MEDIAN, *SHARES)


@dataclass(frozen=True, slots=True)
class Corrected:
    """The figures by name, the band of the day, and the samples they are made of."""

    figures: dict[str, Value]
    band: Value
    samples: tuple[PairedSample, ...]
    baseline: Baseline


def corrected(runs: Sequence[CodeRun], samples: Sequence[Sample] | None = None) -> Corrected:
    """Return the figures of `DEFINITIONS` of one model; ``samples`` spares finding them again."""
    baseline = baseline_of(runs)
    band = aa_band(control_pairs(runs), baseline)
    pairs = pairs_of(runs)
    found = paired_samples(samples_of(runs) if samples is None else samples, pairs, baseline)
    if baseline.n == 0:
        none = {d.name: withheld(d.unit, Reason.NOT_MEASURED, detail=NO_BASELINE) for d in DEFINITIONS}
        return Corrected(none, band, found, baseline)
    figures = {**_time(found), **_memory(found, "mu"), **_memory(found, "tmu"), **_shares(found, band.value)}
    return Corrected({d.name: figures[d.name] for d in DEFINITIONS}, band, found, baseline)


def _time(found: Sequence[PairedSample]) -> dict[str, Value]:
    ratios = _by_task(found, lambda one: one.ratio.ratio.value)
    seconds = _by_task(found, lambda one: one.candidate.cpu_s if one.ratio.ratio.value is not None else None)
    bounds = _by_task(found, _at_least)
    n_limited = sum(one.ratio.at_least is not None or one.ratio.n_censored > 0 for one in found)
    n_known = sum(one.ratio.ratio.value is not None for one in found)
    limited = HIT_LIMIT.format(n_limited, n_limited + n_known)
    censored = {one.problem for one in found if one.ratio.n_censored}
    least = {**bounds, **dict.fromkeys(censored, math.inf)}
    figures = {
        "et_corrected": geometric_mean_of(seconds, "s", detail=NOT_PAIRED),
        "net_corrected": geometric_mean_of(ratios, "1", detail=NOT_PAIRED),
        "net_corrected_max": largest_of(ratios, "1", detail=NOT_PAIRED),
    }
    if n_limited:
        figures = {
            name: withheld(v.unit, Reason.NOT_MEASURED, detail=limited, n=v.n) for name, v in figures.items()
        }
    return {
        **figures,
        "net_corrected_over_5": _over(least, bounds),
        "net_corrected_at_least": geometric_mean_of(bounds, "1", detail=NOT_PAIRED),
        "net_corrected_median": median_of(list(least.values()), "1", detail=NOT_PAIRED),
    }


def _over(least: dict[str, float], bounds: dict[str, float]) -> Value:
    """Return the share of tasks above 5; withheld where a limit came before a program's time told."""
    untold = sum(math.isinf(value) and bounds.get(task, 0.0) <= FAR_SLOWER for task, value in least.items())
    if untold:
        detail = f"A limit ended the programs of {untold} tasks before they had taken five times as long."
        return withheld("1", Reason.NOT_MEASURED, detail=detail, n=len(least))
    return share_of(sum(value > FAR_SLOWER for value in least.values()), len(least), detail=NOT_PAIRED)


def _memory(found: Sequence[PairedSample], what: str) -> dict[str, Value]:
    is_peak = what == "mu"
    known = _by_task(found, lambda s: s.candidate.memory_mib if is_peak else s.candidate.memory_mib_s)
    ratios = _by_task(found, lambda s: s.memory_ratio if is_peak else s.memory_time_ratio)
    if is_peak:
        amounts = known if any(one.uses_memory for one in found) else {}
    else:  # what is made of a time and of the floor alone says nothing of memory
        amounts = {task: value for task, value in known.items() if task in ratios}
    detail = NOT_PAIRED if not found else NOT_READ if not known else _UNTOLD
    return {
        f"{what}_corrected": geometric_mean_of(amounts, _UNITS[what], detail=detail),
        f"n{what}_corrected": geometric_mean_of(ratios, "1", detail=detail),
        f"n{what}_corrected_over_5": share_of(
            sum(ratio > FAR_SLOWER for ratio in ratios.values()), len(ratios), detail=detail
        ),
        f"n{what}_corrected_max": largest_of(ratios, "1", detail=detail),
    }


def _shares(found: Sequence[PairedSample], band: float | None) -> dict[str, Value]:
    by_task: dict[str, list[Comparison]] = {}
    for one in found:
        if (outcome := one.ratio.against(band)) is not None:
            by_task.setdefault(one.problem, []).append(outcome)

    def share(what: Comparison) -> Value:
        hits = math.fsum(mine.count(what) / len(mine) for mine in by_task.values())
        return share_of(hits, len(by_task), detail=NOT_PAIRED)

    return {
        "faster_share": share(Comparison.FASTER),
        "tied_share": share(Comparison.TIE),
        "slower_share": share(Comparison.SLOWER),
    }


def _at_least(one: PairedSample) -> float | None:
    return one.ratio.at_least if one.ratio.at_least is not None else one.ratio.ratio.value


def _by_task(found: Sequence[PairedSample], of: Callable[[PairedSample], float | None]) -> dict[str, float]:
    """Return the geometric mean of a positive quantity over the right samples of each task."""
    logs: dict[str, list[float]] = {}
    for one in found:
        value = of(one)
        if value is not None and value > 0:
            logs.setdefault(one.problem, []).append(math.log(value))
    return {task: math.exp(math.fsum(mine) / len(mine)) for task, mine in logs.items()}
