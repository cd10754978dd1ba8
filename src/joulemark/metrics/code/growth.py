"""How CPU time grows with the size of the input: the exponent of a power law, the same on any machine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.code.baseline import Baseline, call_ns
from joulemark.metrics.code.outside_call import work_outside_ns
from joulemark.metrics.code.over_tasks import mean_of, share_of
from joulemark.metrics.code.pairs import Pair, growth_pairs
from joulemark.metrics.code.sample import Sample, references
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.student import t_95_from_one
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun, Outcome, Purpose
from joulemark.record.reason import Reason

MIN_SIZES = 4
SLOWER = 2.0  # sizes double: a program less far behind was stopped where the reference would soon be, too
NEAR_FLOOR = 10.0  # a time below ten floors is off by a tenth and more
MIN_SPAN = 3.0  # of the sizes: over less, noise of a tenth moves the exponent by more than 0.1
LOAD_SHARE = 0.1  # of a call at the largest size: hidden there, it would flatten growth by less than 0.05
_NOISE = 0.03  # relative error of a time at one size, at the least
_GROWTH = "code.size"
_SOURCE = (
    "this project: least squares of log CPU time (median of the runs of a size, baseline taken off) on log "
    "size, weighted by how far a time is above the clock's floor; interval: Student's t with sizes - 2 "
    "degrees of freedom, so a growth that is no power law widens it; each time is taken to be off by 3 % at "
    "least"
)
_WHEN = (
    "fewer than 4 sizes were run to their end, or times of fewer are ten times above the clock's floor",
    "the largest size is less than 3 times the smallest",
    "every run of a larger size took a tenth less than every run of a smaller one",
    "it takes 0.3 ms more to load than the reference, and a tenth of its call at the largest size",
)
_NONE = "no right program was run at four sizes beside the reference"
_SLOW = (
    "a right program did not end on the scaled input, was too slow for four sizes, took less at a larger "
    "one, or does its work while it is loaded: leaving it out would favour it"
)
_FALLS = (
    "It took less time at a larger size than at a smaller one, so its time grows by no power of the size."
)
_AT_LOAD = (
    "Its time lies in what it makes at import ({:.2g} ms more than the reference), so its calls do not tell "
    "how it grows."
)
_NOT_ENDED = "It did not end on the scaled input, so it was run at no other size."

EXPONENT = MetricDefinition(
    "growth_exponent",
    "Exponent of growth with input size",
    "1",
    r"b \text{ of } \mathrm{log}\ t_n = a + b\ \mathrm{log}\ n",
    ("code.cpu_ns", "code.cpu_around_ns", _GROWTH, "code_baseline_cpu_s"),
    _WHEN,
    _SOURCE,
)
EXCESS = MetricDefinition(
    "growth_excess",
    "Exponent of growth above the reference's",
    "1",
    r"b \text{ of } \mathrm{log}(t_n / t_{\mathrm{ref},n}) = a + b\ \mathrm{log}\ n",
    ("code.cpu_ns", "code.cpu_around_ns", _GROWTH, "code_baseline_cpu_s"),
    _WHEN,
    f"{_SOURCE}; both on the same sizes, of runs next to each other the median of the ratios",
)
MEAN_EXCESS = MetricDefinition(
    "growth_excess_mean",
    "Exponent of growth above the reference's (0: grows alike), mean over tasks",
    "1",
    r"\frac{1}{N} \sum_i (b_i - b_{\mathrm{ref},i})",
    ("growth_excess",),
    (_NONE, _SLOW),
    "this project; a task's right answers are averaged first; interval: tasks resampled",
)
WORSE_SHARE = MetricDefinition(
    "grows_faster_share",
    "Share of tasks that grow faster than the reference",
    "1",
    r"N(b_i > b_{\mathrm{ref},i} \text{ beyond the interval}) / N",
    ("growth_excess",),
    (_NONE, _SLOW),
    "this project; interval: Wilson's",
)
DEFINITIONS = (EXPONENT, EXCESS, MEAN_EXCESS, WORSE_SHARE)


@dataclass(frozen=True, slots=True)
class Growth:
    """The exponent of a sample, the reference's, and how far it is above that.

    ``is_too_slow``: the excess is not known because the program did not end, was far slower than the
    reference, slower at a small size than at a large one, or works while it is loaded, so that leaving it out
    would favour it.
    """

    problem: str
    number: int
    exponent: Value
    reference: Value
    excess: Value
    is_too_slow: bool = False


def growth_of(samples: Sequence[Sample], runs: Sequence[CodeRun], baseline: Baseline) -> tuple[Growth, ...]:
    """Return the growth of each right sample that was run for it, or that did not end on the scaled input."""
    by_reference, by_pair = references(runs, Purpose.GROWTH), growth_pairs(runs)
    found = []
    for sample in samples:
        mine = sample.of(Purpose.GROWTH)
        theirs = by_reference.get(sample.problem, ())
        if sample.counts_for_cost and mine:
            pairs = by_pair.get((sample.problem, sample.number), ())
            at_load_ns = _at_load_ns(mine, pairs, baseline)
            if at_load_ns > 0:
                own = above = withheld("1", Reason.NOT_MEASURED, detail=_AT_LOAD.format(at_load_ns / 1e6))
                is_too_slow = True
            else:
                own, above = exponent(mine, baseline), excess(mine, theirs, baseline, pairs)
                is_too_slow = above.value is None and (_is_too_slow(mine, theirs) or _falls(mine, baseline))
        elif sample.counts_for_cost and _ended_on_pairs(sample):
            own = above = withheld("1", Reason.NOT_MEASURED, detail=_NOT_ENDED, n=0)
            is_too_slow = True
        else:
            continue
        reference = exponent(theirs, baseline)
        found.append(Growth(sample.problem, sample.number, own, reference, above, is_too_slow))
    return tuple(found)


def _at_load_ns(runs: Sequence[CodeRun], pairs: Sequence[Pair], baseline: Baseline) -> float:
    """Return what a program takes to load beyond the reference, 0 where that hides no growth.

    No input is there yet: what is made then takes the same at every size, and is missing in the calls.
    """
    at_load_ns = work_outside_ns(pairs)
    times = [float(np.median(times)) for times in _all_by_size(runs, baseline).values()]
    return at_load_ns if at_load_ns > LOAD_SHARE * max(times, default=0.0) else 0.0


def _ended_on_pairs(sample: Sample) -> bool:
    return any(run.outcome is not Outcome.RETURNED for run in sample.of(Purpose.PAIRED))


def growth_figures(found: Sequence[Growth]) -> dict[str, Value]:
    """Return the figures over tasks; withheld where a right program was too slow to tell its growth."""
    detail = "No right program was run at four sizes beside the reference."
    by_task: dict[str, list[Value]] = {}
    for one in found:
        if one.excess.value is not None:
            by_task.setdefault(one.problem, []).append(one.excess)
    if n_slow := sum(one.is_too_slow for one in found):
        detail = (
            f"{n_slow} of {len(found)} right programs did not end on the scaled input, were too slow for "
            "four sizes, took less at a larger one, or do their work while they are loaded: leaving them out "
            "would favour them."
        )
        unknown = withheld("1", Reason.NOT_MEASURED, detail=detail, n=len(by_task))
        return {"growth_excess_mean": unknown, "grows_faster_share": unknown}
    means = {task: math.fsum(v.value or 0.0 for v in mine) / len(mine) for task, mine in by_task.items()}
    worse = math.fsum(
        sum(v.lo is not None and v.lo > 0 for v in mine) / len(mine) for mine in by_task.values()
    )
    return {
        "growth_excess_mean": mean_of(means, "1", detail=detail),
        "grows_faster_share": share_of(worse, len(means), detail=detail),
    }


def _is_too_slow(runs: Sequence[CodeRun], reference: Sequence[CodeRun]) -> bool:
    """Tell whether a program without an exponent failed, or took over twice the reference's time at the last.

    A failure at a size at which the reference fails as well is the problem's.
    """
    lost = {run.size for run in reference if run.outcome is not Outcome.RETURNED}
    if any(run.outcome is not Outcome.RETURNED and run.size not in lost for run in runs):
        return True
    last = max((run.size or 0 for run in runs), default=0)
    mine = [run.cpu_ns for run in runs if run.size == last and run.cpu_ns is not None]
    theirs = [run.cpu_ns for run in reference if run.size == last and run.cpu_ns is not None]
    return bool(mine and theirs) and min(mine) > SLOWER * min(theirs)


def exponent(runs: Sequence[CodeRun], baseline: Baseline) -> Value:
    """Return the exponent of CPU time over size of one program's `Purpose.GROWTH` runs; ``n``: sizes.

    Every run of a size has an input of its own, so it is their median: the least would be that of the kindest
    input, which is kinder the smaller inputs are. Who takes less at a larger size follows no power.
    """
    if _falls(runs, baseline):
        return withheld("1", Reason.NOT_MEASURED, detail=_FALLS)
    times = times_by_size(runs, baseline)
    logs = {size: math.log(time) for size, time in times.items()}
    return _fit(logs, {size: (baseline.floor_ns / time) ** 2 for size, time in times.items()})


def excess(
    runs: Sequence[CodeRun], reference: Sequence[CodeRun], baseline: Baseline, pairs: Sequence[Pair] = ()
) -> Value:
    """Return how far a program's exponent is above the reference's, on the sizes that both were run at.

    The ratio of the two is fitted, so what a size has of its own (a kind input, a slow hour) drops out. Of
    ``pairs``, runs next to each other, it is the median of the paired ratios, which halves the error on a
    machine of changing speed; else that of the medians.
    """
    if _falls(runs, baseline):
        return withheld("1", Reason.NOT_MEASURED, detail=_FALLS)
    mine, theirs = times_by_size(runs, baseline), times_by_size(reference, baseline)
    shared = [size for size in mine if size in theirs]
    paired = _paired_logs(pairs, baseline)
    by_pairs = all(size in paired for size in shared)
    logs = {size: paired[size] if by_pairs else math.log(mine[size] / theirs[size]) for size in shared}
    floor = baseline.floor_ns
    return _fit(logs, {size: (floor / mine[size]) ** 2 + (floor / theirs[size]) ** 2 for size in shared})


def times_by_size(runs: Sequence[CodeRun], baseline: Baseline) -> dict[int, float]:
    """Return the median time of the runs of each size, in ns.

    Sizes at which a run was ended by a limit or failed, and those near the clock's floor, are left out.
    """
    middle = {size: float(np.median(times)) for size, times in _all_by_size(runs, baseline).items()}
    least_ns = NEAR_FLOOR * baseline.floor_ns
    return {size: time for size, time in middle.items() if time >= least_ns}


def _all_by_size(runs: Sequence[CodeRun], baseline: Baseline) -> dict[int, list[float]]:
    """Return the times of the runs of each size that all ended, in ns, smallest size first."""
    found: dict[int, list[float]] = {}
    left_out: set[int] = set()
    for run in runs:
        time_ns = call_ns(run, baseline)
        if run.size is None or run.size <= 0:
            continue
        if run.outcome is not Outcome.RETURNED or time_ns is None:
            left_out.add(run.size)
            continue
        found.setdefault(run.size, []).append(time_ns)
    return {size: times for size, times in sorted(found.items()) if size not in left_out}


def _falls(runs: Sequence[CodeRun], baseline: Baseline) -> bool:
    """Tell whether all runs of a size took a tenth less than all of a smaller one, which is no chance."""
    slowest_least = 0.0
    for times in _all_by_size(runs, baseline).values():
        if max(times) < 0.9 * slowest_least:
            return True
        slowest_least = max(slowest_least, min(times))
    return False


def _paired_logs(pairs: Sequence[Pair], baseline: Baseline) -> dict[int, float]:
    found: dict[int, list[float]] = {}
    for pair in pairs:
        top = call_ns(pair.candidate, baseline)
        bottom = call_ns(pair.reference, baseline)
        if pair.candidate.size is not None and top is not None and bottom is not None:
            found.setdefault(pair.candidate.size, []).append(math.log(top / bottom))
    return {size: float(np.median(logs)) for size, logs in found.items()}


def _fit(logs: Mapping[int, float], floors: Mapping[int, float]) -> Value:
    """Fit logarithms by size; ``floors`` are the squared relative errors that the clock's floor makes."""
    n = len(logs)
    if n < MIN_SIZES:
        detail = f"{MIN_SIZES} sizes are needed that end, with times well above the clock's floor; {n} did."
        return withheld("1", Reason.NOT_MEASURED, detail=detail, n=n)
    if max(logs) < MIN_SPAN * min(logs):
        detail = "The sizes are too close together to tell how time grows."
        return withheld("1", Reason.NOT_MEASURED, detail=detail, n=n)
    x = np.log(np.array(list(logs), np.float64))
    y = np.array(list(logs.values()), np.float64)
    slope, error = _slope(x, y, 1.0 / (_NOISE**2 + np.array([floors[size] for size in logs], np.float64)))
    half = t_95_from_one(n - 2) * error
    return Value(slope, "1", slope - half, slope + half, "ci95", n=n)


def _slope(
    x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the weighted slope and its standard error: from the residuals, at least that of `_NOISE`."""
    total = weights.sum()
    dx = x - (weights * x).sum() / total
    dy = y - (weights * y).sum() / total
    spread = (weights * dx * dx).sum()
    slope = (weights * dx * dy).sum() / spread
    left = (weights * (dy - slope * dx) ** 2).sum() / (len(x) - 2)
    # points that lie on a line by luck do not make the slope exact
    return float(slope), math.sqrt(max(1.0, float(left)) / float(spread))
