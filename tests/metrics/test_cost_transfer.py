"""Two runs of one configuration: whether the cost model of the first prices what the second was asked."""

from __future__ import annotations

import dataclasses

import pytest

from doubles import run_views
from joulemark.metrics.compare import compare
from joulemark.metrics.compare_runs import comparison_json
from joulemark.metrics.cost_forecast import TRANSFER
from joulemark.metrics.run_view import RunView
from joulemark.record.reason import Reason
from joulemark.report.comparison import findings


def other_task(view: RunView) -> RunView:
    """Return a run as one of other questions."""
    manifest = view.manifest
    task = manifest.task.model_copy(update={"name": "other", "revision": "2"})
    return dataclasses.replace(view, manifest=manifest.model_copy(update={"task": task, "run_id": "other"}))


def engine_of(view: RunView, **fields: object) -> RunView:
    engine = view.manifest.engine.model_copy(update=fields)
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update={"engine": engine}))


def test_a_model_that_holds_misses_other_questions_by_chance_alone() -> None:
    a, b = run_views.with_lengths(60, seed=3), other_task(run_views.with_lengths(50, seed=4))
    found = compare(a, b)
    error = found.transfer
    assert (error.unit, error.n, error.interval) == ("%", 50, "ci95")
    assert error.lo < 0 < error.hi
    assert abs(error.value) < 2
    document = comparison_json(found)
    assert document[TRANSFER.name] == error.value
    assert document["units"][TRANSFER.name] == "%"
    assert TRANSFER.name in document["intervals"]
    (told,) = (line for line in findings("A", "B", found) if "cost model" in line)
    assert told.startswith("The cost model of A misses what was metered of B by ")
    assert "carry over" not in told


def test_a_task_that_costs_otherwise_shows() -> None:
    a, b = run_views.with_lengths(60), other_task(run_views.with_lengths(60, seed=4, beta_j=3.0))
    found = compare(a, b)
    assert found.transfer.hi < -20
    assert any(line.endswith("it does not carry over.") for line in findings("A", "B", found))


@pytest.mark.parametrize(
    ("b", "reason", "told"),
    [
        (engine_of(run_views.with_lengths(60), model="another"), Reason.NOT_APPLICABLE, "engine.model"),
        (engine_of(run_views.with_lengths(60), kind="simulated-vllm"), Reason.NOT_APPLICABLE, ""),
        (run_views.without_meter(), Reason.NOT_APPLICABLE, "meter."),
    ],
)
def test_a_model_is_of_one_configuration(b: RunView, reason: Reason, told: str) -> None:
    found = compare(run_views.with_lengths(60), b)
    assert (found.transfer.value, found.transfer.reason) == (None, reason)
    assert told in found.transfer.detail
    assert comparison_json(found)["reasons"][TRANSFER.name]["code"] == reason.value
    assert not any("cost model" in line for line in findings("A", "B", found))


def test_without_a_model_the_models_own_reason_stands() -> None:
    few = run_views.with_lengths(5)
    found = compare(few, other_task(run_views.with_lengths(60)))
    assert found.transfer.reason is Reason.TOO_FEW_ITEMS
