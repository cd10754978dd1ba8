"""What a correct answer costs with the runs of its program, and when a dearer model pays back."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.bootstrap import MAX_EMPTY_SHARE, MIN_SCORED_ITEMS, resampled_sums, small_sample_tail
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.code.run_time import mean_cpu_s
from joulemark.metrics.code.sample import Sample, by_problem
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

RUNS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
_NONE = (
    "no answer was right",
    "no right answer was timed",
    "a right answer was ended, or failed, on the scaled input: leaving it out would favour the model",
)
ENDED = "{} right answers were ended, or failed, on the scaled input: what their runs cost is not known."
_LATEX = r"\sum_p g_p / \sum_p c_p + N \cdot \frac{1}{P} \sum_p r_p"
_WHAT = (
    "this project: cost of all generations, wrong ones too, per right answer, and N runs on the scaled "
    "input, mean over tasks; interval: tasks resampled"
)


def _cost(name: str, title: str, unit: str, inputs: tuple[str, ...], note: str) -> MetricDefinition:
    return MetricDefinition(name, title, unit, _LATEX, inputs, _NONE, f"{_WHAT}; {note}")


COST_AT_METERED_RATE = _cost(
    "cost_with_runs_at_metered_rate_j",
    "Modelled joules per correct answer with N runs, at the metered rate",
    "J",
    ("attribution.joules", "items.cpu_s", "code.cpu_ns", "code.correct"),
    "both parts modelled: CPU time of the engine and of the program, times the joules that a CPU-second took "
    "by the meter of the processors while the engine worked; never beside metered joules; the bound of that "
    "rate is not in the interval and stands beside it",
)
RUN_AT_METERED_RATE = MetricDefinition(
    "run_at_metered_rate_j",
    "Modelled joules of one run of a program, at the metered rate",
    "J",
    r"\frac{E}{t_\mathrm{engine}} \cdot \frac{1}{P} \sum_p t_p",
    ("attribution.joules", "items.cpu_s", "code.cpu_ns"),
    ("no meter saw the processors that programs run on", "no right answer was timed"),
    "this project: CPU time of one run on the scaled input, mean over problems, times the joules of a "
    "CPU-second; modelled, for no meter was read while it ran: a program may draw other power than an "
    "engine; bound: that of the rate",
)
COST_MODELLED = _cost(
    "cost_with_runs_modelled_j",
    "Modelled joules per correct answer with N runs, at declared watts",
    "J",
    ("code.cpu_ns", "code.correct", "rates.watts"),
    "both parts modelled: declared watts times time; never beside metered joules",
)
COST_CPU = _cost(
    "cost_with_runs_cpu_s",
    "CPU-seconds per correct answer with N runs",
    "s",
    ("items.cpu_s", "code.cpu_ns", "code.correct"),
    "where no watts are known: CPU time of the engine and of the program",
)
BREAK_EVEN = MetricDefinition(
    "break_even_runs",
    "Runs after which the dearer model pays back",
    "runs",
    r"(g_\mathrm{dear} - g_\mathrm{cheap}) / (r_\mathrm{cheap} - r_\mathrm{dear})",
    ("cost_with_runs_at_metered_rate_j", "cost_with_runs_modelled_j", "cost_with_runs_cpu_s"),
    (
        "the dearer model's programs take no less to run: it never pays back",
        "no problem was solved and timed by both",
        "a right answer to a problem that both solved was ended, or failed, on the scaled input",
        "a problem that both solved was timed on inputs of two sizes",
    ),
    "this project: g the cost to generate per right answer, over the problems that both were asked; r that "
    "of one run, mean over the problems that both solved; interval: problems resampled jointly, none where "
    "more than 2.5 % of resamples never pay back",
)
DEFINITIONS = (COST_AT_METERED_RATE, RUN_AT_METERED_RATE, COST_MODELLED, COST_CPU, BREAK_EVEN)


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

    ``run`` is null where no right answer was timed; ``size`` of the scaled input that it ran on. ``n_ended``:
    right answers that came to no end on it.
    """

    generate: float
    n_right: int
    run: float | None
    size: int | None = None
    n_ended: int = 0


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What a model's answers cost by problem, in the unit of ``kind``."""

    kind: CostKind
    tasks: Mapping[str, TaskCost]


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
) -> ModelCost:
    """Return the costs of a model's answers.

    ``generate``: what all answers to a problem took together, in the unit of ``kind``; problems without it
    are left out. ``per_cpu_second``: joules of a CPU-second (as metered or declared); 1 for `CostKind.CPU`.
    A right answer that a limit ended, or that failed, on the scaled input has no cost of a run.
    """
    if kind is CostKind.CPU and per_cpu_second != 1.0:
        raise ValueError("CPU-seconds are not converted")
    runs = mean_cpu_s(paired)
    sizes = {one.problem: one.size for one in paired if one.problem in runs}
    ended = Counter(one.problem for one in paired if one.ratio.n_censored or one.has_failed)
    tasks = {}
    for problem, mine in by_problem(samples).items():
        if problem in generate:
            run = runs[problem] * per_cpu_second if problem in runs else None
            n_right = sum(sample.passed is True for sample in mine)
            tasks[problem] = TaskCost(generate[problem], n_right, run, sizes.get(problem), ended[problem])
    return ModelCost(kind, tasks)


def cost_with_runs(model: ModelCost, n_runs: float) -> Value:
    """Return the cost per right answer with ``n_runs`` runs of its program; ``n``: problems."""
    return cost_curve(model, (n_runs,))[0][1]


def cost_curve(model: ModelCost, runs: Sequence[float] = RUNS) -> tuple[tuple[float, Value], ...]:
    """Return the cost per right answer for each number of runs."""
    unit, n = model.kind.unit, len(model.tasks)
    if n_ended := sum(task.n_ended for task in model.tasks.values()):
        none = withheld(unit, Reason.NOT_MEASURED, detail=ENDED.format(n_ended), n=n)
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
    if n_ended := sum(model.tasks[p].n_ended for p in solved for model in (first, second)):
        none = withheld("runs", Reason.NOT_MEASURED, detail=ENDED.format(n_ended), n=len(solved))
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
    return BreakEven(_with_interval(point, *_differences(drawn), sign=sign, n=n), dearer)


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
