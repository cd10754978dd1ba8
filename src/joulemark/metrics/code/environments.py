"""Do several machines rank the same code alike? Figures of two machines never meet in one ranking.

Machines are compared on the tasks that all of them measured. A program that a limit ended on one of them
takes at least what was seen of it: that task's ratios are compared up to the least such bound and no further,
so that a limit which only one machine met makes no difference by itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.bootstrap import MIN_SCORED_ITEMS, SEED, resampled_sums
from joulemark.metrics.code.corrected import corrected
from joulemark.metrics.code.over_tasks import geometric_by_task
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.code.ranks import GroupTest, friedman, kendall_tau, kruskal_wallis
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun
from joulemark.record.reason import Reason

RESAMPLES = 1_000
MIN_RANKED = 3
_LARGEST = float(np.finfo(np.float64).max)  # differences of infinities have no sign


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A ratio of a program that a limit ended: it is this or more."""

    ratio: float


TaskRatios = Mapping[str, float | AtLeast]
"""Problem -> ratio to the reference."""
Ratios = Mapping[str, TaskRatios]
"""Model -> problem -> ratio to the reference."""

TAU_OF_MODELS = MetricDefinition(
    "rank_agreement_of_models",
    "Rank agreement of models on two machines",
    "1",
    "τ_b",
    ("net_corrected",),
    ("fewer than 3 models were measured on the same problems on both",),
    "M. Kendall (1945): tau-b of the models' geometric mean ratios over the problems that all models solved "
    "and no limit ended, on both machines; interval: problems resampled",
)
TAU_OF_TASKS = MetricDefinition(
    "rank_agreement_of_tasks",
    "Rank agreement of tasks on two machines",
    "1",
    "τ_b",
    ("cpu_ratio",),
    ("fewer than 3 tasks were measured on both",),
    "M. Kendall (1945): tau-b of the ratios of one model's tasks; a task in which a limit ended a program "
    "on either machine has the largest rank on both where both ratios reach the bound; interval: tasks "
    "resampled",
)
DEFINITIONS = (TAU_OF_MODELS, TAU_OF_TASKS)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How alike two machines rank the models, and each model's tasks."""

    first: str
    second: str
    of_models: Value
    of_tasks: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class EnvironmentComparison:
    """Agreement of each two machines, and whether ratios differ between machines, by model.

    Both tests are over the tasks that all machines measured. ``kruskal_wallis`` takes the tasks of a machine
    as drawn anew, as the paper does. They are the same: ``friedman`` ranks the machines within each task, and
    sees differences that the other does not. Null where there are less than two machines, or nothing to rank.
    """

    agreements: tuple[Agreement, ...]
    kruskal_wallis: Mapping[str, GroupTest | None]
    friedman: Mapping[str, GroupTest | None]


def ratios_by_task(runs: Sequence[CodeRun]) -> dict[str, float | AtLeast]:
    """Return the ratio of CPU time by problem, the geometric mean over its right answers.

    A bound where a limit ended one of them. Problems are left out of which an answer has neither: it failed
    on the scaled input, or the reference did.
    """
    return ratios_of(corrected(runs).samples)


def ratios_of(paired: Sequence[PairedSample]) -> dict[str, float | AtLeast]:
    """Return what `ratios_by_task` does, of what the pairs tell."""
    ratios: dict[str, list[float]] = {}
    ended, unknown = set(), set()
    for one in paired:
        ratio = one.ratio.ratio.value if one.ratio.at_least is None else one.ratio.at_least
        if ratio is None or not ratio > 0:
            unknown.add(one.problem)
            continue
        ratios.setdefault(one.problem, []).append(ratio)
        if one.ratio.at_least is not None:
            ended.add(one.problem)
    means = geometric_by_task((task, ratio) for task, mine in ratios.items() for ratio in mine)
    return {
        task: AtLeast(mean) if task in ended else mean for task, mean in means.items() if task not in unknown
    }


def compare_environments(by_environment: Mapping[str, Ratios]) -> EnvironmentComparison:
    """Compare machines by the ratios of their models' tasks (`ratios_by_task`), by environment id."""
    agreements = tuple(
        Agreement(
            first,
            second,
            tau_of_models(by_environment[first], by_environment[second]),
            {
                model: tau_of_tasks(mine, by_environment[second][model])
                for model, mine in by_environment[first].items()
                if model in by_environment[second]
            },
        )
        for first, second in combinations(by_environment, 2)
    )
    models = list(dict.fromkeys(model for ratios in by_environment.values() for model in ratios))
    tests = {model: _tests([ratios.get(model, {}) for ratios in by_environment.values()]) for model in models}
    return EnvironmentComparison(
        agreements,
        {model: first for model, (first, _) in tests.items()},
        {model: second for model, (_, second) in tests.items()},
    )


def tau_of_models(first: Ratios, second: Ratios) -> Value:
    """Return how alike two machines rank the models that both have; ``n``: models."""
    models = [model for model in first if model in second]
    known = [_ended(ratios[model]) for ratios in (first, second) for model in models]
    tasks = [task for task in (known[0] if known else ()) if all(task in ratios for ratios in known)]
    if len(models) < MIN_RANKED or not tasks:
        detail = f"{MIN_RANKED} models that solved the same problems on both machines are needed."
        return withheld("1", Reason.NOT_APPLICABLE, detail=detail, n=len(models))
    columns = [np.log([ratios[task] for task in tasks]) for ratios in known]
    point = kendall_tau(*np.split(np.array([column.sum() for column in columns]), 2))
    if len(tasks) < MIN_SCORED_ITEMS:
        return _tau(point, [], len(models))
    sums = np.array(resampled_sums(columns, seed=SEED, resamples=RESAMPLES))
    drawn = [kendall_tau(*np.split(sums[:, k], 2)) for k in range(RESAMPLES)]
    return _tau(point, drawn, len(models))


def tau_of_tasks(first: TaskRatios, second: TaskRatios) -> Value:
    """Return how alike two machines rank the tasks of one model; ``n``: tasks."""
    a, b = _shared([first, second])
    n = len(a)
    if n < MIN_RANKED:
        detail = f"{MIN_RANKED} tasks that were measured on both machines are needed."
        return withheld("1", Reason.NOT_APPLICABLE, detail=detail, n=n)
    if n < MIN_SCORED_ITEMS:
        return _tau(kendall_tau(a, b), [], n)
    # how often each task is in a resample: a pair counts as often as it is drawn, twice the same is a tie
    counts = np.array(resampled_sums(list(np.eye(n)), seed=SEED, resamples=RESAMPLES)).T
    signs = [np.sign(values[:, None] - values[None, :]) for values in (a, b)]
    alike, of_a, of_b = (
        ((counts @ table) * counts).sum(1)
        for table in (signs[0] * signs[1], np.abs(signs[0]), np.abs(signs[1]))
    )
    filled = (of_a > 0) & (of_b > 0)
    return _tau(kendall_tau(a, b), list(alike[filled] / np.sqrt(of_a[filled] * of_b[filled])), n)


def _tau(point: float | None, drawn: Sequence[float | None], n: int) -> Value:
    if point is None:
        return withheld("1", Reason.NOT_APPLICABLE, detail="All of them are equal on one machine.", n=n)
    known = [value for value in drawn if value is not None]
    if not known:
        return Value(point, "1", n=n, interval_reason=Reason.TOO_FEW_ITEMS)
    lo, hi = np.quantile(known, (0.025, 0.975))
    return Value(point, "1", float(lo), float(hi), "ci95", n=n)


def _tests(ratios: Sequence[TaskRatios]) -> tuple[GroupTest | None, GroupTest | None]:
    filled = [mine for mine in ratios if mine]
    if len(filled) < 2:
        return None, None
    groups = _shared(filled)
    if not len(groups[0]):
        return None, None
    return kruskal_wallis([list(group) for group in groups]), friedman(np.column_stack(groups))


def _ended(ratios: TaskRatios) -> dict[str, float]:
    return {task: ratio for task, ratio in ratios.items() if not isinstance(ratio, AtLeast)}


def _shared(machines: Sequence[TaskRatios]) -> list[NDArray[np.float64]]:
    """Return the ratios of the tasks that all machines have, float64[n_tasks] each.

    Where a limit ended a program of a task, ratios that reach the least bound are the largest float of all.
    """
    tasks = [task for task in machines[0] if all(task in mine for mine in machines)]
    columns = [np.empty(len(tasks)) for _ in machines]
    for row, task in enumerate(tasks):
        known = [mine[task] for mine in machines]
        least = min((one.ratio for one in known if isinstance(one, AtLeast)), default=math.inf)
        for column, one in zip(columns, known, strict=True):
            column[row] = _LARGEST if isinstance(one, AtLeast) or one >= least else one
    return columns
