"""A recommendation in words, as plain characters, in a terminal and as a page."""

from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from doubles import chromium
from doubles.points import ci, point
from joulemark.metrics.late_client import why_not_ranked
from joulemark.metrics.limits import Limit
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.recommendation import Recommendation, Wish, recommend
from joulemark.metrics.value import Value, withheld
from joulemark.record.errors import InputError
from joulemark.record.reason import Reason
from joulemark.report.frontier_chart import energy_chart, energy_rows, frontier_chart, frontier_rows
from joulemark.report.frontier_html import render_frontier, write_frontier
from joulemark.report.frontier_table import point_rows
from joulemark.report.frontier_terminal import print_recommendation
from joulemark.report.frontier_text import text_frontier
from joulemark.report.frontier_words import figure_title, leads, left_out_first, limit_lines, title

PROGRAM = chromium.find()
HOSTILE = "<script>alert(1)</script>\x1b[31m[bold]&"
TPOT = Limit("tpot_mean", 0.1)


def _points(**fields: object) -> list[OperatingPoint]:
    made = [
        point(ci(100, 5), 0.02, "batch 8", device="NVIDIA A100", **fields),
        point(ci(60, 4), 0.08, "batch 64", device="NVIDIA H100", tdp_energy_j=Value(150, "J"), **fields),
        point(ci(62, 4), 0.09, "batch 80", device="NVIDIA H100", **fields),
        point(ci(90, 1), 0.3, "batch 100", device="NVIDIA H100", **fields),
        point(ci(50, 4), 0.4, "batch 256", device="NVIDIA A100", **fields),
    ]
    return [*made, point(10, None, "no latency", **fields)]


@pytest.fixture
def found() -> Recommendation:
    return recommend(_points(), Wish((TPOT,)))


def _printed(found: Recommendation, width: int = 100, **more: object) -> str:
    out = io.StringIO()
    print_recommendation(found, Console(file=out, width=width, force_terminal=False), **more)  # type: ignore[arg-type]
    return out.getvalue()


def test_the_answer_leads(found: Recommendation) -> None:
    first, second = leads(found)
    assert first == "Run batch 64: 60.0 J a request at 80.00 ms a token."
    assert "40.0 % (" in second
    assert "less than the fastest (batch 8)" in second
    assert "20.0 % (" not in second  # the least energy without limits is that of the point without a latency
    assert title(found) == "What to run: org/model-1b, sums"
    assert limit_lines(found) == ["time per output token, mean 80.00 ms, at most 100.0 ms is asked for"]


def test_what_costs_more_has_its_interval_in_the_same_sign_and_order() -> None:
    points = [point(ci(178.7, 40), 0.05, "batch 8"), point(ci(100, 10), 0.4, "batch 64")]
    found = recommend(points, Wish((TPOT,)))
    saved = found.savings["least_energy"]
    assert saved.lo is not None
    assert saved.hi is not None
    assert saved.lo < saved.hi < 0
    told = re.search(r"78\.7 % \((\S+) … (\S+) %\) more than the least energy", " ".join(leads(found)))
    assert told is not None, leads(found)
    least, most = (float(text) for text in told.groups())
    assert 0 < least < 78.7 < most
    assert (least, most) == pytest.approx((-100 * saved.hi, -100 * saved.lo), abs=0.06)


@pytest.mark.parametrize("other", [98, 102])
def test_what_noise_may_have_made_is_no_saving(other: float) -> None:
    points = [
        point(ci(100, 10), 0.05, "batch 8", settings={"max_batch": 8}),
        point(ci(other, 10), 0.4, "batch 64", settings={"max_batch": 64}),
    ]
    found = recommend(points, Wish((TPOT,), default={"max_batch": "64"}))
    told = leads(found)[1]
    assert "cannot be told apart from the default (batch 64): between " in told
    assert re.search(r"between \d+\.\d % more and \d+\.\d % less", told)
    assert "less than the default" not in told


def test_where_nothing_is_found_the_nearest_is_told() -> None:
    found = recommend(_points(), Wish((Limit("tpot_mean", 0.01),)))
    first, nearest = leads(found)
    assert first == "No configuration meets the limits."
    told = "time per output token, mean 20.00 ms, at most 10.00 ms is asked for (100.0 % beyond it)"
    assert nearest == f"The nearest is batch 8: {told}."
    assert "Nearest misses" in _printed(found)
    assert "Nearest misses" in render_frontier(found)


def test_without_any_energy_that_is_said() -> None:
    found = recommend([point(None, 0.1)], Wish((TPOT,)))
    assert leads(found) == [f"There is nothing to choose among. {Reason.NOT_MEASURED.text}"]
    assert title(found) == "What to run: org/model-1b, sums"
    assert "Left out" in _printed(found)
    assert "<svg" not in render_frontier(found)


def test_the_reason_that_most_were_left_out_for_is_said() -> None:
    busy = withheld("J", Reason.CLIENT_INVALID, detail="(loop_lag)")
    found = recommend([point(None, 0.1), point(busy, 0.1, "b"), point(busy, 0.1, "c")], Wish((TPOT,)))
    (told,) = leads(found)
    why = f"{Reason.CLIENT_INVALID.text} (loop_lag)"
    assert told == f"There is nothing to choose among. 2 of 3 configurations: {why}"
    assert told in " ".join(_printed(found).split())


def _late(made: OperatingPoint) -> OperatingPoint:
    return dataclasses.replace(made, late=why_not_ranked(["loop_lag"]))


def test_what_is_left_over_says_of_how_many_it_is_the_best() -> None:
    points = [point(60, 0.02, "batch 1"), point(50, 0.03, "batch 8"), point(40, 0.04, "batch 16")]
    found = recommend([points[0], *map(_late, points[1:])], Wish((TPOT,)))
    assert leads(found)[0].startswith("Run batch 1, the only one of 3 that could be judged: 60.00 J")
    (told,) = left_out_first(found)
    assert told.startswith("Left out: 2 of 3 configurations. The measuring client itself did not keep up")
    assert "(loop_lag)" in told
    printed = " ".join(_printed(found).split())
    assert printed.index("Left out: 2 of 3") < printed.index("Rated/meas.")
    page = render_frontier(found)
    assert page.index("Left out: 2 of 3") < page.index("<main>")
    four = recommend([*points[:2], _late(points[2]), _late(point(9, 0.05, "batch 9"))], Wish((TPOT,)))
    assert "Run batch 8, the best of the 2 of 4 that could be judged" in leads(four)[0]
    three = recommend([*points[:2], _late(points[2])], Wish((TPOT,)))
    assert leads(three)[0].startswith("Run batch 8: ")
    assert left_out_first(three)[0].startswith("Left out: 1 of 3")


def test_what_differs_is_no_doubt_of_the_pick() -> None:
    mixed = [point(60, 0.02, "ours"), *(point(9, 0.02, f"row {k}", kind="published") for k in range(5))]
    found = recommend(mixed, Wish((TPOT,)))
    assert leads(found)[0].startswith("Run ours: ")
    assert left_out_first(found)[0].startswith("Left out: 5 of 6 configurations. It is published")


def test_a_simulation_is_told_before_the_answer() -> None:
    found = recommend([point(60, 0.02, kind="simulated")], Wish((TPOT,)))
    printed, page = _printed(found), render_frontier(found)
    assert printed.index("SIMULATION") < printed.index("Run ")
    assert page.index("SIMULATION") < page.index("Run ")
    assert '<p class="loud" role="note">This is a SIMULATION' in page
    assert "SIMULATION" not in _printed(recommend(_points(), Wish((TPOT,))))


def test_limits_on_what_nobody_knows_are_told_with_the_reason() -> None:
    late = withheld("s", Reason.REQUEST_FAILED, detail="9 of 90 failed.")
    found = recommend([point(60, late), point(70, late, "b")], Wish((TPOT,)))
    (told,) = leads(found)
    assert told.startswith("No configuration meets the limits. None of them has all the limited figures.")
    assert told.endswith("9 of 90 failed.")


def test_several_models_are_told_apart_by_name() -> None:
    points = [point(60, 0.05, "batch 1", model="org/a"), point(70, 0.06, "batch 1", model="org/b")]
    found = recommend(points, Wish((TPOT,)))
    assert title(found) == "What to run: 2 models, sums"
    assert [row.label for row in point_rows(found)] == ["a on batch 1"]
    assert [row["name"] for row in energy_rows(found)] == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("tpot_mean", "time per output token, mean"),
        ("e2el_p99", "end-to-end latency, p99"),
        ("tpot_iteration_mean", "time per output token as published, mean"),
        ("energy_j", "energy"),
        ("odd_thing_p50", "odd thing, p50"),
    ],
)
def test_figures_have_words(name: str, told: str) -> None:
    assert figure_title(name) == told


def test_roles_in_the_table(found: Recommendation) -> None:
    roles = {row.label: row.role for row in point_rows(found)}
    assert roles["batch 64"] == "pick"
    assert roles["batch 8"] == "fastest"
    assert roles["batch 256"] == "front"
    assert roles["batch 80"] == "tie, within noise of the front"
    assert "batch 100" not in roles
    assert next(row.tdp for row in point_rows(found) if row.role == "pick") == "2.50 ×"


def test_the_plain_picture_has_each_mark_in_its_place(found: Recommendation) -> None:
    lines = text_frontier(found, columns=41, lines=9)
    grid = [line.partition("J")[2][1:] if "J" in line else line for line in lines[:9]]
    marks = {
        mark: [(k, line.index(mark)) for k, line in enumerate(lines[:9]) if mark in line] for mark in "F*o|"
    }
    assert marks["F"][0][0] == 0  # the dearest on top
    assert marks["o"][-1][0] == 8  # the least energy below
    assert marks["F"][0][1] < marks["*"][0][1] < marks["o"][-1][1]
    assert len(marks["|"]) >= 7
    assert marks["*"][0][1] < marks["|"][0][1]
    assert grid[0].strip().startswith("F")
    assert "(log)" in lines[-2]  # 20 ms to 400 ms
    assert max(map(len, lines[:9])) <= 41 + 9


def test_one_point_is_no_picture() -> None:
    assert text_frontier(recommend([point()], Wish())) == []


@pytest.mark.parametrize("width", [60, 80, 140])
def test_the_terminal_fits_and_tells_what_was_left_out(found: Recommendation, width: int) -> None:
    printed = _printed(found, width, unread=[("place/x", "broken")])
    assert all(len(line) <= width for line in printed.splitlines())
    words = " ".join(printed.split())
    assert "Left out: no latency. Its tpot_mean is not known" in words
    assert "not read: place/x: broken" in words


def test_hostile_words_do_not_act() -> None:
    points = [
        point(
            60, 0.05, HOSTILE, model=HOSTILE, task=HOSTILE, origin=HOSTILE, device=HOSTILE, notes=(HOSTILE,)
        ),
        point(50, 0.3, HOSTILE, model=HOSTILE, task=HOSTILE, origin=HOSTILE, device=HOSTILE),
    ]
    found = recommend(points, Wish((TPOT,)))
    printed, page = _printed(found), render_frontier(found)
    assert "\x1b" not in printed
    assert "[bold]" in printed
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_charts_rows(found: Recommendation) -> None:
    rows = frontier_rows(found)
    assert {row["y"]: row["role"] for row in rows} == {
        100: "the fastest",
        60: "the pick",
        62: "within noise of it",
        90: "off the front",
        50: "on the front",
    }
    assert next(row["x"] for row in rows if row["role"] == "the pick") == pytest.approx(80)  # ms
    assert len(rows) == 5  # the one without a latency is not drawn
    bars = energy_rows(found)
    assert [(bar["estimate"], bar["ratio"]) for bar in bars if bar["pick"]] == [(150, "2.50 ×")]


@pytest.mark.parametrize("width", [830, 250])
def test_the_charts_are_valid(found: Recommendation, width: int) -> None:
    frontier_chart(found, frontier_rows(found), width).chart.to_dict()
    energy_chart(found, energy_rows(found), width).chart.to_dict()


def test_the_steps_end_at_the_right_and_hold_the_front_alone(found: Recommendation) -> None:
    steps = frontier_chart(found, frontier_rows(found), 800).data["front"]
    assert [row["y"] for row in steps] == [100, 60, 50, 50]


def test_one_point_and_equal_points_can_be_drawn() -> None:
    for points in ([point()], [point(), point()], [point(0.0, 0.0)]):
        assert "<svg" in render_frontier(recommend(points, Wish()))


def test_more_devices_than_shapes_share_one() -> None:
    points = [point(100 + k, 0.1 + k / 100, f"b{k}", device=f"Board {k:02d}") for k in range(12)]
    found = recommend(points, Wish())
    rows = frontier_rows(found)
    assert len({row["device"] for row in rows}) == 8
    frontier_chart(found, rows, 800).chart.to_dict()


def test_a_place_that_cannot_be_written(found: Recommendation, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the fix"):
        write_frontier(found, tmp_path / "no" / "folder.html", fix="the fix")


def test_the_page_is_one_file_without_scripts(found: Recommendation) -> None:
    page = render_frontier(found)
    assert not re.search(r"<script|https?://|<link|<img", page)
    assert page.count("<svg") == 4  # two charts, each wide and narrow


# words of a drawing that its own edge cuts off
_OVER = """[...document.querySelectorAll('svg')].filter(s => s.getClientRects().length).flatMap(s => {
  const edge = s.getBoundingClientRect();
  return [...s.querySelectorAll('text')].filter(t => {
    const box = t.getBoundingClientRect();
    return box.width && (box.left < edge.left - 1 || box.right > edge.right + 1);
  }).map(t => t.textContent)})"""


@pytest.mark.timeout(120)
@pytest.mark.skipif(PROGRAM is None, reason=f"no browser is installed: {', '.join(chromium.NAMES)}")
def test_in_a_browser_it_fits_and_no_word_is_cut(tmp_path: Path) -> None:
    assert PROGRAM is not None
    names = [f"H100 80GB HBM3 ×8, batch {2**k}, TP 8, quantization fp8" for k in range(9)]
    points = [
        point(ci(400 / (k + 1), 9), 0.02 * 2**k, name, tdp_energy_j=Value(1200, "J"), task="a-long-task")
        for k, name in enumerate(names)
    ]
    page = tmp_path / "frontier.html"
    write_frontier(recommend(points, Wish((TPOT,))), page, fix="")
    with chromium.browser(PROGRAM, tmp_path) as tab:
        for width in (1200, 390):
            tab.width(width)
            tab.open(page)
            assert tab.value("document.documentElement.scrollWidth") <= width
            assert tab.value(_OVER) == []
            drawn = "[...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().width > 100)"
            assert tab.value(f"{drawn}.length") == 2
        assert not [e for e in tab.events if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]
