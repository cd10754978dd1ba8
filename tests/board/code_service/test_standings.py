"""The list: ranks within what may be compared, ties as ranges, reasons for what has no rank."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from doubles.boards import BoardDouble
from joulemark.board.code_service.asked import address
from joulemark.board.code_service.cells import figure_cell
from joulemark.board.code_service.figures import COLUMNS, KEPT, NAMES, OF_WALL, View, short_title, tooltip_of
from joulemark.board.code_service.secret import Identity
from joulemark.board.code_service.standings import Query, Standing, tables
from joulemark.board.standing.board_row import Figure


def row(name: str, value: float | None, half: float = 0.0, **more: Any) -> Standing:
    figure = Figure(value, "1", detail="It was not measured.")
    if value is not None:
        figure = Figure(value, "1", value - half, value + half, "ci95", 5)
    facts: Mapping[str, Any] = {
        "job_id": name,
        "model": name,
        "finished_at": "2026-01-01T00:00:00.000000+00:00",
        "dataset": "built_in",
        "environment_id": "e",
        "environment": "a machine",
        "is_whole": True,
        "busy": (),
        "settings": {"n_tests": 100, "seed": 0, "timeout_s": 10.0, "memory_mib": 1024},
        "counts": {"n_problems": 5, "n_right": 5, "n_samples": 5},
        "figures": {"net": figure, "net_corrected": figure, "pass_at_1": figure},
        "table": "t",
    }
    return Standing(**{**facts, **more})


def ranks(rows: list[Standing], **query: Any) -> dict[str, str]:
    made = tables(rows, Query(**{"sort": "net", **query}))
    return {one.row.model: "" if one.rank is None else str(one.rank) for table in made for one in table.rows}


def test_ranks_are_ranges_where_intervals_meet() -> None:
    rows = [row("c", 3.0, 0.1), row("a", 1.0, 0.3), row("b", 1.2, 0.3), row("none", None)]
    assert ranks(rows) == {"a": "1–2", "b": "1–2", "c": "3", "none": ""}
    assert list(ranks(rows)) == ["a", "b", "c", "none"]
    assert list(ranks(rows, descending=True)) == ["c", "b", "a", "none"]
    assert ranks(rows, sort="pass_at_1") == {"c": "1", "b": "2–3", "a": "2–3", "none": ""}


def test_a_filter_changes_no_rank() -> None:
    rows = [row("a", 1.0), row("b", 2.0), row("c", 3.0)]
    assert ranks(rows, model="C") == {"c": "3"}
    assert ranks(rows, dataset="other") == {}
    assert tables(rows, Query(sort="net", model="c"))[0].n_rows == 3


def test_nothing_is_ranked_across_tables() -> None:
    rows = [row("a", 1.0), row("b", 2.0, table="u"), row("c", 3.0)]
    assert ranks(rows) == {"a": "1", "c": "2", "b": "1"}


def test_what_is_not_to_be_believed_has_no_rank_and_takes_none() -> None:
    rows = [
        row("busy", 0.5, busy=("The machine was busy.",)),
        row("loose", 0.6, is_whole=False),
        row("a", 1.0),
    ]
    assert ranks(rows) == {"busy": "", "loose": "", "a": "1"}
    assert ranks(rows, sort="net_corrected") == {"busy": "1", "loose": "", "a": "2"}
    found = tables(rows, Query(sort="net"))[0].rows
    assert [one.why_unranked for one in found][:1] == ["The machine was busy."]


def test_what_lies_within_the_band_of_a_machine_is_a_tie() -> None:
    def with_band(name: str, value: float, band: float) -> Standing:
        made = row(name, value)
        return replace(made, figures={**made.figures, "aa_band": Figure(band, "1")})

    rows = [with_band("a", 1.0, 0.03), with_band("b", 1.05, 0.03), with_band("c", 1.2, 0.03)]
    assert ranks(rows, sort="net_corrected") == {"a": "1–2", "b": "1–2", "c": "3"}
    assert ranks(rows, sort="net") == {"a": "1", "b": "2", "c": "3"}


def test_a_mean_of_too_few_tasks_has_no_rank() -> None:
    few = row("few", 1.0, figures={"net": Figure(1.0, "1", detail="Too few items for an interval.")})
    assert ranks([few, row("a", 2.0, 0.1)]) == {"few": "", "a": "1"}
    (why, _) = [one.why_unranked for one in tables([few, row("a", 2.0, 0.1)], Query(sort="net"))[0].rows]
    assert why == "It has no interval: Too few items for an interval."


def test_figures_of_the_wall_are_told_apart() -> None:
    assert {"et", "net", "tmu", "ntmu", "ntmu_corrected"} <= OF_WALL
    assert not OF_WALL & {"net_corrected", "et_corrected", "mu", "nmu", "pass_at_1", "nmu_over_5"}


def test_every_column_is_defined_and_the_two_views_share_no_figure_but_pass_at_1() -> None:
    paper, ours = set(COLUMNS[View.PAPER]), set(COLUMNS[View.CORRECTED])
    assert paper & ours == {"pass_at_1"}
    assert {"et", "mu", "tmu", "net", "nmu", "ntmu", "net_max", "nmu_over_5", "ntmu_star"} <= paper
    for name in KEPT:
        assert tooltip_of(name), name
    for view in View:
        titles = [short_title(name) for name in COLUMNS[view]]
        assert len(set(titles)) == len(titles)


def test_a_withheld_mean_shows_its_bound() -> None:
    figures = {"net": Figure(None, "1", detail="ended by a limit"), "net_at_least": Figure(4.2, "1")}
    cell = figure_cell("net", row("a", 1.0, figures=figures))
    assert cell.text.startswith("≥ 4.2")
    assert cell.hint == "ended by a limit"
    assert figure_cell("mu", row("a", 1.0)).why


def test_an_address_leads_to_the_same_question() -> None:
    query = Query(dataset="built_in", model="a b", view=View.CORRECTED, sort="net_corrected", descending=True)
    told = address(query)
    assert told == "?dataset=built_in&model=a+b&figures=corrected&sort=net_corrected&order=desc"
    assert address(Query()) == ""


@pytest.fixture
def three(finish_one: Callable[..., Identity]) -> None:
    finish_one("acme/fast", [1.0] * 12)
    finish_one("acme/slow", [3.0] * 12)
    finish_one("acme/slow-elsewhere", [3.0] * 12, n_tests=7)


@pytest.mark.parametrize("service", ["sqlite", "postgresql"], indirect=True)
@pytest.mark.usefixtures("three")
def test_the_api_ranks_within_a_table(service: BoardDouble) -> None:
    answer = service.client.get("/api/v1/code/leaderboard", params={"sort": "net_corrected"})
    rows = {one["model"]: one for one in answer.json()["rows"]}
    assert rows["acme/fast"]["rank"] == {"best": 1, "worst": 1}
    assert rows["acme/slow"]["rank"] == {"best": 2, "worst": 2}
    assert rows["acme/slow-elsewhere"]["rank"] == {"best": 1, "worst": 1}
    assert rows["acme/slow"]["table"] != rows["acme/slow-elsewhere"]["table"]
    figures = rows["acme/slow"]["figures"]
    assert figures["net_corrected"]["lo"] < 3.0 < figures["net_corrected"]["hi"]
    assert set(figures) == set(NAMES)
    assert all(one["value"] is not None or one["detail"] for one in figures.values())
    assert service.client.get("/api/v1/code/leaderboard", params={"sort": "x; drop"}).status_code == 422


@pytest.mark.usefixtures("three")
def test_csv_has_ends_and_reasons(service: BoardDouble) -> None:
    answer = service.client.get("/api/v1/code/leaderboard.csv", params={"sort": "net_corrected"})
    found = list(csv.DictReader(io.StringIO(answer.text)))
    assert [one["model"] for one in found] == ["acme/fast", "acme/slow", "acme/slow-elsewhere"]
    assert float(found[1]["net_corrected_lo"]) < 3 < float(found[1]["net_corrected_hi"])
    assert found[0]["tmu"] or found[0]["tmu_detail"]
