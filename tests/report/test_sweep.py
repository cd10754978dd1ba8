"""A sweep in a terminal and as a page: every point has a row, and every empty cell its reason."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from doubles import chromium
from doubles.swept import measured, swept
from joulemark.metrics.late_client import why_not_ranked
from joulemark.metrics.value import Value
from joulemark.record.errors import InputError
from joulemark.report.sweep_chart import panel_chart, panel_words, panels
from joulemark.report.sweep_html import render_sweep, write_sweep
from joulemark.report.sweep_table import matrix, sweep_rows
from joulemark.report.sweep_terminal import print_sweep
from joulemark.report.sweep_words import progress_text, title
from joulemark.sweeps.engine_state import EngineState
from joulemark.sweeps.points import Measured, Swept, SweptPoint
from joulemark.sweeps.setting import Setting

PROGRAM = chromium.find()
LEVELS = [1, 2, 4, 8, 16]
HOSTILE = "<script>alert(1)</script>\x1b[31m[bold]&"


@pytest.fixture
def grid() -> Swept:
    left = {
        (4, 1): ("skipped", "the batch is never full"),
        (32, 16): ("failed", "vllm did not start: it ended before it was ready"),
        (4, 16): ("saturated", "saturated: at 8 requests in flight two steps in a row had brought less"),
        (32, 8): ("planned", ""),
    }
    return swept(
        {"max_batch": [4, 32], "concurrency": LEVELS},
        left,
        figures=lambda values: measured(float(str(values["concurrency"])), float(str(values["max_batch"]))),
    )


def printed(found: Swept, width: int = 140) -> str:
    out = io.StringIO()
    print_sweep(found, Console(file=out, width=width, force_terminal=False))
    return out.getvalue()


def test_every_point_has_a_row_and_every_gap_its_reason(grid: Swept) -> None:
    text = printed(grid)
    assert title(grid) == "Sweep over batch size limit × requests in flight"
    assert progress_text(grid) == "10 points: 6 measured, 1 to do, 1 failed, 1 saturated, 1 skipped."
    assert len(sweep_rows(grid)) == 10
    for why in ("the batch is never full", "vllm did not start", "two steps in a row"):
        assert why in text
    assert "350" in text  # joules of one request at a time: 105 W × 100 tokens at 30 tokens/s


def test_a_grid_of_two_axes_is_a_matrix_with_the_load_across(grid: Swept) -> None:
    found = matrix(grid)
    assert found is not None
    assert found.columns == ("1", "2", "4", "8", "16")
    assert [name for name, _ in found.rows] == ["max batch 4", "max batch 32"]
    (first, *_), (one, *_) = found.rows[0][1], found.rows[1][1]
    assert first == ("—", 1)
    assert one[0].startswith("350")
    assert one[1] is None
    assert found.rows[1][1][4][0] == "—"
    assert "vllm did not start" in found.notes[(found.rows[1][1][4][1] or 0) - 1]
    assert matrix(swept({"concurrency": LEVELS})) is None


def test_one_axis_is_drawn_with_its_intervals() -> None:
    found = swept({"concurrency": LEVELS})
    drawn = {panel.title: panel for panel in panels(found, "concurrency")}
    assert set(drawn) == {
        "Energy",
        "Energy per correct answer",
        "Time per output token, mean",
        "Time to first token, mean",
        "Whole answer, mean",
        "Throughput",
    }
    energy = drawn["Energy"]
    assert energy.unit == "J per request"
    assert [row["x"] for row in energy.rows] == LEVELS
    assert all(row["lo"] < row["y"] < row["hi"] for row in energy.rows)
    assert energy.rows[0]["y"] == pytest.approx(350)
    assert drawn["Time per output token, mean"].unit == "ms"
    assert panel_words(energy) == "all points: 350 J per request at 1, 37.5 J per request at 16"
    assert panel_chart(energy, 240).chart.to_dict(validate=True)


def test_other_axes_are_lines_of_their_own(grid: Swept) -> None:
    energy = panels(grid, "concurrency")[0]
    assert energy.series == ("max batch 32", "max batch 4")
    assert [row["x"] for row in energy.rows if row["series"] == "max batch 4"] == [2, 4, 8]
    assert panel_chart(energy, 240).chart.to_dict(validate=True)


def test_an_axis_of_words_is_drawn_in_its_own_order() -> None:
    found = swept({"engine": ["vllm", "sglang", "llama-server"]}, figures=lambda values: measured(2))
    energy = panels(found, "engine")[0]
    assert [row["x"] for row in energy.rows] == ["vllm", "sglang", "llama-server"]
    assert panel_chart(energy, 240).chart.to_dict(validate=True)
    assert "<svg" in render_sweep(found)


def test_many_combinations_are_drawn_without_a_legend() -> None:
    found = swept({"max_batch": list(range(1, 13)), "concurrency": [1, 2]})
    energy = panels(found, "concurrency")[0]
    assert len(energy.series) == 12
    assert "'legend'" not in str(panel_chart(energy, 240).chart.to_dict(validate=False))
    assert "<svg" in render_sweep(found)


def test_without_a_meter_latency_and_throughput_are_drawn_and_energy_is_not() -> None:
    found = swept(
        {"concurrency": LEVELS}, figures=lambda v: measured(float(str(v["concurrency"])), energy=False)
    )
    assert "Energy" not in [panel.title for panel in panels(found, "concurrency")]
    assert "Whole answer, mean" in [panel.title for panel in panels(found, "concurrency")]
    assert "No energy meter was found" in printed(found)


def test_a_sweep_of_which_nothing_is_measured_has_a_page_that_says_so() -> None:
    left = {(level,): ("failed", "the engine went away") for level in LEVELS}
    page = render_sweep(swept({"concurrency": LEVELS}, left))
    assert "there is nothing to draw" in page
    assert page.count("the engine went away") >= 5
    assert "CUDA out of memory" in page


def test_the_page_holds_no_foreign_markup(grid: Swept) -> None:
    for one in grid.points:
        one.record.why = HOSTILE if one.record.why else ""
        one.record.detail = HOSTILE
        one.record.command = HOSTILE
        one.record.launch = [HOSTILE]
    grid.record.base["model"] = HOSTILE
    grid.record.skip[HOSTILE] = HOSTILE
    page = render_sweep(grid, frontier="frontier.html")
    assert "<script" not in page
    assert "\x1b" not in page
    assert 'href="frontier.html"' in page
    assert "\x1b" not in printed(grid)


def late(found: Swept, *levels: int, kind: str = "measured") -> Swept:
    """Return the sweep with points of these levels whose client did not keep up."""
    told = why_not_ranked(["loop_lag"])
    points = []
    for one in found.points:
        assert one.measured is not None
        is_late = one.record.values["concurrency"] in levels
        changed = replace(one.measured.point, kind=kind, late=told if is_late else "")
        points.append(SweptPoint(one.record, replace(one.measured, point=changed)))
    return replace(found, points=tuple(points))


def test_an_invalid_point_is_no_measured_one_and_is_not_drawn() -> None:
    found = late(swept({"concurrency": LEVELS}), 4)
    assert progress_text(found) == "5 points: 4 measured, 1 invalid."
    row = sweep_rows(found)[2]
    assert (row.state, row.cells[0][:3]) == ("invalid", "100")
    assert "free the processor" in row.why
    assert row.why.count("did not keep up") == 1
    energy = panels(found, "concurrency")[0]
    assert [one["x"] for one in energy.rows] == [1, 2, 8, 16]
    assert "! INVALID timing in 1 of 5 points" in printed(found)
    assert "The same command measures them again." in " ".join(printed(found).split())
    page = render_sweep(found)
    assert page.index("INVALID timing") < page.index("Against requests in flight")


def test_where_all_are_invalid_the_empty_picture_says_what_to_do() -> None:
    page = render_sweep(late(swept({"concurrency": LEVELS}), *LEVELS))
    assert "<svg" not in page
    drawn = page[page.index("there is nothing to draw") :][:200]
    assert "The same command measures them again." in drawn


def test_a_simulation_says_so_first_and_the_model_is_named() -> None:
    found = late(swept({"concurrency": LEVELS}), kind="simulated")
    text = printed(found)
    assert text.index("SIMULATION") < text.index("350")
    assert "org/model-1b · sums" in text
    page = render_sweep(found)
    assert '<p class="loud" role="note">This is a SIMULATION' in page
    assert page.index("SIMULATION") < page.index("<svg")
    assert "org/model-1b" in page[: page.index("<svg")]
    assert "SIMULATION" not in render_sweep(swept({"concurrency": LEVELS}))


@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_the_table_of_points_is_whole_in_a_usual_window(tmp_path: Path) -> None:
    """With every column that there can be of answers in words, and figures of five digits."""

    def figures(values: Mapping[str, Setting]) -> Measured:
        found = measured(float(str(values["concurrency"])))
        known = dict.fromkeys(found.engine.figures, Value(123456.0, "1"))
        wide = replace(found.point, energy_j=Value(12345.0, "J"), joules_per_correct=Value(54321.0, "J"))
        return replace(found, point=wide, engine=EngineState(known))

    page = tmp_path / "sweep.html"
    made = swept({"concurrency": LEVELS, "max_batched_tokens": [512, 2048]}, figures=figures)
    write_sweep(made, page, fix="free some space")
    cut = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
    assert PROGRAM is not None
    with chromium.browser(PROGRAM, tmp_path) as tab:
        tab.width(1280)
        tab.open(page)
        assert tab.value(cut) == 0


def test_a_narrow_terminal_breaks_nothing(grid: Swept) -> None:
    lines = printed(grid, width=70).splitlines()
    assert max(map(len, lines)) <= 70
    assert any(re.search(r"max batch 4, concurrency 2\s+measured\s+\d", line) for line in lines)


def test_a_page_is_written_whole_or_not(tmp_path: Path, grid: Swept) -> None:
    write_sweep(grid, tmp_path / "sweep.html", fix="free some space")
    assert (tmp_path / "sweep.html").read_text().endswith("</html>")
    with pytest.raises(InputError, match=r"ends in \.html"):
        write_sweep(grid, tmp_path / "sweep.json", fix="free some space")


@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_a_browser_shows_it_without_a_complaint_at_any_width(tmp_path: Path, grid: Swept) -> None:
    page = tmp_path / "sweep.html"
    write_sweep(grid, page, frontier="frontier.html", fix="free some space")
    assert PROGRAM is not None
    with chromium.browser(PROGRAM, tmp_path) as tab:
        for width in (1200, 760, 360):
            tab.width(width)
            tab.open(page)
            assert tab.value("document.documentElement.scrollWidth") <= width
            assert tab.value("document.querySelectorAll('svg').length") >= 6
            (tmp_path / f"{width}.png").write_bytes(tab.screenshot())
        loud = ("Log.entryAdded", "Runtime.exceptionThrown")
        complaints = [event for event in tab.events if event.get("method") in loud]
        assert complaints == []
