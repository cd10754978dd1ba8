"""Time and memory of generated code as EffiBench's paper defines them, over right code only.

The definitions are the paper's, the procedure is ours: theirs times the profiler's start, counts time-outs
as passes, and runs the reference apart from the candidate. What is better measured stands in `corrected`,
under other names: the two never share one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from joulemark.metrics.code.baseline import NS_PER_S
from joulemark.metrics.code.charged import charged
from joulemark.metrics.code.over_tasks import largest_of, mean_of, ratio_of_sums, share_of
from joulemark.metrics.code.sample import Sample, references, right_by_problem, samples_of
from joulemark.metrics.code.whole_profile import MIN_MEMORY_SAMPLES, Profile, beside, peak_mib, profile_of
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun, Outcome, Purpose
from joulemark.record.reason import Reason

MIN_SAMPLED_SHARE = 0.5
FAR_SLOWER = 5.0
_PAPER = "D. Huang et al., EffiBench (NeurIPS 2024)"
_NONE = "no right program was run on all tests in one process beside the reference"
_NO_RUN = "No right program and its reference were run on all tests in one process."
_SHORT = (
    "fewer than 5 samples of the memory lie within the run and its bounds are more than 10 % apart, for more "
    "than half of the tasks"
)
_LIMITED = "a right program did not end on all tests in one process: leaving it out would favour it"
HIT_LIMIT = (
    "{} of {} right programs did not end on all tests in one process, so what they take is not known; "
    "--timeout is for all of these together."
)
_WORDS = {"et": "execution time", "mu": "peak memory", "tmu": "memory over time"}
_SYMBOLS = {"et": "T", "mu": "M", "tmu": "A"}
_UNITS = {"et": "s", "mu": "MiB", "tmu": "MiB*s"}
_FIELDS = {
    "et": ("code.wall_ns", "code.cpu_around_ns", "code.wall_after_ns"),
    "mu": ("code.resident_bytes", "code.peak_bytes", "code.peak_before_bytes", "code.peak_after_bytes"),
    "tmu": (
        "code.memory_mib_s",
        "code.n_memory_samples",
        "code.wall_ns",
        "code.resident_bytes",
        "code.ended_bytes",
        "code.peak_bytes",
    ),
}
_HOW = {
    "et": "wall time of all tests one after another in one process",
    "mu": "largest resident memory, the interpreter's included, in MiB (the paper's MB)",
    "tmu": "time integral of the resident memory by trapezoids between samples from outside; of a run with "
    "fewer than 5, its time by the middle between the least of its start and end and its peak, where these "
    "are within 10 %",
}


def _definitions(what: str) -> Iterator[MetricDefinition]:
    symbol, words, how, fields = _SYMBOLS[what], _WORDS[what], _HOW[what], _FIELDS[what]
    withheld_when = (_NONE, _LIMITED, _SHORT) if what == "tmu" else (_NONE, _LIMITED)
    ratio = rf"{symbol}_i / {symbol}_{{\mathrm{{ref}},i}}"
    forms = (
        ("{}", "{}: {}, mean", _UNITS[what], rf"\frac{{1}}{{N}} \sum_i {symbol}_i", "mean over tasks"),
        (
            "n{}",
            "N{}: {} over the reference's, mean",
            "1",
            rf"\frac{{1}}{{N}} \sum_i {ratio}",
            "mean of ratios",
        ),
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
    "NET: lower bound of the mean",
    "1",
    r"\frac{1}{N} \sum_i T_i / T_{\mathrm{ref},i}",
    (*_FIELDS["et"], "code.limit_ns", "code.correct", "code.outcome"),
    (_NONE,),
    f"{_PAPER}, mean of ratios; a right program that a limit ended on all tests in one process enters with "
    "the time until then (the paper counts such programs as having passed); interval: tasks resampled",
)
DEFINITIONS = (*(defined for what in _WORDS for defined in _definitions(what)), AT_LEAST)


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


def sample_ratios(
    runs: Sequence[CodeRun], samples: Sequence[Sample], what: str
) -> dict[tuple[str, int], Seen]:
    """Return the paper's ratio of each right sample by problem and number; ``runs`` are `charged` rows."""
    whole = references(runs, Purpose.WHOLE)
    found = {}
    for problem, mine in right_by_problem(samples).items():
        for sample in mine:
            theirs = profile_of(beside(whole.get(problem, ()), sample.runs))
            reference = None if theirs is None else _of(what)(theirs)
            seen = _seen(sample, what)
            if reference and seen.value is not None:
                found[problem, sample.number] = Seen(seen.value / reference, seen.is_bound)
    return found


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
        theirs = profile_of(_beside_all(samples, whole.get(problem, ())))
        of_reference = None if theirs is None else of(theirs)
        if of_reference is None:
            continue
        known: list[float] = []
        bounds: list[float | None] = []
        for sample in samples:
            seen = _seen(sample, what)
            if seen.is_bound:
                n_limited += 1
                bounds.append(seen.value)
            elif seen.value is not None:
                known.append(seen.value)
                bounds.append(seen.value)
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


@dataclass(frozen=True, slots=True)
class Seen:
    """What a sample took, or took at least where a run did not end; null where that was not seen."""

    value: float | None
    is_bound: bool


def _seen(sample: Sample, what: str) -> Seen:
    profile = profile_of(sample.runs)
    value = None if profile is None else _of(what)(profile)
    failed = [run for run in sample.of(Purpose.WHOLE) if run.outcome is not Outcome.RETURNED]
    if not failed:
        return Seen(value, False)
    bounds = [bound for run in failed if (bound := _at_least(run, what)) is not None]
    return Seen(max([*bounds, *([] if value is None else [value])], default=None), True)


def _at_least(run: CodeRun, what: str) -> float | None:
    """Return what a run that did not end had taken at least; null where that was not seen."""
    if what == "et":
        limit_ns = run.limit_ns if run.outcome.is_censored else None
        seen_ns = max(run.wall_ns or 0, limit_ns or 0)
        return seen_ns / NS_PER_S if seen_ns else None
    return peak_mib(run) if what == "mu" else None


def _sampled_too_rarely(
    right: Mapping[str, Sequence[Sample]], whole: Mapping[str, Sequence[CodeRun]]
) -> bool:
    """Tell whether so few tasks could be sampled that the others, the long ones, do not stand for them."""
    run = sampled = 0
    for problem, samples in right.items():
        theirs = profile_of(_beside_all(samples, whole.get(problem, ())))
        profiles = [theirs, *(profile_of(sample.runs) for sample in samples)]
        seen = [p for p in profiles if p is not None]  # of a very short run no sample at all was taken
        if len(seen) > 1:
            run += 1
            sampled += all(p.tmu is not None for p in seen)
    return run > 0 and sampled < MIN_SAMPLED_SHARE * run


def _beside_all(samples: Sequence[Sample], reference: Sequence[CodeRun]) -> tuple[CodeRun, ...]:
    return beside(reference, [run for sample in samples for run in sample.runs])


def _of(what: str) -> Callable[[Profile], float | None]:
    def quantity(profile: Profile) -> float | None:
        value: float | None = getattr(profile, what)
        return value

    return quantity
