"""What a correct answer costs with the runs of its program, and when a dearer model pays back."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.bootstrap import MAX_EMPTY_SHARE, MIN_SCORED_ITEMS, resampled_sums, small_sample_tail
from joulemark.metrics.code.cost_definitions import COST_AT_METERED_RATE, COST_CPU, COST_MODELLED
from joulemark.metrics.code.machine_speed import LEAST_BAND, Speeds, speeds
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.code.run_time import mean_cpu_s, reference_side
from joulemark.metrics.code.sample import Sample, by_problem
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

RUNS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
DRIFTED = (
    "The references took {:.2f} times as long at one evaluation as at the other, beyond the band of a "
    "program with itself ({:.0%}): the machine had another speed. Evaluate both anew, one after the other."
)
UNKNOWN = (
    "{} answers that pass their tests were ended, or failed, on the scaled input, or returned a wrong result "
    "beyond their tests: what their runs cost is not known."
)


class CostKind(StrEnum):
    """Of what a cost is made; two kinds never meet in one sum or comparison.

    There is none of metered joules: no meter is read while programs run, so a cost with runs is modelled, by
    the rate that the meter saw while the engine worked or by watts that a user declares, or is CPU time.
    """

    AT_METERED_RATE = "modelled_at_metered_rate"
    MODELLED = "modelled"
    CPU = "cpu"

    @property
    def unit(self) -> str:
        """The unit of such a cost."""
        return "s" if self is CostKind.CPU else "J"

    @property
    def definition(self) -> MetricDefinition:
        """What the cost of an answer with its runs is."""
        return {
            CostKind.AT_METERED_RATE: COST_AT_METERED_RATE,
            CostKind.MODELLED: COST_MODELLED,
            CostKind.CPU: COST_CPU,
        }[self]


@dataclass(frozen=True, slots=True)
class TaskCost:
    """Cost of generating all answers to a problem, how many are right, and of running a right one once.

    ``run`` is null where no right answer was timed; ``size`` of the scaled input that it ran on.
    ``n_unknown``: answers that count as right and whose runs' cost is not known, see `unknown_costs`.
    ``reference_s``: CPU seconds of the reference beside the right answers, null where they are not known.
    """

    generate: float
    n_right: int
    run: float | None
    size: int | None = None
    n_unknown: int = 0
    reference_s: float | None = None


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What a model's answers cost by problem, in the unit of ``kind``.

    ``band``: how far a program's ratio to itself is from 1 at that evaluation, null where nobody measured it.
    """

    kind: CostKind
    tasks: Mapping[str, TaskCost]
    band: float | None = None

    @property
    def reference_s(self) -> dict[str, float]:
        """CPU seconds of the references by problem, where they are known."""
        return {p: task.reference_s for p, task in self.tasks.items() if task.reference_s is not None}


@dataclass(frozen=True, slots=True)
class BreakEven:
    """``dearer``: which of the two costs more to generate, 0 or 1; null where that is not known."""

    runs: Value
    dearer: int | None = None


def model_cost(
    samples: Sequence[Sample],
    paired: Sequence[PairedSample],
    generate: Mapping[str, float],
    kind: CostKind,
    *,
    per_cpu_second: float = 1.0,
    band: float | None = None,
) -> ModelCost:
    """Return the costs of a model's answers; ``band``: the A/A band of their evaluation.

    ``generate``: what all answers to a problem took together, in the unit of ``kind``; problems without it
    are left out. ``per_cpu_second``: joules of a CPU-second (as metered or declared); 1 for `CostKind.CPU`.
    Answers of `unknown_costs` have no cost of a run.
    """
    if kind is CostKind.CPU and per_cpu_second != 1.0:
        raise ValueError("CPU-seconds are not converted")
    runs, references = mean_cpu_s(paired), mean_cpu_s(paired, reference_side)
    sizes = {one.problem: one.size for one in paired if one.problem in runs}
    unknown = unknown_costs(samples, paired)
    tasks = {}
    for problem, mine in by_problem(samples).items():
        if problem in generate:
            run = runs[problem] * per_cpu_second if problem in runs else None
            n_right = sum(sample.passed is True for sample in mine)
            tasks[problem] = TaskCost(
                generate[problem], n_right, run, sizes.get(problem), unknown[problem], references.get(problem)
            )
    return ModelCost(kind, tasks, band)


def unknown_costs(samples: Sequence[Sample], paired: Sequence[PairedSample]) -> Counter[str]:
    """Return by problem how many answers count as right although nobody knows what a run of them costs.

    A limit ended them on the scaled input, or they failed there, or they returned a wrong result beyond their
    tests, so that their time is that of another task. Without them the rest would look cheaper.
    """
    ended = Counter(one.problem for one in paired if one.ratio.n_censored or one.has_failed)
    return ended + Counter(sample.problem for sample in samples if sample.is_wrong_beyond_tests)


def cost_with_runs(model: ModelCost, n_runs: float) -> Value:
    """Return the cost per right answer with ``n_runs`` runs of its program; ``n``: problems."""
    return cost_curve(model, (n_runs,))[0][1]


def cost_curve(model: ModelCost, runs: Sequence[float] = RUNS) -> tuple[tuple[float, Value], ...]:
    """Return the cost per right answer for each number of runs."""
    unit, n = model.kind.unit, len(model.tasks)
    if n_unknown := sum(task.n_unknown for task in model.tasks.values()):
        none = withheld(unit, Reason.NOT_MEASURED, detail=UNKNOWN.format(n_unknown), n=n)
        return tuple((count, none) for count in runs)
    columns = _columns(model, list(model.tasks))
    generate, right, run, timed = (float(column.sum()) for column in columns)
    if not right or not timed:
        reason = Reason.NOT_MEASURED if right else Reason.NOTHING_CORRECT
        detail = "No right answer was timed." if right else ""
        return tuple((count, withheld(unit, reason, detail=detail, n=n)) for count in runs)
    points = [(count, generate / right + count * run / timed) for count in runs]
    if n < MIN_SCORED_ITEMS:
        return tuple((c, Value(p, unit, n=n, interval_reason=Reason.TOO_FEW_ITEMS)) for c, p in points)
    drawn = resampled_sums(columns)
    filled = (drawn[1] > 0) & (drawn[3] > 0)
    if 1 - float(filled.mean()) > MAX_EMPTY_SHARE:
        empty = Reason.TOO_MANY_EMPTY_RESAMPLES
        return tuple((c, Value(p, unit, n=n, interval_reason=empty)) for c, p in points)
    fixed, each = (drawn[0] / drawn[1].clip(1))[filled], (drawn[2] / drawn[3].clip(1))[filled]
    tail = small_sample_tail(n)
    found = []
    for count, point in points:
        lo, hi = np.quantile(fixed + count * each, (tail, 1 - tail))
        found.append((count, Value(point, unit, float(lo), float(hi), "ci95", n=n)))
    return tuple(found)


def break_even(first: ModelCost, second: ModelCost) -> BreakEven:
    """Return after how many runs of each answer the model that is dearer to generate has paid back.

    Generation is compared over the problems that both were asked, runs over those that both solved. Raises
    ``ValueError`` for costs of two kinds.
    """
    if first.kind is not second.kind:
        raise ValueError(f"{first.kind} and {second.kind} costs are not compared")
    asked = [problem for problem in first.tasks if problem in second.tasks]
    solved = [p for p in asked if first.tasks[p].n_right and second.tasks[p].n_right]
    if n_unknown := sum(model.tasks[p].n_unknown for p in solved for model in (first, second)):
        none = withheld("runs", Reason.NOT_MEASURED, detail=UNKNOWN.format(n_unknown), n=len(solved))
        return BreakEven(none)
    both = [p for p in asked if None not in (first.tasks[p].run, second.tasks[p].run)]
    n = len(both)
    if not both:
        detail = "No problem was solved and timed by both models."
        return BreakEven(withheld("runs", Reason.NOT_MEASURED, detail=detail, n=0))
    n_other = sum(first.tasks[p].size != second.tasks[p].size for p in both)
    if n_other:
        detail = f"{n_other} of {n} problems were timed on inputs of another size: evaluate both anew here."
        return BreakEven(withheld("runs", Reason.NOT_APPLICABLE, detail=detail, n=n))
    of_both = [{p: s for p, s in one.reference_s.items() if p in both} for one in (first, second)]
    speed = speeds(*of_both)
    band = max(first.band or 0.0, second.band or 0.0, LEAST_BAND)
    if speed.differ(band):
        detail = DRIFTED.format(max(speed.slower, 1 / speed.slower), band)
        return BreakEven(withheld("runs", Reason.NOT_APPLICABLE, detail=detail, n=n))
    first, second = _at_one_speed(first, speed, 0), _at_one_speed(second, speed, 1)
    columns = [*_columns(first, asked, both)[:3], *_columns(second, asked, both)]
    sums = [np.array([float(column.sum())]) for column in columns]
    generate_more, run_less = _differences(sums)
    dearer = 0 if generate_more[0] > 0 else 1
    sign = 1.0 if dearer == 0 else -1.0
    if not sign * run_less[0] > 0:
        detail = "The model that is dearer to generate writes code that is no cheaper to run: it never does."
        return BreakEven(withheld("runs", Reason.NOT_APPLICABLE, detail=detail, n=n), dearer)
    point = abs(float(generate_more[0] / run_less[0]))
    if n < MIN_SCORED_ITEMS:
        return BreakEven(Value(point, "runs", n=n, interval_reason=Reason.TOO_FEW_ITEMS), dearer)
    drawn = resampled_sums(columns)
    found = _with_interval(point, *_differences(drawn), sign=sign, n=n)
    if found.lo is not None and found.hi is not None:
        found = replace(found, lo=found.lo / speed.either_way, hi=found.hi * speed.either_way)
    return BreakEven(found, dearer)


def _at_one_speed(model: ModelCost, speed: Speeds, which: int) -> ModelCost:
    """Return the costs with what runs take at the speed between both evaluations; ``which`` of them."""
    tasks = {
        p: task if task.run is None else replace(task, run=task.run * speed.factors(p)[which])
        for p, task in model.tasks.items()
    }
    return replace(model, tasks=tasks)


def _differences(
    sums: Sequence[NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how much more the first costs to generate, and how much less to run; not a number for none."""
    generate_a, right_a, run_a, generate_b, right_b, run_b, timed = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        return generate_a / right_a - generate_b / right_b, (run_b - run_a) / timed


def _with_interval(
    point: float, generate_more: NDArray[np.float64], run_less: NDArray[np.float64], *, sign: float, n: int
) -> Value:
    dear, saved = sign * generate_more, sign * run_less
    known = np.isfinite(dear) & np.isfinite(saved)
    if 1 - float(known.mean()) > MAX_EMPTY_SHARE:
        return Value(point, "runs", n=n, interval_reason=Reason.TOO_MANY_EMPTY_RESAMPLES)
    dear, saved = dear[known], saved[known]
    runs = np.full(len(dear), math.inf)
    pays = saved > 0
    runs[pays] = np.maximum(dear[pays], 0.0) / saved[pays]
    runs.sort()
    tail = small_sample_tail(n)
    lo, hi = (float(runs[min(round(q * len(runs)), len(runs) - 1)]) for q in (tail, 1 - tail))
    if math.isinf(hi):
        never = 100 * (1 - float(pays.mean()))
        detail = f"In {never:.0f} % of resamples it never pays back"
        detail += "." if math.isinf(lo) else f", and in 97.5 % not before {lo:.0f} runs."
        return Value(point, "runs", n=n, interval_reason=Reason.NOT_APPLICABLE, detail=detail)
    return Value(point, "runs", lo, hi, "ci95", n=n)


def _columns(
    model: ModelCost, problems: Sequence[str], timed: Sequence[str] | None = None
) -> list[NDArray[np.float64]]:
    """Return generation, right answers, runs and whether timed, float64[problems] each."""
    chosen = {p for p, task in model.tasks.items() if task.run is not None} if timed is None else set(timed)
    tasks = [model.tasks[problem] for problem in problems]
    marks = [problem in chosen for problem in problems]
    return [
        np.array([task.generate for task in tasks], np.float64),
        np.array([task.n_right for task in tasks], np.float64),
        np.array([(task.run or 0.0) * mark for task, mark in zip(tasks, marks, strict=True)], np.float64),
        np.array(marks, np.float64),
    ]
