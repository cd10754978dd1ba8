"""Cells: figures in words, their intervals and spreads, and dashes with reasons."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doubles.standing_rows import figure, row
from joulemark.board.standing.board_row import Spread
from joulemark.board.standing.cells import COLUMNS, figure_cell, figure_title, load, short_title
from joulemark.board.standing.figure_names import NAMES
from joulemark.board.standing.figures import figure_from, inverse, ratio, value_from
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

JPC = "joules_per_correct_answer"


def test_a_figure_tells_its_interval_and_its_kind() -> None:
    cell = figure_cell(JPC, row(joules=123.4, half=10.0))
    assert (cell.text, cell.interval) == ("123 J", "113 … 133 J")
    assert cell.hint == "95 % interval 113 … 133 J, n = 40"
    assert cell.spread == ""


def test_a_spread_tells_mean_sigma_and_number() -> None:
    made = replace(row(), spreads={JPC: Spread(100.0, 12.0, 3)})
    assert figure_cell(JPC, made).spread == "100 ± 12 J (3)"


def test_a_dash_has_a_reason_also_where_nothing_is_known_of_it() -> None:
    assert figure_cell(JPC, row(joules=None)).why == "No meter was found."
    assert figure_cell("net_joules", row()).why
    silent = row(streamed=False, figures={"ttft_p50": figure(None, unit="s")})
    assert "not streamed" in figure_cell("ttft_p50", silent).why


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_has_titles(name: str) -> None:
    assert figure_title(name, "image")
    assert short_title(name, "image")
    assert set(COLUMNS) <= set(NAMES)


def test_published_rows_tell_their_axes_and_not_the_usual_ones() -> None:
    settings = {"max_batch": 64, "tensor_parallel": 1, "quantization": "fp8"}
    assert load(row(kind="published", settings=settings)) == "batch 64"
    assert load(row()) == ""
    assert load(row(load="8 in flight")) == "8 in flight"


@pytest.mark.parametrize(
    "value",
    [
        Value(1.0, "J", 0.5, 2.0, "ci95", n=3),
        Value(1.0, "J", 1.0, 1.0, "bound"),
        Value(1.0, "J", interval_reason=Reason.NOT_PUBLISHED),
        withheld("J", Reason.NO_METER, detail="None."),
    ],
)
def test_a_kept_figure_is_the_figure(value: Value) -> None:
    again = value_from(figure_from(value))
    assert (again.value, again.lo, again.hi, again.unit, again.reason) == (
        value.value,
        value.lo,
        value.hi,
        value.unit,
        value.reason,
    )


def test_one_over_a_figure_turns_its_interval_round() -> None:
    turned = inverse(Value(4.0, "J", 2.0, 8.0, "ci95"), "1/J")
    assert (turned.value, turned.lo, turned.hi) == (0.25, 0.125, 0.5)
    assert inverse(Value(0.0, "J"), "1/J").reason is Reason.NOT_APPLICABLE
    assert inverse(withheld("J", Reason.NO_METER), "1/J").reason is Reason.NO_METER
    assert ratio(Value(1.0, "1"), Value(0.0, "W"), "1/W").value is None
    assert ratio(Value(1.0, "1"), Value(4.0, "W"), "1/W").value == 0.25
