"""Rows of others: at the lowest rung, without what they do not say, and apart from what was measured."""

from __future__ import annotations

from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.published_row import publication, row_of_published
from joulemark.metrics.published_points import published_point
from joulemark.record.manifest import Rates
from joulemark.record.published import PublishedRow

SOURCE = "ML.ENERGY Benchmark, early 2025 (arXiv 2505.06371); chat.csv, sha256 0123456789ab"


def of(**fields: object) -> BoardRow:
    given: dict[str, object] = {
        "model": "org/model-7b",
        "device": "NVIDIA H100 80GB HBM3",
        "n_devices": 2,
        "task": "chat",
        "unit": "request",
        "energy_j": 100.0,
        "latency_s": {"tpot_mean": 0.05, "e2el_mean": 10.0},
        "mean_completion_tokens": 200.0,
        "settings": {"max_batch": 64, "tensor_parallel": 2},
        "source": SOURCE,
        "licence": "Apache-2.0",
        **fields,
    }
    made = PublishedRow.model_validate(given)
    return row_of_published("ab" * 32, made, published_point(made, Rates()))


def test_it_says_what_was_published_and_no_more() -> None:
    row = of()
    assert (row.kind, row.rung, row.n_runs, row.stands_for, row.tier) == ("published", 0, 0, None, None)
    assert row.figures["energy_j"].value == 100.0
    assert row.figures["energy_j"].interval is None
    assert row.figures["joules_per_token"].value == 0.5
    assert row.figures["tpot_mean"].value == 0.05
    accuracy = row.figures["accuracy"]
    assert accuracy.value is None
    assert accuracy.reason == "not_published"
    assert row.figures["ttft_p50"].reason == "not_published"
    assert row.source is not None
    assert "Apache-2.0" in row.source


def test_an_accuracy_gives_joules_per_correct_answer() -> None:
    row = of(accuracy=0.25, settings={"accuracy_of": "arc"})
    assert row.figures["joules_per_correct_answer"].value == 400.0
    assert any("other questions" in note for note in row.notes)


def test_sources_tasks_and_units_have_tables_of_their_own() -> None:
    tables = {
        of().table,
        of(task="code").table,
        of(unit="image").table,
        of(source="Another paper; x.csv").table,
        of(mean_batch=1.0).table,
    }
    assert len(tables) == 5
    assert of(source=SOURCE.replace("chat.csv", "other.csv")).table == of().table
    assert publication(SOURCE) == "ML.ENERGY Benchmark, early 2025 (arXiv 2505.06371)"


def test_what_cannot_be_physical_is_shown_and_not_ranked() -> None:
    row = of(mean_power_w=40_000.0)
    assert not row.is_ranked
    assert row.why_not_ranked
    assert of().is_ranked
