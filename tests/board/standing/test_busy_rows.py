"""Times of a busy machine: marked with their reason, without a rank, and last in their order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doubles import run_views
from doubles.standing_rows import figure, row, snapshot_of
from joulemark.board.pages.environment import render
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.cells import figure_cell
from joulemark.board.standing.leaderboard_page import leaderboard_values
from joulemark.board.standing.listing import Query, tables
from joulemark.board.standing.row_json import row_of_json, row_to_json
from joulemark.board.standing.run_row import row_of_run
from joulemark.board.standing.words import task_words
from joulemark.metrics.catalogue import definition
from joulemark.metrics.run_point import run_point
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import summarize
from joulemark.report.busy import DAGGER, NOTE
from joulemark.report.html import report_values

BUSY = "Other processes used 66 % of the processor: not comparable."


def of(view: RunView) -> BoardRow:
    summary = summarize(view)
    return row_of_run(view, summary, run_point(view, summary, "here"))


def test_the_row_of_a_run_says_that_its_machine_was_busy() -> None:
    view = run_views.with_counter(20)
    quiet, busy = of(view), of(replace(view, foreign_cpu_share=0.66))
    assert quiet.times_not_comparable == ""
    assert "used 66 % of the processor" in busy.times_not_comparable
    assert row_of_json(row_to_json(busy)) == busy
    assert figure_cell("tokens_per_second", busy).mark == busy.times_not_comparable
    assert figure_cell("joules_per_correct_answer", busy).mark == ""


ROWS = [
    row(
        name,
        joules,
        figures={"tokens_per_second": figure(speed, unit="tokens/s")},
        times_not_comparable=BUSY if name == "busy" else "",
    )
    for name, joules, speed in (("busy", 50.0, 900.0), ("quick", 100.0, 500.0), ("slow", 200.0, 100.0))
]


@pytest.mark.parametrize("order", ["asc", "desc", None])
def test_by_speed_it_has_no_rank_and_comes_last(order: str | None) -> None:
    (table,) = tables(snapshot_of(ROWS), Query(sort="tokens_per_second", order=order))  # type: ignore[arg-type]
    last = table.rows[-1]
    assert last.row.times_not_comparable
    assert last.rank is None
    assert last.why_unranked == BUSY
    assert table.n_ranked == 2


def test_by_joules_it_has_its_rank() -> None:
    (table,) = tables(snapshot_of(ROWS), Query())
    assert table.n_ranked == 3
    assert str(table.rows[0].rank) == "1"
    assert table.rows[0].row.times_not_comparable == BUSY


def test_the_page_says_both_below_the_table() -> None:
    rows = [*ROWS, row("listed", 70.0, is_ranked=False, why_not_ranked="A list named its questions.")]
    (section,) = leaderboard_values(snapshot_of(rows), Query(), 1)["sections"]
    assert section.marks == ((BUSY, 1),)
    assert section.unranked == (("A list named its questions.", 1),)


def test_a_table_says_how_many_questions_it_is_of() -> None:
    assert "12 questions, 0123456789ab" in task_words(row(n_questions=12))
    assert "questions 0123456789ab" in task_words(row())
    assert of(run_views.with_counter(20)).n_questions in (None, 20)


def test_the_evidence_says_what_its_mark_means() -> None:
    view = replace(run_views.with_counter(20), foreign_cpu_share=0.66)
    words = {
        "path": "",
        "checks": [],
        "n_failed": 0,
        "origin": "",
        "joulemark_version": "",
        "is_same_source": True,
    }
    page = render("evidence_parts", page=report_values(summarize(view), view), **words)
    assert NOTE in page
    for name in ("tokens_per_second", "cpu_seconds_per_correct_answer"):
        assert f"{definition(name).title} {DAGGER}" in page
