"""Where nothing of a table is known there is one sentence, not a column of dashes."""

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rich.console import Console

from doubles.made_up_code_runs import evaluation, program
from doubles.made_up_evaluations import record_of, rows_of
from joulemark.code.evaluation.figures import summary_of_evaluation
from joulemark.code.evaluation.settings import Settings
from joulemark.metrics.code import summarize_code
from joulemark.metrics.code.by_group import Placed
from joulemark.metrics.code.wrong import Wrong
from joulemark.metrics.value import Value
from joulemark.record.code_run import Outcome
from joulemark.report.code_cells import group_rows
from joulemark.report.code_chart import _counts, ratio_chart, ratio_words
from joulemark.report.code_few import few_of
from joulemark.report.code_html import render_code_page
from joulemark.report.code_lead import headline
from joulemark.report.code_missing import missing_modules_note
from joulemark.report.code_rows import CodeRow, Section, definition_of, sections, title_of
from joulemark.report.code_terminal import _section, print_evaluation
from joulemark.report.wording import figure_texts

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


MANY = [1.0, 2.0, 4.0, *[1.5] * 8]


def test_the_terminal_has_worst_and_best_with_the_algorithms():
    record, summary = evaluated(MANY)
    console = Console(file=io.StringIO(), width=200)
    print_evaluation(record, summary, {}, console)
    said = console.file.getvalue()
    assert re.search(r"The worst by NET as the paper defines it: execution time *\n +4.00 +p02", said)
    assert "more than one of these: sorting 10" in said
    assert re.search("the best: 1.00 p00 sample 0, 1.50 p..? sample 0, 1.50 p", said)
    assert "Every right program" not in said
    assert "By NMU as the paper defines it: peak memory all are alike: 1.17" in said
    page = render_code_page(record, summary, {})
    assert "All are alike: 1.17." in page
    assert page.count("<h3>The worst</h3>") == page.count("<h3>The best</h3>") == 3


def test_few_right_programs_are_one_table_with_their_sources():
    record, summary = evaluated([1.0, 2.0, 4.0])
    console = Console(file=io.StringIO(), width=200)
    print_evaluation(record, summary, {}, console)
    said = console.file.getvalue()
    assert "The worst" not in said
    table = said.partition("Every right program")[2].splitlines()
    assert [line.split()[0] for line in table[2:5]] == ["p02", "p01", "p00"]
    page = render_code_page(record, summary, {})
    assert "Worst and best by" not in page
    assert page.count('<p class="sub">the program</p>') == 3


def test_a_program_without_a_value_has_a_dash_and_stands_first():
    _, summary = evaluated([1.0, 2.0, 4.0])
    cpu = summary.extremes["cpu_ratio"]
    without = replace(cpu, worst=cpu.worst[1:])
    few = few_of(replace(summary, extremes={**summary.extremes, "cpu_ratio": without}))
    assert few.rows[0].problem == cpu.worst[0].problem
    assert few.rows[0].cells[0] == "—"
    assert "may be worse" in few.note


def test_the_first_line_answers_how_efficient_it_is():
    record, summary = evaluated([2.0] * 12)
    said = headline(summary)
    assert "12 of 12 programs are right" in said
    assert re.search(
        r"They take (2|1\.99|2\.0\d) times the reference's CPU time \(geometric mean over 12 problems, 95 %",
        said,
    )
    assert "times its memory" in said
    assert "too few for an interval" in headline(evaluated([2.0] * 3)[1])
    assert "They take" not in headline(summarize_code(evaluation([1.0], wrong=[0])))
    console = Console(file=io.StringIO(), width=400)
    print_evaluation(record, summary, {}, console)
    assert console.file.getvalue().splitlines()[1].strip() == said


def test_an_evaluation_that_is_not_finished_has_no_first_answer():
    assert "They take" not in headline(replace(evaluated([2.0] * 12)[1], open_problems=("p99",)))


def test_a_mean_says_which_it_is_and_no_other_figure_does():
    for name in ("et", "net", "mu", "nmu", "tmu", "ntmu"):
        assert title_of(name).endswith(", mean")
        assert title_of(f"{name}_corrected").endswith(", geometric mean")
    for name in ("net_corrected_over_5", "net_corrected_max"):
        assert "geometric" not in definition_of(name).source


def test_directions_and_units_stand_beside_figures():
    assert figure_texts("aa_band", Value(0.0636, "1"))[0] == "± 6.360 %"
    assert figure_texts("harness_share", Value(0.1246, "1"))[0] == "12.46 %"
    assert "references over that of the programs" in title_of("speedup")
    assert Placed("p", 0, "x", -0.004).text == "0.00"


def test_why_there_is_no_interval_is_said_once():
    rows = [row for section in sections(RECORD, evaluated([1.0, 2.0])[1]) for row in section.rows]
    without = [row.interval for row in rows if row.interval.startswith("no interval")]
    assert len(without) > 5
    assert without[0].startswith("no interval: Too few")
    assert set(without[1:]) == {"no interval"}


def test_a_lower_bound_has_no_row_where_the_mean_is_known():
    names = {row.name for section in sections(RECORD, evaluated([1.0, 2.0])[1]) for row in section.rows}
    assert "net_corrected" in names
    assert not any(name.endswith("_at_least") for name in names)


def test_programs_that_lack_a_package_are_counted():
    def failing(detail):
        return Wrong("p", 0, program("p", 0, outcome=Outcome.RAISED, detail=detail))

    gone = "ModuleNotFoundError: No module named 'numpy.linalg'"
    said = missing_modules_note([failing(gone), failing(gone), failing("ValueError: no"), failing("")])
    assert said.startswith("2 of these programs are wrong for a module that is not there (numpy):")
    assert "by design" in said
    assert missing_modules_note([failing("ImportError: No module named 'json'"), Wrong("p", 0, None)]) is None


def test_bars_at_the_ends_say_that_they_are_open():
    summary = evaluated([35.0, 100.0, 1.0])[1]
    assert "2 take some 32 times or more: the last bar." in ratio_words(summary.ratios)
    assert "first bar" not in ratio_words(summary.ratios)
    page = render_code_page(*evaluated([35.0, 100.0, 1.0]), {})
    drawn = page.partition("<h2>Distribution</h2>")[2]
    assert "≥ 32" in drawn
    assert "≤ 1/32" in drawn
    layers = ratio_chart(summary.ratios, None, 600).chart.to_dict(validate=False)["layer"]
    assert layers[0]["encoding"]["y"]["axis"]["values"] == [0, 1, 2]


def test_counts_on_an_axis_are_whole_and_few():
    assert _counts(1) == [0, 1]
    assert _counts(2) == [0, 1, 2]
    assert _counts(11) == [0, 5, 10]
    assert all(len(_counts(most)) <= 6 for most in range(1, 3000, 7))


def test_a_published_score_in_which_chance_counts_never_stands_alone():
    rows = {row.title: row for section in sections(RECORD, evaluated([1.0, 0.5])[1]) for row in section.rows}
    assert rows["efficient@1, as published"].text != "—"
    assert rows["faster@1"].text == "—"
    assert "against itself" in rows["faster@1"].why


def test_the_worst_are_shown_with_how_many_have_no_place():
    record, summary = evaluated(MANY)
    found = {**summary.extremes, "cpu_ratio": replace(summary.extremes["cpu_ratio"], n_unplaced=2)}
    summary = replace(summary, extremes=found)
    console = Console(file=io.StringIO(), width=200)
    print_evaluation(record, summary, {}, console)
    said = "2 more right programs have no place here"
    assert console.file.getvalue().count(said) == 1
    assert render_code_page(record, summary, {}).count(said) == 1
