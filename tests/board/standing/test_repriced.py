"""At a reader's rates money and carbon are joules times one rate, and can be ranked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.standing_rows import figure, row, snapshot_of
from joulemark.board.refusal import Refused
from joulemark.board.standing.board_row import Spread
from joulemark.board.standing.listing import Query, tables
from joulemark.board.standing.query_parameters import address, query_of
from joulemark.board.standing.repriced import OwnRates, at_rates

JPC, USD, GRID = "joules_per_correct_answer", "usd_per_correct_answer", "gco2e_per_correct_answer"


def rows() -> list:  # type: ignore[type-arg]
    cheap = {USD: figure(9.0, 1.0, "USD"), GRID: figure(2.0, None, "gCO2e")}
    priced = replace(row("a", 3.6e6, 3.6e5, figures=cheap), spreads={JPC: Spread(3.6e6, 3.6e4, 2)})
    return [priced, row("b", 7.2e6, 3.6e5), row("c", None, figures={USD: figure(0.1, None, "USD")})]


def test_the_rows_are_priced_alike_and_ranked() -> None:
    (table,) = tables(snapshot_of(rows()), Query(sort=USD, rates=OwnRates(usd_per_kwh=0.5)))
    first, second, third = table.rows
    assert first.row.figures[USD].value == pytest.approx(0.5)
    assert (first.row.figures[USD].lo, first.row.figures[USD].hi) == pytest.approx((0.45, 0.55))
    assert first.row.spreads[USD] == Spread(pytest.approx(0.5), pytest.approx(0.005), 2)  # type: ignore[arg-type]
    assert first.row.figures[GRID].value == 2.0, "what no rate was given for stays as it was declared"
    assert (str(first.rank), str(second.rank)) == ("1", "2")
    assert third.row.figures[USD].value is None, "no joules, no price of them"
    assert third.rank is None
    assert third.why_unranked


def test_without_rates_nothing_changes_and_money_is_no_rank() -> None:
    found = snapshot_of(rows())
    assert at_rates(found, OwnRates()) is found
    (table,) = tables(found, Query(sort=USD))
    assert [one.rank for one in table.rows] == [None, None, None]
    assert table.rows[0].row.figures[USD].value == 0.1


def test_the_rows_of_a_few_readers_are_kept() -> None:
    found = snapshot_of(rows())
    first = at_rates(found, OwnRates(0.1))
    assert at_rates(found, OwnRates(0.1)) is first
    for k in range(20):
        at_rates(found, OwnRates(k + 1.0))
    assert len(found.repriced) <= 4


@given(st.floats(0.0, 100.0))
def test_the_price_is_joules_times_rate(rate: float) -> None:
    found = at_rates(snapshot_of(rows()), OwnRates(gco2e_per_kwh=rate))
    for one in found.rows:
        joules, grams = one.figures[JPC], one.figures[GRID]
        if joules.value is None:
            assert grams.value is None
        else:
            assert grams.value == pytest.approx(joules.value / 3.6e6 * rate)


@pytest.mark.parametrize("text", ["101", "99999999999999999999"])
def test_a_rate_that_nobody_pays_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        query_of(usd_per_kwh=text)


@pytest.mark.parametrize(("text", "rate"), [("", None), (".", None), ("0", 0.0), ("0.3", 0.3), (".25", 0.25)])
def test_a_rate_is_read_and_stays_in_the_address(text: str, rate: float | None) -> None:
    query = query_of(usd_per_kwh=text)
    assert query.rates.usd_per_kwh == rate
    assert ("usd_per_kwh" in address(query)) == (rate is not None)
    assert not query.is_filtered
