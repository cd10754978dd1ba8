"""The section of programs on a run's page: each beside its reference, and why what is not known is not."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from doubles import chromium, run_views
from doubles.made_up_code_runs import program
from doubles.program_figures import SOURCES, TITLE, program_figures_of
from joulemark.code.joined.figures_json import figures_json
from joulemark.code.joined.source_kind import SourceKind
from joulemark.metrics import summarize
from joulemark.metrics.code.break_even import CostKind, ModelCost, TaskCost
from joulemark.metrics.code.sample import samples_of
from joulemark.metrics.value import Value
from joulemark.record.code_run import Purpose
from joulemark.report.code_joined import print_program_figures
from joulemark.report.html import render, write_report
from joulemark.report.page_programs import MOST_ROWS, ProgramLine, programs_section
from joulemark.report.wording import DASH

PROGRAM = chromium.find()


@pytest.fixture(scope="module")
def lines() -> dict[str, ProgramLine]:
    return {line.problem: line for line in programs_section(program_figures_of()).lines}


def page_of(**changes: object) -> str:
    view = run_views.with_counter()
    return render(summarize(view), view, program_figures_of(**changes))


def test_every_program_has_a_line(lines: dict[str, ProgramLine]) -> None:
    assert set(lines) == set(SOURCES)
    verdicts = {name: (line.verdict, line.how) for name, line in lines.items()}
    assert verdicts == {
        "twice": ("right", ""),
        "same": ("right", ""),
        "lean": ("right", ""),
        "limited": ("right", ""),
        "wrong": ("wrong", "another result than expected on test 3"),
        "crashed": ("wrong", "crashed on test 0"),
        "none": ("wrong", "no program in the answer"),
    }


def test_time_and_memory_stand_beside_the_references(lines: dict[str, ProgramLine]) -> None:
    twice = lines["twice"]
    assert (twice.cpu.text, twice.ratio.text) == ("40.00 ms", "2.00 ×")
    assert twice.beside == "2.00 … 2.00, slower"
    assert (twice.peak.text, twice.peak_ratio.text) == ("8.000 MiB", "2.00 ×")
    assert lines["same"].beside == "1.00 … 1.00, not told apart"
    assert lines["lean"].peak_ratio.text == "0.06 ×"


def test_a_limit_is_a_bound_and_never_a_ratio(lines: dict[str, ProgramLine]) -> None:
    limited = lines["limited"]
    assert limited.ratio.text == "≥ 100 ×"
    assert limited.beside == "slower"
    assert (limited.cpu.text, limited.cpu.why) == (DASH, "A limit ended a run of the program.")
    assert limited.peak.text == DASH
    assert limited.peak.why


def test_a_wrong_program_has_no_time(lines: dict[str, ProgramLine]) -> None:
    for name in ("wrong", "crashed", "none"):
        assert [lines[name].cpu.text, lines[name].ratio.text, lines[name].peak.text] == ["", "", ""]


def test_every_dash_is_explained_below_the_table() -> None:
    section = programs_section(program_figures_of())
    told = " ".join(section.notes)
    for line in section.lines:
        for cell in (line.cpu, line.ratio, line.peak, line.peak_ratio):
            assert (cell.text == DASH) == bool(cell.why)
            assert cell.why in told


def test_the_page_shows_them_and_escapes_what_is_foreign() -> None:
    text = page_of()
    assert "<h2>Programs</h2>" in text
    assert TITLE not in text
    assert "Total &lt;b&gt;of&lt;/b&gt; all" in text
    assert "def total" not in text  # what was answered is on no page of a run
    assert 'href="code/code.html"' in text


def test_every_link_within_the_page_leads_somewhere() -> None:
    text = page_of()
    wanted = set(re.findall(r'href="#([^"]+)"', text))
    assert "def-cpu_ratio" in wanted
    assert "def-pass_at_k" in wanted
    assert wanted <= set(re.findall(r'id="([^"]+)"', text))


def test_measured_and_modelled_joules_are_lines_of_their_own() -> None:
    section = programs_section(program_figures_of(run_j=Value(2.0, "J", 1.9, 2.1, "bound", n=3)))
    rows = {row.title: row for row in section.figures}
    assert rows["Energy (measured) to generate, per correct answer"].text == "150.0 J"
    assert rows["Energy (measured) to generate, per correct answer"].interval
    assert rows["Energy (modelled) of one run"].text.startswith("2.0")
    assert rows["With the runs of its program"].text == DASH


def test_a_run_without_programs_has_no_section() -> None:
    view = run_views.with_counter()
    assert "<h2>Programs</h2>" not in render(summarize(view), view)


def test_programs_that_were_graded_only_have_verdicts_only() -> None:
    section = programs_section(program_figures_of(measure=False))
    assert not section.is_measured
    assert {line.verdict for line in section.lines} == {"right", "wrong"}
    text = page_of(measure=False)
    assert "Peak memory" not in text.partition("<h2>Programs</h2>")[2].partition("<h2>")[0]


def test_a_long_run_shows_so_many_and_says_how_many_more() -> None:
    figures = program_figures_of()
    sample = figures.summary.samples[0]
    many = tuple(replace(sample, number=number) for number in range(MOST_ROWS + 7))
    section = programs_section(replace(figures, summary=replace(figures.summary, samples=many)))
    assert (len(section.lines), section.n_left_out) == (MOST_ROWS, 7)
    assert len({line.anchor for line in section.lines}) == MOST_ROWS


@pytest.mark.timeout(120)
@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_it_fits_a_wide_and_a_narrow_window(tmp_path: Path) -> None:
    assert PROGRAM is not None
    view = run_views.with_counter()
    page = tmp_path / "report.html"
    write_report(summarize(view), view, page, program_figures_of())
    here = "[...document.querySelectorAll('h2')].find(h => h.textContent === 'Programs').parentElement"
    with chromium.browser(PROGRAM, tmp_path) as tab:
        for width in (1200, 390):
            tab.width(width)
            tab.open(page)
            assert tab.value("document.documentElement.scrollWidth") <= width
            assert tab.value(f"{here}.getBoundingClientRect().height") > 300
            assert tab.value(f"{here}.querySelectorAll('tbody tr').length") > len(SOURCES)


def test_what_is_still_to_be_graded_is_said_first_on_the_page_and_in_the_terminal() -> None:
    """Slow programs end last: without them the figures lean towards the good."""
    figures = program_figures_of()
    interrupted = replace(figures.summary, open_problems=("limited", "twice"))
    out = StringIO()
    print_program_figures(replace(figures, summary=interrupted), Console(file=out, width=400))
    shown = page_of(summary=interrupted).partition("<h2>Programs</h2>")[2].partition("<table")[0]
    for text in (out.getvalue().partition("pass@1")[0], shown):
        assert "2 of 7 problems are still to be done and in no figure (limited, twice)" in text
        assert "joulemark code grade RUN" in text
    out = StringIO()
    print_program_figures(figures, Console(file=out, width=400))
    assert "Not finished" not in out.getvalue() + page_of()


def test_what_could_not_be_measured_is_told() -> None:
    section = programs_section(program_figures_of(not_measured={"same": "no pairs and no growth"}))
    assert any("same: no pairs and no growth" in note for note in section.notes)


@pytest.mark.parametrize(
    ("source", "unit", "generating", "running"),
    [
        (SourceKind.MEASURED, "J", "Energy (measured)", "(modelled)"),
        (SourceKind.REPLAYED, "J", "Energy (replayed)", "(modelled from replayed joules)"),
        (SourceKind.SIMULATED, "J", "Energy (simulated)", "(modelled from simulated joules)"),
        (SourceKind.MEASURED, "s", "Processor time", "(modelled)"),
        (SourceKind.SIMULATED, "s", "Processor time (simulated)", "(modelled from simulated joules)"),
    ],
)
def test_joules_that_were_not_measured_are_not_called_measured(
    source: SourceKind, unit: str, generating: str, running: str
) -> None:
    figures = program_figures_of(source=source, generate=Value(150.0, unit), run_j=Value(2.0, "J"))
    titles = [row.title for row in programs_section(figures).figures]
    assert f"{generating} to generate, per correct answer" in titles
    assert f"Energy {running} of one run" in titles
    kinds = figures_json(figures)["kinds"]
    assert isinstance(kinds, dict)
    assert kinds["generate_per_correct_answer"] == kinds["joules_per_cpu_second"] == source.value


def test_a_rate_of_replayed_joules_is_named_so_in_the_cost_with_runs() -> None:
    cost = ModelCost(CostKind.AT_METERED_RATE, {"p": TaskCost(1.0, 1, 1.0)})
    curve = ((1, Value(2.0, "J")),)
    replayed = program_figures_of(source=SourceKind.REPLAYED, cost=cost, curve=curve)
    (title,) = [row.title for row in programs_section(replayed).figures if "with 1 run" in row.title]
    assert "metered rate from replayed joules" in title
    live = program_figures_of(cost=cost, curve=curve)
    assert not any("replayed" in row.title for row in programs_section(live).figures)


def test_a_program_that_is_right_on_the_tests_alone_says_where_it_was_wrong() -> None:
    figures = program_figures_of()
    (sample,) = [one for one in figures.summary.samples if one.problem == "twice"]
    wrong = program("twice", 0, Purpose.WHOLE, correct=False, program=sample.program)
    (beyond,) = samples_of([*sample.runs, wrong])
    section = programs_section(replace(figures, summary=replace(figures.summary, samples=(beyond, sample))))
    assert [line.verdict for line in section.lines] == ["right", "right"]
    assert "not with all tests in one process" in section.lines[0].how
    assert "larger" not in section.lines[0].how
    assert section.lines[1].how == ""
