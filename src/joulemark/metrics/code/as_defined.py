"""Time and memory of generated code as EffiBench's paper defines them, over right code only.

The definitions are the paper's, the procedure is ours: theirs times the profiler's start, counts time-outs
as passes, and runs the reference apart from the candidate. What is better measured stands in `corrected`,
under other names: the two never share one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.code.baseline import MIB, NS_PER_S
from joulemark.metrics.code.over_tasks import largest_of, mean_of, ratio_of_sums, share_of
from joulemark.metrics.code.sample import Sample, references, right_by_problem, samples_of
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun, Outcome, Purpose
from joulemark.record.reason import Reason

MIN_MEMORY_SAMPLES = 5
MIN_SAMPLED_SHARE = 0.5
FAR_SLOWER = 5.0
_PAPER = "D. Huang et al., EffiBench (NeurIPS 2024)"
_NONE = "no right program was run on all tests in one process beside the reference"
_NO_RUN = "No right program and its reference were run on all tests in one process."
_SHORT = "fewer than 5 samples of the memory lie within the run, for more than half of the tasks"
_WORDS = {"et": "execution time", "mu": "peak memory", "tmu": "memory over time"}
_SYMBOLS = {"et": "T", "mu": "M", "tmu": "A"}
_UNITS = {"et": "s", "mu": "MiB", "tmu": "MiB*s"}
_FIELDS = {
    "et": ("code.wall_ns",),
    "mu": ("code.resident_bytes", "code.peak_bytes"),
    "tmu": ("code.memory_mib_s", "code.n_memory_samples"),
}
_HOW = {
    "et": "wall time of all tests one after another in one process",
    "mu": "largest resident memory, the interpreter's included, in MiB (the paper's MB)",
    "tmu": "time integral of the resident memory by trapezoids between samples from outside",
}


def _definitions(what: str) -> Iterator[MetricDefinition]:
    symbol, words, how, fields = _SYMBOLS[what], _WORDS[what], _HOW[what], _FIELDS[what]
    withheld_when = (_NONE, _SHORT) if what == "tmu" else (_NONE,)
    ratio = rf"{symbol}_i / {symbol}_{{\mathrm{{ref}},i}}"
    forms = (
        ("{}", "{}: {}", _UNITS[what], rf"\frac{{1}}{{N}} \sum_i {symbol}_i", "mean over tasks"),
        ("n{}", "N{}: {} over the reference's", "1", rf"\frac{{1}}{{N}} \sum_i {ratio}", "mean of ratios"),
        (
            "n{}_star",
            "N{}*: {}, ratio of sums",
            "1",
            rf"\sum_i {symbol}_i / \sum_i {symbol}_{{\mathrm{{ref}},i}}",
            "of the whole set",
        ),
        ("n{}_over_5", "N{} above 5: share of tasks ({})", "1", rf"N({ratio} > 5) / N", "share of tasks"),
        ("n{}_max", "Largest N{} ({})", "1", rf"\mathrm{{max}}_i\ {ratio}", "largest over tasks"),
    )
    for name, title, unit, latex, kind in forms:
        yield MetricDefinition(
            name.format(what),
            title.format(what.upper(), words),
            unit,
            latex,
            (*fields, "code.correct", "code.outcome"),
            withheld_when,
            f"{_PAPER}, as defined there; {kind}; {how}; right programs only, a task's right answers are "
            "averaged first; interval: tasks resampled, Wilson's for a share, none for the largest",
        )


DEFINITIONS = tuple(defined for what in _WORDS for defined in _definitions(what))


@dataclass(frozen=True, slots=True)
class Profile:
    """What a whole run took: seconds, MiB, MiB·s; null where it was not seen, or too short to sample."""

    et: float | None
    mu: float | None
    tmu: float | None
    n_memory_samples: int | None = None


def profile_of(runs: Sequence[CodeRun]) -> Profile | None:
    """Return the profile of a program's whole runs, the mean where there are several; null for none."""
    ended = [run for run in runs if run.purpose is Purpose.WHOLE and run.outcome is Outcome.RETURNED]
    if not ended:
        return None
    return Profile(
        _mean([run.wall_ns / NS_PER_S for run in ended if run.wall_ns is not None]),
        _mean([peak for run in ended if (peak := _peak_mib(run)) is not None]),
        _mean([run.memory_mib_s for run in ended if run.memory_mib_s is not None and _is_sampled(run)]),
        min((run.n_memory_samples for run in ended if run.n_memory_samples is not None), default=None),
    )


def as_defined(runs: Sequence[CodeRun], samples: Sequence[Sample] | None = None) -> dict[str, Value]:
    """Return the figures of `DEFINITIONS` of one model; ``samples`` spares finding them again.

    ``n`` of each is the number of tasks it is over. A run that a limit ended has no time and is left out.
    """
    right = right_by_problem(samples_of(runs) if samples is None else samples)
    whole = references(runs, Purpose.WHOLE)
    found: dict[str, Value] = {}
    for what in _WORDS:
        mine, reference = _columns(right, whole, _of(what))
        too_short = what == "tmu" and _sampled_too_rarely(right, whole)
        found |= _figures(what, mine, reference, too_short=too_short)
    return found


def task_ratios(runs: Sequence[CodeRun], what: str = "et") -> dict[str, float]:
    """Return the paper's per-task ratio of ``et``, ``mu`` or ``tmu`` by problem."""
    right, whole = right_by_problem(samples_of(runs)), references(runs, Purpose.WHOLE)
    mine, reference = _columns(right, whole, _of(what))
    return {task: mine[task] / reference[task] for task in mine if reference[task] > 0}


def _figures(
    what: str, mine: Mapping[str, float], reference: Mapping[str, float], *, too_short: bool
) -> dict[str, Value]:
    ratios = {task: mine[task] / reference[task] for task in mine if reference[task] > 0}
    found = {
        what: mean_of(mine, _UNITS[what], detail=_NO_RUN),
        f"n{what}": mean_of(ratios, "1", detail=_NO_RUN),
        f"n{what}_star": ratio_of_sums(mine, reference, "1", detail=_NO_RUN),
        f"n{what}_over_5": share_of(
            sum(r > FAR_SLOWER for r in ratios.values()), len(ratios), detail=_NO_RUN
        ),
        f"n{what}_max": largest_of(ratios, "1", detail=_NO_RUN),
    }
    if not too_short:
        return found
    detail = f"Fewer than {MIN_MEMORY_SAMPLES} samples of the memory lie within the runs of most tasks."
    return {
        name: withheld(v.unit, Reason.SHORTER_THAN_STEP, detail=detail, n=v.n) for name, v in found.items()
    }


def _columns(
    right: Mapping[str, Sequence[Sample]],
    whole: Mapping[str, Sequence[CodeRun]],
    of: Callable[[Profile], float | None],
) -> tuple[dict[str, float], dict[str, float]]:
    """Return a quantity of the right programs and of the reference, of the tasks that have both."""
    mine: dict[str, float] = {}
    reference: dict[str, float] = {}
    for problem, samples in right.items():
        theirs = profile_of(whole.get(problem, ()))
        known = [v for sample in samples if (p := profile_of(sample.runs)) and (v := of(p)) is not None]
        of_reference = None if theirs is None else of(theirs)
        if known and of_reference is not None:
            mine[problem], reference[problem] = math.fsum(known) / len(known), of_reference
    return mine, reference


def _sampled_too_rarely(
    right: Mapping[str, Sequence[Sample]], whole: Mapping[str, Sequence[CodeRun]]
) -> bool:
    """Tell whether so few tasks could be sampled that the others, the long ones, do not stand for them."""
    run = sampled = 0
    for problem, samples in right.items():
        profiles = [profile_of(whole.get(problem, ())), *(profile_of(sample.runs) for sample in samples)]
        seen = [p for p in profiles if p is not None and p.n_memory_samples is not None]
        if len(seen) > 1:
            run += 1
            sampled += all(p.tmu is not None for p in seen)
    return run > 0 and sampled < MIN_SAMPLED_SHARE * run


def _of(what: str) -> Callable[[Profile], float | None]:
    def quantity(profile: Profile) -> float | None:
        value: float | None = getattr(profile, what)
        return value

    return quantity


def _is_sampled(run: CodeRun) -> bool:
    return run.n_memory_samples is not None and run.n_memory_samples >= MIN_MEMORY_SAMPLES


def _peak_mib(run: CodeRun) -> float | None:
    if run.resident_bytes is None or run.peak_bytes is None:
        return None
    return (run.resident_bytes + run.peak_bytes) / MIB


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
