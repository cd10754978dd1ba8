"""What the user says of prices and grids becomes rates with their sources, or is refused."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from joulemark.metrics.grid import grid_intensity
from joulemark.metrics.rate_steps import utc_ns, utc_text
from joulemark.rates.declared import DeclaredRates, rates_of, resumed_rates
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates, RateStep

DAY = [(utc_ns("2026-11-29T00:00Z"), utc_ns("2026-11-30T00:00Z"))]


def test_nothing_said_is_nothing_known() -> None:
    rates = rates_of(DeclaredRates())
    assert not DeclaredRates().given
    assert (rates.usd_per_kwh, rates.gco2e_per_kwh, rates.token_price_source, rates.grid_source) == (
        None,
    ) * 4
    assert rates.pue == 1.0


def test_what_is_declared_says_so() -> None:
    rates = rates_of(
        DeclaredRates(usd_per_kwh=0.2, price="0.15, 0.6", gco2e_per_kwh=44, zone="here", pue=1.2)
    )
    assert (rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens) == (0.15, 0.6)
    assert {rates.electricity_source, rates.token_price_source, rates.grid_source} == {"declared by the user"}
    assert (rates.gco2e_per_kwh, rates.grid_zone, rates.pue) == (44, "here", 1.2)


def test_a_label_is_the_source_of_plain_numbers_and_no_rate() -> None:
    assert not DeclaredRates(label="a form").given
    rates = rates_of(DeclaredRates(0.2, "1,2", 44, embodied_kg=900.0, label="a form"))
    assert {
        rates.electricity_source,
        rates.token_price_source,
        rates.grid_source,
        rates.embodied_source,
    } == {"a form"}
    assert rates_of(DeclaredRates(zone="FRA", label="a form")).grid_source == grid_intensity("FRA").credit


def test_the_help_for_an_unknown_zone_is_the_callers() -> None:
    with pytest.raises(InputError) as error:
        rates_of(DeclaredRates(zone="germny"), zone_fix="pick one from the menu")
    assert error.value.fix == "pick one from the menu"
    assert "DEU (Germany)" in error.value.why


def test_a_zone_and_a_model_are_looked_up_with_their_sources() -> None:
    rates = rates_of(DeclaredRates(zone="fra", price="openai/gpt-4o-mini"))
    assert rates.grid_zone == "FRA"
    assert rates.gco2e_per_kwh == grid_intensity("FRA").gco2e_per_kwh
    assert rates.grid_source == grid_intensity("FRA").credit
    assert (rates.usd_per_million_prompt_tokens or 0) > 0
    assert (rates.token_price_source or "").startswith("openai/gpt-4o-mini, genai-prices ")


@pytest.mark.parametrize(
    "declared",
    [
        DeclaredRates(zone="ATLANTIS"),
        DeclaredRates(price="1"),
        DeclaredRates(price="1,2,3"),
        DeclaredRates(price="-1,2"),
        DeclaredRates(price="nan,2"),
        DeclaredRates(price="1_0,2"),
        DeclaredRates(price="inf,2"),
        DeclaredRates(price="nobody/nothing"),
    ],
)
def test_what_is_no_rate_is_refused(declared: DeclaredRates) -> None:
    with pytest.raises(InputError) as error:
        rates_of(declared)
    assert "--" in error.value.fix


def test_a_tiered_model_has_the_price_of_short_questions() -> None:
    """Asked for a million tokens at once, the list names the tier of long contexts."""
    rates = rates_of(DeclaredRates(price="google/gemini-2.5-pro"))
    assert (rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens) == (1.25, 10)


def test_what_is_not_said_again_stays() -> None:
    before = rates_of(DeclaredRates(0.2, price="1,2", zone="DEU"))
    after = rates_of(DeclaredRates(pue=1.3), before)
    assert (after.usd_per_kwh, after.usd_per_million_prompt_tokens, after.pue) == (0.2, 1, 1.3)
    assert after.grid_zone == "DEU"
    assert before.pue == 1.0


def test_a_price_named_later_is_not_hidden_by_an_earlier_tariff() -> None:
    after = rates_of(DeclaredRates(price="1,2"), rates_of(DeclaredRates(0.3)))
    assert (after.usd_per_kwh, after.usd_per_million_completion_tokens) == (None, 2)


@pytest.fixture
def series(tmp_path: Path) -> Path:
    path = tmp_path / "grid.csv"
    path.write_text("time_utc,g/kWh\n2026-11-29T20:00,40\n2026-11-29T21:00,50\n")
    return path


@pytest.fixture
def tariff(tmp_path: Path) -> Path:
    path = tmp_path / "house.toml"
    path.write_text('time_zone = "UTC"\n[[rows]]\nfrom = "00:00"\nto = "24:00"\nusd_per_kwh = 0.2\n')
    return path


def test_files_take_the_place_of_single_numbers_and_numbers_that_of_files(series: Path, tariff: Path) -> None:
    flat = rates_of(DeclaredRates(0.3, zone="DEU"))
    changing = rates_of(DeclaredRates(grid_series=series, tariff=tariff, zone="FR"), flat, DAY)
    assert (changing.gco2e_per_kwh, changing.usd_per_kwh, changing.grid_zone) == (None, None, "FR")
    assert [step.rate for step in changing.grid_series] == [40, 50]
    assert [step.rate for step in changing.tariff] == [0.2]
    assert "grid.csv" in (changing.grid_source or "")
    assert changing.electricity_source == "house.toml, time of use, UTC"
    assert flat.usd_per_kwh == 0.3
    again = rates_of(DeclaredRates(0.1, gco2e_per_kwh=9.0), changing)
    assert (again.usd_per_kwh, again.gco2e_per_kwh, again.tariff, again.grid_series) == (0.1, 9.0, [], [])
    by_zone = rates_of(DeclaredRates(zone="FRA"), changing)
    assert (by_zone.grid_series, by_zone.grid_zone) == ([], "FRA")
    assert by_zone.tariff == changing.tariff


def test_a_price_named_later_is_not_hidden_by_an_earlier_tariff_by_time(tariff: Path) -> None:
    before = rates_of(DeclaredRates(tariff=tariff), None, DAY)
    after = rates_of(DeclaredRates(price="1,2"), before)
    assert (after.tariff, after.electricity_source, after.usd_per_million_prompt_tokens) == ([], None, 1)
    assert before.tariff


def test_a_series_of_prices_is_a_tariff_too(tmp_path: Path) -> None:
    path = tmp_path / "spot.csv"
    path.write_text("from,to,usd/mwh\n2026-11-29T20:00Z,2026-11-29T21:00Z,-3\n")
    assert rates_of(DeclaredRates(tariff=path), None, DAY).tariff[0].rate == pytest.approx(-0.003)


@pytest.mark.parametrize(
    "declared",
    [
        DeclaredRates(gco2e_per_kwh=1.0, grid_series=Path("x.csv")),
        DeclaredRates(usd_per_kwh=1.0, tariff=Path("x.toml")),
    ],
)
def test_two_words_for_one_rate_contradict_each_other(declared: DeclaredRates) -> None:
    with pytest.raises(InputError, match="were both given"):
        rates_of(declared)


def test_embodied_is_kept_with_its_source() -> None:
    rates = rates_of(DeclaredRates(embodied_kg=1500.0))
    assert (rates.embodied_kgco2e, rates.lifetime_years) == (1500.0, None)
    rates = rates_of(DeclaredRates(lifetime_years=4.0), rates)
    assert (rates.embodied_kgco2e, rates.lifetime_years) == (1500.0, 4.0)
    assert rates.embodied_source == "declared by the user"
    assert rates_of(DeclaredRates(0.2)).embodied_source is None


def test_a_run_that_is_to_come_takes_the_weeks_around_now(tmp_path: Path) -> None:
    day_ns = 86_400 * 10**9
    today = time.time_ns() // day_ns * day_ns
    path = tmp_path / "days.csv"
    lines = (f"{utc_text(today + k * day_ns)},{100 + k}\n" for k in range(-60, 60))
    path.write_text("time,g/kWh\n" + "".join(lines))
    kept = [step.rate - 100 for step in rates_of(DeclaredRates(grid_series=path)).grid_series]
    assert (kept[0], kept[-1]) == (-31, 7)


def _step(begin: str, end: str, rate: float) -> RateStep:
    return RateStep(from_utc=f"2026-11-{begin}Z", to_utc=f"2026-11-{end}Z", rate=rate)


def test_a_run_that_goes_on_keeps_the_steps_of_its_earlier_segments() -> None:
    old = [
        _step("28T08:00", "28T09:00", 1),
        _step("28T09:00", "28T10:00", 2),
        _step("30T20:00", "30T21:00", 3),
    ]
    new = [_step("28T09:30", "28T11:00", 7), _step("29T08:00", "29T09:00", 8)]
    before = Rates(grid_series=old, grid_source="a", usd_per_kwh=0.3, electricity_source="bill")
    now = Rates(grid_series=new, grid_source="b")
    going_on = resumed_rates(before, now)
    assert going_on.grid_series == [
        old[0],
        _step("28T09:00", "28T09:30", 2),
        *new,
        old[2],
    ]
    assert (going_on.grid_source, going_on.usd_per_kwh) == ("b", None)
    assert resumed_rates(before, Rates()) == before
    assert resumed_rates(before, Rates(grid_source="b")).grid_series == old
    assert resumed_rates(before, Rates(gco2e_per_kwh=9, grid_source="flat")).grid_series == []
