"""Several evaluations side by side: of models on one machine, or of one set of models on several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from joulemark.code.evaluation.comparable import (
    differing,
    require_comparable,
    require_finished,
    require_same_on_machines,
)
from joulemark.code.evaluation.journal import Recorded
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.code.evaluation.settings import Settings
from joulemark.metrics.code.by_group import Figures, on_identical_problems, solved_by_all
from joulemark.metrics.code.environments import (
    EnvironmentComparison,
    TaskRatios,
    compare_environments,
    ratios_by_task,
)
from joulemark.metrics.code.model_pair import ModelPair, model_pair
from joulemark.metrics.code.number_of_tests import TestCount, compare_test_counts
from joulemark.metrics.code.queued import Queued
from joulemark.metrics.code.repeat_study import repeat_study
from joulemark.metrics.code.summary import main_figures, queued
from joulemark.metrics.plain import JsonValue
from joulemark.metrics.repeats import Spread
from joulemark.record.code_run import CodeRun, Purpose
from joulemark.record.errors import InputError

Evaluation = tuple[str, EvaluationRecord, Recorded]
"""A label, the record and the rows of an evaluation."""


@dataclass(frozen=True, slots=True)
class EvaluationComparison:
    """Figures by label: of all problems, and of the ``n_shared`` to which every one has a right answer.

    ``spread``: where all are evaluations of the same answers, mean and deviation of each figure.
    ``test_counts``: where they differ in the number of tests alone, what that changes.
    ``pairs``: each two of them problem by problem. ``queued``: by label, how many runs waited for a
    processor.
    ``differ``: settings that are not the same in all of them, with the value of each by label.
    """

    models: Mapping[str, str]
    environment_id: str
    of_all: Mapping[str, Figures]
    of_shared: Mapping[str, Figures]
    n_shared: int
    spread: Mapping[str, Spread]
    test_counts: tuple[TestCount, ...]
    differ: Mapping[str, Mapping[str, JsonValue]]
    pairs: tuple[ModelPair, ...] = ()
    queued: Mapping[str, Mapping[Purpose, Queued]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MachineComparison:
    """How far machines agree; ``machines`` says in words what each environment is."""

    machines: Mapping[str, str]
    found: EnvironmentComparison


def compare_evaluations(evaluations: Sequence[Evaluation]) -> EvaluationComparison:
    """Compare evaluations of one environment on the same problems. Raises `InputError` for others."""
    first = evaluations[0][1]
    require_comparable([(label, record) for label, record, _ in evaluations])
    for evaluation in evaluations:
        require_finished(*evaluation)
    _require_distinct(label for label, _, _ in evaluations)
    differ = _differ(evaluations)
    runs = {label: recorded.all_runs() for label, _, recorded in evaluations}
    shared: Mapping[str, Sequence[CodeRun]] = on_identical_problems(runs)
    same_answers = len({record.samples_digest for _, record, _ in evaluations}) == 1
    counts = {record.settings.n_tests: recorded.all_runs() for _, record, recorded in evaluations}
    of_all = {label: main_figures(mine) for label, mine in runs.items()}
    by_tests = same_answers and set(differ) == {"n_tests"} and len(counts) == len(evaluations)
    return EvaluationComparison(
        models={label: record.model for label, record, _ in evaluations},
        environment_id=first.environment_id,
        of_all=of_all,
        of_shared={label: main_figures(mine) for label, mine in shared.items()},
        n_shared=len(solved_by_all(runs)),
        spread=repeat_study(list(of_all.values())) if same_answers and not differ else {},
        test_counts=compare_test_counts(counts) if by_tests else (),
        differ=differ,
        pairs=() if same_answers else tuple(model_pair(a, b, runs) for a, b in combinations(runs, 2)),
        queued={label: queued(mine) for label, mine in runs.items()},
    )


def compare_machines(evaluations: Sequence[Evaluation]) -> MachineComparison:
    """Compare environments by evaluations of the same answers. Raises `InputError` for fewer than two."""
    require_same_on_machines([(label, record) for label, record, _ in evaluations])
    for evaluation in evaluations:
        require_finished(*evaluation)
    ratios: dict[str, dict[str, TaskRatios]] = {}
    machines: dict[str, str] = {}
    for _, record, recorded in evaluations:
        host, python = record.environment.host, record.environment.python
        machines[record.environment_id] = (
            f"{host.cpu_model or 'unknown processor'}, {host.os}, Python {python}"
        )
        ratios.setdefault(record.environment_id, {})[record.model] = ratios_by_task(recorded.all_runs())
    if len(machines) < 2:
        raise InputError(
            "these evaluations are of one environment",
            why="there is no second one to compare it with",
            fix="joulemark code compare DIR DIR   # models on one machine",
        )
    return MachineComparison(machines, compare_environments(ratios))


def _differ(evaluations: Sequence[Evaluation]) -> dict[str, dict[str, JsonValue]]:
    """Return the settings that are not the same in all evaluations."""
    first = evaluations[0][1].settings
    names = {name for _, record, _ in evaluations[1:] for name in differing(first, record.settings)}
    dumped = {label: record.settings.model_dump(mode="json") for label, record, _ in evaluations}
    return {
        name: {label: mine[name] for label, mine in dumped.items()}
        for name in Settings.model_fields
        if name in names
    }


def _require_distinct(labels: Iterable[str]) -> None:
    seen: set[str] = set()
    for label in labels:
        if label in seen:
            raise InputError(
                f"{label} was named twice",
                why="an evaluation beside itself tells nothing",
                fix="name each directory once",
            )
        seen.add(label)
