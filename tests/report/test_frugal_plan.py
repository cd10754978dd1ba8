"""A plan as a reader sees it: in a terminal and on a page."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.planning.known_task import known_from
from joulemark.frugal.planning.plan import Plan, plan
from joulemark.frugal.planning.stated_task import parse_task
from joulemark.frugal.target import parse_target
from joulemark.record.errors import InputError
from joulemark.report.frugal_plan_chart import course_chart, course_points
from joulemark.report.frugal_plan_html import render_plan, write_plan
from joulemark.report.frugal_plan_terminal import print_plan
from joulemark.report.frugal_plan_words import cost_rows, task_rows

EVIL = "<script>alert(1)</script>\x1b[31m'"


def _made(*targets: str, over: str = "each", name: str = "sums") -> Plan:
    random = np.random.default_rng(0)
    correct = (random.random(400) < 0.7).astype(float)
    outcomes = Outcomes(
        name, "accuracy", correct, costs={"energy_j": random.lognormal(2, 0.5, 400), "wall_s": np.ones(400)}
    )
    tasks = [known_from(outcomes, n_items=9000), parse_task("stated=2000:.5:3±1J,10ms")]
    return plan(tasks, [parse_target(text) for text in targets or ("accuracy ±2pp",)], over=over)  # type: ignore[arg-type]


def _printed(found: Plan, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_plan(found, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_terminal_tells_sizes_and_costs(width: int) -> None:
    text = _printed(_made("accuracy ±2pp", "joules_per_correct ±5%"), width)
    assert max(map(len, text.splitlines())) <= width
    words = " ".join(text.split())
    assert "accuracy ±2pp, joules_per_correct ±5% on every task" in words
    assert "of 11,000 items" in words
    assert "±2.00 pp" in words
    assert "The published cut-off asks 40.7 % of the items whatever is wanted" in words
    assert "(stated)" in words


def test_measured_and_stated_costs_have_no_sum() -> None:
    rows = cost_rows(_made())
    assert {(row.cost, row.task) for row in rows} == {
        ("Energy", "sums"),
        ("Energy", "stated"),
        ("Time", "sums"),
        ("Time", "stated"),
    }
    assert "not added to each other" in _printed(_made())


def test_a_relative_width_is_told_as_a_share() -> None:
    first = task_rows(_made("joules_per_correct ±5%"))[0]
    assert first.gives == "±5.0 %"


def test_the_page_is_one_quiet_file(tmp_path: Path) -> None:
    page = render_plan(_made("accuracy ±2pp", name=EVIL))
    assert "<script" not in page.replace("&lt;script", "")
    assert "\x1b" not in page
    assert not re.search(r"(src|href)=[\"']https?:", page)
    assert page.count("<svg") == 2  # wide and narrow
    assert "at 40.7 %" in page.lower()
    path = tmp_path / "plan.html"
    write_plan(_made(), path, fix="elsewhere")
    assert path.read_text().startswith("\n<!doctype html>") or path.read_text().startswith("<!doctype html>")
    with pytest.raises(InputError):
        write_plan(_made(), tmp_path / "no" / "such" / "plan.html", fix="elsewhere")


def test_the_picture_follows_the_plan() -> None:
    found = _made()
    rows = course_points(found)
    assert {row["task"] for row in rows} == {"together", "sums", "stated"}
    sums = sorted((row["width"], row["share"]) for row in rows if row["task"] == "sums")
    assert all(a[1] >= b[1] for a, b in pairwise(sums))
    picture = course_chart(found, rows, 800)
    picture.chart.to_dict()  # against the grammar
    assert picture.data["target"] == [{"width": 2.0}]


def test_a_decision_has_no_course() -> None:
    found = _made("accuracy > 0.6")
    assert course_points(found) == []
    assert "<svg" not in render_plan(found)
    assert "four of five runs that it ends" in " ".join(_printed(found).split())


def test_a_mean_over_tasks_tells_its_own_width() -> None:
    text = _printed(_made("accuracy ±2pp", over="mean"), 100)
    together = next(line for line in text.splitlines() if line.startswith("together"))
    assert "±2.00 pp" in together


def test_what_the_interval_of_a_cost_is_of_and_what_the_table_leaves_out() -> None:
    random = np.random.default_rng(0)
    costs = {"energy_j": random.lognormal(2, 0.5, 400), "e2el_s": random.lognormal(0, 0.5, 400)}
    outcomes = Outcomes("sums", "accuracy", (random.random(400) < 0.7).astype(float), costs=costs)
    text = " ".join(_printed(plan([known_from(outcomes)], [parse_target("accuracy ±2pp")])).split())
    assert "costs ± 95 %: of asking anew, other items of the kind" in text
    assert "not in the table of costs but in --json: e2el_s (requests overlap" in text
    plain = _printed(plan([parse_task("stated=2000:.5")], [parse_target("accuracy ±2pp")]))
    assert "asking anew" not in plain
    assert "--json" not in plain
