"""Time and memory of generated code as EffiBench's paper defines them, over right code only.

The definitions are the paper's, the procedure is ours: theirs times the profiler's start, counts time-outs
as passes, and runs the reference apart from the candidate. What is better measured stands in `corrected`,
under other names: the two never share one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from joulemark.metrics.code.baseline import MIB, NS_PER_S
from joulemark.metrics.code.charged import charged
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
_LIMITED = "a right program did not end on all tests in one process: leaving it out would favour it"
HIT_LIMIT = "{} of {} right programs did not end on all tests in one process, so what they take is not known."
_WORDS = {"et": "execution time", "mu": "peak memory", "tmu": "memory over time"}
_SYMBOLS = {"et": "T", "mu": "M", "tmu": "A"}
_UNITS = {"et": "s", "mu": "MiB", "tmu": "MiB*s"}
_FIELDS = {
    "et": ("code.wall_ns", "code.cpu_around_ns", "code.wall_after_ns"),
    "mu": ("code.resident_bytes", "code.peak_bytes", "code.peak_before_bytes", "code.peak_after_bytes"),
    "tmu": ("code.memory_mib_s", "code.n_memory_samples"),
}
_HOW = {
    "et": "wall time of all tests one after another in one process",
    "mu": "largest resident memory, the interpreter's included, in MiB (the paper's MB)",
    "tmu": "time integral of the resident memory by trapezoids between samples from outside",
}


def _definitions(what: str) -> Iterator[MetricDefinition]:
    symbol, words, how, fields = _SYMBOLS[what], _WORDS[what], _HOW[what], _FIELDS[what]
    withheld_when = (_NONE, _LIMITED, _SHORT) if what == "tmu" else (_NONE, _LIMITED)
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
            "averaged first; work before the start and after the end of the calls that is more than the "
            "reference's is in it; interval: tasks resampled, Wilson's for a share, none for the largest",
        )


AT_LEAST = MetricDefinition(
    "net_at_least",
    "NET: lower bound",
    "1",
    r"\frac{1}{N} \sum_i T_i / T_{\mathrm{ref},i}",
    (*_FIELDS["et"], "code.limit_ns", "code.correct", "code.outcome"),
    (_NONE,),
    f"{_PAPER}, mean of ratios; a right program that a limit ended on all tests in one process enters with "
    "the time until then (the paper counts such programs as having passed); interval: tasks resampled",
)
DEFINITIONS = (*(defined for what in _WORDS for defined in _definitions(what)), AT_LEAST)


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


@dataclass(frozen=True, slots=True)
class _Columns:
    """A quantity by task: of right programs whose runs all ended, of the reference, and as lower bounds.

    ``bounds``: of every task, what was seen of a program that did not end taken for the whole; null where
    nothing was. ``n_limited`` of ``n_programs`` right programs did not end.
    """

    mine: dict[str, float]
    reference: dict[str, float]
    bounds: dict[str, float | None]
    n_limited: int
    n_programs: int

    @property
    def ratios(self) -> dict[str, float]:
        """The ratio of each task that is known."""
        return {task: mine / self.reference[task] for task, mine in self.mine.items() if self._has(task)}

    @property
    def ratio_bounds(self) -> dict[str, float | None]:
        """The ratio of each task, or a lower bound of it; null where none is known."""
        return {
            task: None if bound is None else bound / self.reference[task]
            for task, bound in self.bounds.items()
            if self._has(task)
        }

    def _has(self, task: str) -> bool:
        return self.reference[task] > 0


def as_defined(runs: Sequence[CodeRun], samples: Sequence[Sample] | None = None) -> dict[str, Value]:
    """Return the figures of `DEFINITIONS` of one model; ``samples`` (of `charged` rows) spares finding them.

    ``n`` of each is the number of tasks it is over. Where a right program did not end on all tests, means and
    the largest are withheld; ``net_at_least`` and the shares above 5 take what was seen of it.
    """
    rows = charged(runs)
    right = right_by_problem(samples_of(rows) if samples is None else samples)
    whole = references(rows, Purpose.WHOLE)
    found: dict[str, Value] = {}
    for what in _WORDS:
        columns = _columns(right, whole, what)
        too_short = what == "tmu" and _sampled_too_rarely(right, whole)
        found |= _figures(what, columns, too_short=too_short)
    return found


def task_ratios(runs: Sequence[CodeRun], what: str = "et") -> dict[str, float]:
    """Return the paper's per-task ratio of ``et``, ``mu`` or ``tmu`` by problem."""
    rows = charged(runs)
    return _columns(right_by_problem(samples_of(rows)), references(rows, Purpose.WHOLE), what).ratios


def _figures(what: str, columns: _Columns, *, too_short: bool) -> dict[str, Value]:
    ratios, bounds = columns.ratios, columns.ratio_bounds
    found = {
        what: mean_of(columns.mine, _UNITS[what], detail=_NO_RUN),
        f"n{what}": mean_of(ratios, "1", detail=_NO_RUN),
        f"n{what}_star": ratio_of_sums(columns.mine, columns.reference, "1", detail=_NO_RUN),
        f"n{what}_max": largest_of(ratios, "1", detail=_NO_RUN),
    }
    if columns.n_limited:
        detail = HIT_LIMIT.format(columns.n_limited, columns.n_programs)
        detail += " See the lower bound." if what == "et" else ""
        found = _withheld(found, Reason.NOT_MEASURED, detail)
    found[f"n{what}_over_5"] = _over(ratios, bounds)
    if what == "et":
        seen = {task: bound for task, bound in bounds.items() if bound is not None}
        found[AT_LEAST.name] = mean_of(seen, "1", detail=_NO_RUN)
    if too_short:
        detail = f"Fewer than {MIN_MEMORY_SAMPLES} samples of the memory lie within the runs of most tasks."
        found = _withheld(found, Reason.SHORTER_THAN_STEP, detail)
    return found


def _over(ratios: Mapping[str, float], bounds: Mapping[str, float | None]) -> Value:
    """Return the share of tasks above 5; withheld where one did not end before what it took told."""
    untold = sum(task not in ratios and (bound or 0.0) <= FAR_SLOWER for task, bound in bounds.items())
    if untold:
        detail = f"Programs of {untold} tasks did not end, and had not taken five times as much by then."
        return withheld("1", Reason.NOT_MEASURED, detail=detail, n=len(bounds))
    above = sum(bound is not None and bound > FAR_SLOWER for bound in bounds.values())
    return share_of(above, len(bounds), detail=_NO_RUN)


def _withheld(found: Mapping[str, Value], reason: Reason, detail: str) -> dict[str, Value]:
    return {name: withheld(v.unit, reason, detail=detail, n=v.n) for name, v in found.items()}


def _columns(
    right: Mapping[str, Sequence[Sample]], whole: Mapping[str, Sequence[CodeRun]], what: str
) -> _Columns:
    """Return a quantity of the right programs and of the reference, of the tasks in which that ended."""
    of = _of(what)
    found = _Columns({}, {}, {}, 0, 0)
    n_limited = n_programs = 0
    for problem, samples in right.items():
        theirs = profile_of(whole.get(problem, ()))
        of_reference = None if theirs is None else of(theirs)
        if of_reference is None:
            continue
        known: list[float] = []
        bounds: list[float | None] = []
        for sample in samples:
            profile = profile_of(sample.runs)
            value = None if profile is None else of(profile)
            failed = [run for run in sample.of(Purpose.WHOLE) if run.outcome is not Outcome.RETURNED]
            if failed:
                n_limited += 1
                seen = [bound for run in failed if (bound := _at_least(run, what)) is not None]
                bounds.append(max([*seen, *([] if value is None else [value])], default=None))
            elif value is not None:
                known.append(value)
                bounds.append(value)
        n_programs += len(bounds)
        if not bounds:
            continue
        found.reference[problem] = of_reference
        if len(known) == len(bounds):
            found.mine[problem] = math.fsum(known) / len(known)
        # nothing was seen of some: what is known of the others, shared out over all, is a bound too
        seen_all = [bound for bound in bounds if bound is not None]
        found.bounds[problem] = math.fsum(seen_all) / len(bounds) if seen_all else None
    return replace(found, n_limited=n_limited, n_programs=n_programs)


def _at_least(run: CodeRun, what: str) -> float | None:
    """Return what a run that did not end had taken at least; null where that was not seen."""
    if what == "et":
        limit_ns = run.limit_ns if run.outcome.is_censored else None
        seen_ns = max(run.wall_ns or 0, limit_ns or 0)
        return seen_ns / NS_PER_S if seen_ns else None
    return _peak_mib(run) if what == "mu" else None


def _sampled_too_rarely(
    right: Mapping[str, Sequence[Sample]], whole: Mapping[str, Sequence[CodeRun]]
) -> bool:
    """Tell whether so few tasks could be sampled that the others, the long ones, do not stand for them."""
    run = sampled = 0
    for problem, samples in right.items():
        profiles = [profile_of(whole.get(problem, ())), *(profile_of(sample.runs) for sample in samples)]
        seen = [p for p in profiles if p is not None]  # of a very short run no sample at all was taken
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
