"""What the user says of prices and grids becomes rates with their sources, or is refused."""

from __future__ import annotations

import pytest

from joulemark.record.errors import InputError
from joulemark.runs.rates import DeclaredRates, rates_of


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


def test_a_zone_and_a_model_are_looked_up_with_their_sources() -> None:
    rates = rates_of(DeclaredRates(zone="fra", price="openai/gpt-4o-mini"))
    assert rates.grid_zone == "FRA"
    assert rates.gco2e_per_kwh == 56.0
    assert "2023" in (rates.grid_source or "")
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
