"""CSV, Parquet and JSON hold what the leaderboard shows, and no spreadsheet runs any of it."""

from __future__ import annotations

import csv
import io

import orjson
import polars as pl
import pytest

from doubles.standing_rows import figure, row, snapshot_of
from joulemark.board.standing.exports import csv_of, frame_of, leaderboard_json, parquet_of
from joulemark.board.standing.listing import Query

JPC = "joules_per_correct_answer"
FORMULAS = ('=HYPERLINK("http://evil","x")', "+1+1", "-2+3", "@SUM(A1)", "\tx", "\r=1")


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_begins_as_a_formula(text: str) -> None:
    found = snapshot_of([row("a", model=text, source=text, settings={"x": text})])
    (line,) = read_csv(csv_of(frame_of(found, Query())))
    assert line["model"] == f"'{text}"
    assert all(not value or value[0] not in "=+@\t\r" for value in line.values())
    assert pl.read_parquet(io.BytesIO(parquet_of(frame_of(found, Query()))))["model"][0] == text


def test_a_negative_number_stays_one() -> None:
    found = snapshot_of([row("a", figures={"net_joules": figure(-12.5)})])
    (line,) = read_csv(csv_of(frame_of(found, Query())))
    assert float(line["net_joules"]) == -12.5


def test_an_unknown_figure_is_empty_with_its_reason() -> None:
    found = snapshot_of([row("a", None), row("b", 5.0, 1.0)])
    lines = {line["model"]: line for line in read_csv(csv_of(frame_of(found, Query())))}
    assert lines["org/model-a"][JPC] == ""
    assert lines["org/model-a"][f"{JPC}_reason"] == "no_meter"
    assert lines["org/model-a"]["rank_best"] == ""
    assert lines["org/model-a"]["why_unranked"]
    assert (lines["org/model-b"]["rank_best"], lines["org/model-b"][f"{JPC}_lo"]) == ("1", "4.0")


def test_all_three_have_the_same_rows_in_the_same_order() -> None:
    found = snapshot_of([row(f"{k}", float(k), 0.1, tier="BC"[k % 2]) for k in range(1, 20)])
    query = Query(tier="B")
    frame = frame_of(found, query)
    document = orjson.loads(leaderboard_json(found, query, 500, 0))
    ids = [one["id"] for one in document["rows"]]
    assert frame["id"].to_list() == ids
    assert [line["id"] for line in read_csv(csv_of(frame))] == ids
    assert document["n_rows"] == len(ids) == 9
    assert document["rows"][0]["rank"] == {"best": 1, "worst": 1}


def test_an_empty_board_has_empty_exports() -> None:
    frame = frame_of(snapshot_of([]), Query())
    assert frame.height == 0
    assert read_csv(csv_of(frame)) == []
    assert pl.read_parquet(io.BytesIO(parquet_of(frame))).columns == frame.columns
