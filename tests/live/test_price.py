"""Rates in a line of code: the same as those of the options, said in the words of code."""

from __future__ import annotations

import pytest

import joulemark
from joulemark.live.price import rates_with
from joulemark.metrics.grid import grid_intensity
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates, RateStep

STEP = RateStep(from_utc="2026-11-29T20:00Z", to_utc="2026-11-29T21:00Z", rate=1.0)
BEFORE = Rates(
    grid_series=[STEP], grid_source="grid.csv", tariff=[STEP], electricity_source="house.toml", pue=1.1
)


def with_these(
    rates: Rates | None = None,
    usd_per_kwh: float | None = None,
    gco2e_per_kwh: float | None = None,
    zone: str | None = None,
    pue: float | None = None,
) -> Rates:
    return rates_with(rates, usd_per_kwh=usd_per_kwh, gco2e_per_kwh=gco2e_per_kwh, zone=zone, pue=pue)


def test_numbers_and_zones_with_their_sources() -> None:
    found = with_these(usd_per_kwh=0.3, zone="fr", pue=1.2)
    assert (found.usd_per_kwh, found.electricity_source, found.pue) == (0.3, "declared in the code", 1.2)
    france = grid_intensity("FRA")
    assert (found.gco2e_per_kwh, found.grid_zone, found.grid_source) == (
        france.gco2e_per_kwh,
        "FRA",
        france.credit,
    )
    own = with_these(gco2e_per_kwh=44, zone="here")
    assert (own.gco2e_per_kwh, own.grid_zone, own.grid_source) == (44, "here", "declared in the code")


def test_what_is_given_clears_the_series_and_the_rest_stays() -> None:
    priced = with_these(BEFORE, usd_per_kwh=0.3)
    assert (priced.tariff, priced.grid_series, priced.pue) == ([], [STEP], 1.1)
    zoned = with_these(BEFORE, zone="WORLD")
    assert (zoned.grid_series, zoned.tariff, zoned.electricity_source) == ([], [STEP], "house.toml")
    assert BEFORE.grid_series == BEFORE.tariff == [STEP]


@pytest.mark.parametrize(
    "rates",
    [
        {"usd_per_kwh": -0.1},
        {"usd_per_kwh": float("nan")},
        {"gco2e_per_kwh": float("inf")},
        {"pue": 0.9},
    ],
)
def test_what_is_no_rate_is_refused_by_its_name(rates: dict[str, float]) -> None:
    (name,) = rates
    with pytest.raises(InputError, match=name):
        with_these(**rates)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"usd_per_kwh": -7.0}, "usd_per_kwh is -7"),
        ({"usd_per_kwh": 1e308}, "usd_per_kwh is 1e+308"),
        ({"gco2e_per_kwh": float("nan")}, "gco2e_per_kwh: "),
        ({"gco2e_per_kwh": "coal"}, "gco2e_per_kwh: "),
        ({"pue": 0.01}, "pue is 0.01"),
        ({"tariff": [STEP.model_copy(update={"rate": 1e9})]}, "changes with time"),
        ({"tariff": [STEP, STEP]}, "do not follow each other"),
        ({"grid_series": [STEP.model_copy(update={"from_utc": "noon"})]}, "do not follow each other"),
    ],
)
def test_rates_that_are_handed_over_are_such_as_there_can_be(wrong: dict[str, object], told: str) -> None:
    rates = Rates().model_copy(update=wrong)  # as whoever sets a field afterwards has it
    with pytest.raises(InputError, match="rates=") as error:
        with_these(rates)
    assert told in error.value.why
    with pytest.raises(InputError, match="rates="):
        joulemark.measure(meters="none", rates=rates)
    with pytest.raises(InputError, match="rates="):
        with_these(rates, zone="FRA")


def test_rates_that_are_handed_over_stay_as_they_are() -> None:
    assert with_these(BEFORE) == BEFORE


def test_an_unknown_zone_is_told_without_the_words_of_the_command_line() -> None:
    with pytest.raises(InputError) as error:
        with_these(zone="germny")
    assert "DEU (Germany)" in error.value.why
    assert "gco2e_per_kwh=" in error.value.fix
    assert "--" not in error.value.fix
