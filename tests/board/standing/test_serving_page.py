"""The picture of loaded servers: each table its own, the front as metrics find it."""

from __future__ import annotations

import numpy as np
import pytest

from doubles.standing_rows import figure, row, snapshot_of
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.serving_page import MOST_PICTURES, front_of, places_on_it, serving_values


def loaded(name: str, joules: float, tpot_s: float, **fields: object) -> BoardRow:
    figures = {"energy_j": figure(joules, 2.0), "tpot_mean": figure(tpot_s, None, "s")}
    return row(name, figures=figures, **{"load": "8 in flight", **fields})  # type: ignore[arg-type]


ROWS = [loaded(f"{k}", 100 - 10 * k + 30 * (k % 2), 0.01 + 0.005 * k) for k in range(6)]


def test_the_front_is_what_nothing_beats_in_both() -> None:
    front = front_of(ROWS)
    points = [(one.figures["tpot_mean"].value, one.figures["energy_j"].value) for one in ROWS]
    best = {
        one.id
        for one, (x, y) in zip(ROWS, points, strict=True)
        if not any(a <= x and b <= y and (a, b) != (x, y) for a, b in points)  # type: ignore[operator]
    }
    assert {line.row.id for line in front.lines} == best
    times = [line.time.value for line in front.lines]
    assert times == sorted(times, key=lambda t: np.inf if t is None else t)
    assert "<svg" in front.drawing.wide
    assert front.n == len(ROWS)


def test_single_requests_and_rows_without_energy_are_no_load() -> None:
    single = loaded("single", 1.0, 0.01, load="one at a time")
    silent = row("silent", figures={"tpot_mean": figure(0.1, None, "s")}, load="8 in flight")
    found = snapshot_of([single, silent, *ROWS])
    assert {found.rows[place].id for place in places_on_it(found)} == {one.id for one in ROWS}


def test_measured_published_and_simulated_have_a_picture_each() -> None:
    others = [
        loaded("p", 5.0, 0.001, kind="published", tier=None, questions=None),
        loaded("s", 1.0, 0.001, kind="simulated", tier=None),
    ]
    values = serving_values(snapshot_of([*ROWS, *others]), None, "gsm8k")
    fronts = values["fronts"]
    assert [front.n for front in fronts] == [6, 1, 1]
    assert len(fronts) <= MOST_PICTURES
    assert {line.row.kind for line in fronts[0].lines} == {"measured"}


def test_a_published_row_that_cannot_be_is_not_drawn() -> None:
    wrong = loaded("w", 0.001, 0.001, kind="published", is_ranked=False, why_not_ranked="Impossible.")
    assert places_on_it(snapshot_of([wrong])) == []


@pytest.mark.parametrize(("model", "task"), [("nobody", None), (None, "nothing"), ("x", "y")])
def test_what_is_not_there_is_an_empty_page(model: str | None, task: str | None) -> None:
    values = serving_values(snapshot_of(ROWS), model, task)
    assert values["fronts"] == []
