"""Where nothing of a table is known there is one sentence, not a column of dashes."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from doubles.made_up_code_runs import evaluation
from joulemark.code.evaluation.settings import Settings
from joulemark.metrics.code import summarize_code
from joulemark.report.code_rows import CodeRow, Section, sections
from joulemark.report.code_terminal import _section

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
