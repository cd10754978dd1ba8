"""Do several machines rank the same code alike? Figures of two machines never meet in one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from joulemark.metrics.bootstrap import MIN_SCORED_ITEMS, SEED, resampled_sums
from joulemark.metrics.code.corrected import corrected
from joulemark.metrics.code.over_tasks import geometric_by_task
from joulemark.metrics.code.ranks import GroupTest, friedman, kendall_tau, kruskal_wallis
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun
from joulemark.record.reason import Reason

RESAMPLES = 1_000
MIN_RANKED = 3

# model -> problem -> ratio to the reference
Ratios = Mapping[str, Mapping[str, float]]

TAU_OF_MODELS = MetricDefinition(
    "rank_agreement_of_models",
    "Rank agreement of models on two machines",
    "1",
    "τ_b",
    ("net_corrected",),
    ("fewer than 3 models were measured on the same problems on both",),
    "M. Kendall (1945): tau-b of the models' geometric mean ratios over the problems that all models solved "
    "on both machines; interval: problems resampled",
)
TAU_OF_TASKS = MetricDefinition(
    "rank_agreement_of_tasks",
    "Rank agreement of tasks on two machines",
    "1",
    "τ_b",
    ("cpu_ratio",),
    ("fewer than 3 tasks were measured on both",),
    "M. Kendall (1945): tau-b of the ratios of one model's tasks; interval: tasks resampled",
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

    ``kruskal_wallis`` takes the tasks of a machine as drawn anew, as the paper does. The tasks are the same:
    ``friedman`` ranks the machines within each task, and sees differences that the other does not. Null where
    there are less than two machines, or nothing to rank.
    """

    agreements: tuple[Agreement, ...]
    kruskal_wallis: Mapping[str, GroupTest | None]
    friedman: Mapping[str, GroupTest | None]


def ratios_by_task(runs: Sequence[CodeRun]) -> dict[str, float]:
    """Return the ratio of CPU time by problem, the geometric mean over its right answers."""
    return geometric_by_task((one.problem, one.ratio.ratio.value) for one in corrected(runs).samples)


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
    tasks = [
        task
        for task in (first[models[0]] if models else ())
        if all(task in ratios[model] for ratios in (first, second) for model in models)
    ]
    if len(models) < MIN_RANKED or not tasks:
        detail = f"{MIN_RANKED} models that solved the same problems on both machines are needed."
        return withheld("1", Reason.NOT_APPLICABLE, detail=detail, n=len(models))
    columns = [
        np.log([ratios[model][task] for task in tasks]) for ratios in (first, second) for model in models
    ]
    point = kendall_tau(*np.split(np.array([column.sum() for column in columns]), 2))
    if len(tasks) < MIN_SCORED_ITEMS:
        return _tau(point, [], len(models))
    sums = np.array(resampled_sums(columns, seed=SEED, resamples=RESAMPLES))
    drawn = [kendall_tau(*np.split(sums[:, k], 2)) for k in range(RESAMPLES)]
    return _tau(point, drawn, len(models))


def tau_of_tasks(first: Mapping[str, float], second: Mapping[str, float]) -> Value:
    """Return how alike two machines rank the tasks of one model; ``n``: tasks."""
    tasks = [task for task in first if task in second]
    if len(tasks) < MIN_RANKED:
        detail = f"{MIN_RANKED} tasks that were measured on both machines are needed."
        return withheld("1", Reason.NOT_APPLICABLE, detail=detail, n=len(tasks))
    a, b = (np.array([ratios[task] for task in tasks]) for ratios in (first, second))
    n = len(tasks)
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


def _tests(ratios: Sequence[Mapping[str, float]]) -> tuple[GroupTest | None, GroupTest | None]:
    filled = [mine for mine in ratios if mine]
    if len(filled) < 2:
        return None, None
    shared = [task for task in filled[0] if all(task in mine for mine in filled)]
    blocks = friedman([[mine[task] for mine in filled] for task in shared]) if shared else None
    return kruskal_wallis([list(mine.values()) for mine in filled]), blocks
