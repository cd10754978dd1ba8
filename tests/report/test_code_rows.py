"""Where nothing of a table is known there is one sentence, not a column of dashes."""

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console

from doubles.made_up_code_runs import evaluation
from doubles.made_up_evaluations import record_of, rows_of
from joulemark.code.evaluation.figures import summary_of_evaluation
from joulemark.code.evaluation.settings import Settings
from joulemark.metrics.code import summarize_code
from joulemark.report.code_cells import group_rows
from joulemark.report.code_html import render_code_page
from joulemark.report.code_rows import CodeRow, Section, sections
from joulemark.report.code_terminal import _section, print_evaluation

RECORD = SimpleNamespace(settings=Settings())


@pytest.mark.parametrize("ratios", [[1.0], [1.0, 2.0]])
def test_a_table_without_a_figure_says_why_once(ratios):
    nothing_right = summarize_code(evaluation(ratios, wrong=range(len(ratios))))
    found = {section.title: section for section in sections(RECORD, nothing_right)}
    assert found["Right"].rows
    empty = [section for section in found.values() if section.none]
    assert len(empty) == 3
    assert all(not section.rows and "No right program" in section.none for section in empty)
    assert not any(section.none for section in sections(RECORD, summarize_code(evaluation([1.0] * 3))))


def test_the_terminal_prints_the_sentence():
    console = Console(file=io.StringIO(), width=200)
    _section(Section("Times", (), "None of 3 figures is known."), console)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert lines == ["", "Times", "  None of 3 figures is known."]


def test_as_above_is_said_only_below_a_reason():
    console = Console(file=io.StringIO(), width=200)
    rows = tuple(CodeRow(name, name, "1", "", "", "") for name in "ab")
    _section(Section("Times", rows), console)
    assert "as above" not in console.file.getvalue()


def evaluated(ratios):
    """The record and the summary of answers so many times as slow as the reference."""
    record, rows = record_of(n_problems=len(ratios)), rows_of(ratios)
    return record, summary_of_evaluation(record, rows)


def test_a_group_is_shown_with_how_many_tasks_it_is_of():
    record, summary = evaluated([1.0, 2.0, 4.0])
    ((group, cells),) = group_rows(summary.by_difficulty)
    assert group == "easy"
    assert (cells[0].text, cells[0].interval) == ("1.00 (3)", "0.44 … 1.00")
    assert cells[1].text == "2.333 (3)"
    page = render_code_page(record, summary, {})
    assert '1.00 (3)<br><span class="sub">0.44 … 1.00</span>' in page


def test_the_terminal_has_worst_and_best_with_the_algorithms():
    record, summary = evaluated([1.0, 2.0, 4.0])
    console = Console(file=io.StringIO(), width=200)
    print_evaluation(record, summary, {}, console)
    said = console.file.getvalue()
    assert re.search(r"The worst by NET as the paper defines it: execution time *\n +4.00 +p02", said)
    assert "more than one of these: sorting 3" in said
    assert "the best: 1.00 p00 sample 0, 2.00 p01 sample 0, 4.00 p02 sample 0" in said
    assert "By NMU as the paper defines it: peak memory all are alike: 1.17" in said
    page = render_code_page(record, summary, {})
    assert "All are alike: 1.17." in page
    assert page.count("<h3>The worst</h3>") == page.count("<h3>The best</h3>") == 3


def test_a_published_score_in_which_chance_counts_never_stands_alone():
    rows = {row.title: row for section in sections(RECORD, evaluated([1.0, 0.5])[1]) for row in section.rows}
    assert rows["efficient@1, as published"].text != "—"
    assert rows["faster@1"].text == "—"
    assert "against itself" in rows["faster@1"].why


def test_the_worst_are_shown_with_how_many_have_no_place():
    record, summary = evaluated([1.0, 2.0, 4.0])
    found = {**summary.extremes, "cpu_ratio": replace(summary.extremes["cpu_ratio"], n_unplaced=2)}
    summary = replace(summary, extremes=found)
    console = Console(file=io.StringIO(), width=200)
    print_evaluation(record, summary, {}, console)
    said = "2 more right programs have no place here"
    assert console.file.getvalue().count(said) == 1
    assert render_code_page(record, summary, {}).count(said) == 1
