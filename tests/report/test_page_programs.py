"""The section of programs on a run's page: each beside its reference, and why what is not known is not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from doubles import chromium, run_views
from doubles.program_figures import SOURCES, TITLE, program_figures_of
from joulemark.metrics import summarize
from joulemark.metrics.value import Value
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
