import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from doubles.run_views import item, priced
from joulemark.metrics import summarize
from joulemark.metrics.carbon import gco2e
from joulemark.metrics.money import by_tokens, usd_per_correct_answer, usd_per_request
from joulemark.metrics.value import Value, scaled, withheld
from joulemark.record.energy import Withheld
from joulemark.record.item import Verdict
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason

PER_CORRECT = Value(3600.0, "J", 1800.0, 7200.0, "ci95", n=40)
TOKENS = {"usd_per_million_prompt_tokens": 2.0, "usd_per_million_completion_tokens": 10.0}


def _answers(n=20, correct_every=2):
    return [item(k, verdict=Verdict.CORRECT if k % correct_every == 0 else Verdict.WRONG) for k in range(n)]


def test_electricity_by_hand():
    # 3,600 J are 0.001 kWh, at 0.30 USD and a PUE of 1.5
    rates = Rates(usd_per_kwh=0.30, pue=1.5)
    value = usd_per_correct_answer(PER_CORRECT, [], rates, local=True)
    assert (value.unit, value.interval, value.n) == ("USD", "ci95", 40)
    assert (value.lo, value.value, value.hi) == pytest.approx((0.000225, 0.00045, 0.0009))


def test_carbon_by_hand():
    # 0.001 kWh at 381 g
    value = gco2e(PER_CORRECT, Rates(gco2e_per_kwh=381.0))
    assert (value.unit, value.interval) == ("gCO2e", "ci95")
    assert (value.lo, value.value, value.hi) == pytest.approx((0.1905, 0.381, 0.762))
    assert gco2e(PER_CORRECT, Rates(gco2e_per_kwh=381.0, pue=2.0)).value == pytest.approx(0.762)


def test_token_prices_by_hand():
    # 20 answers of 40 prompt and 11 output tokens: 20 × (80 + 110) / 10⁶ USD, 10 correct
    value = usd_per_correct_answer(PER_CORRECT, _answers(), Rates(**TOKENS), local=False)
    assert value.value == pytest.approx(20 * 190e-6 / 10)
    assert value.interval == "ci95"
    assert value.lo < value.value < value.hi
    assert usd_per_request(PER_CORRECT, _answers(), Rates(**TOKENS), local=False).value == pytest.approx(
        190e-6
    )


def test_without_a_rate_the_reason_names_the_options():
    assert usd_per_correct_answer(PER_CORRECT, _answers(), Rates(), local=True).reason is Reason.NO_PRICE
    assert usd_per_request(PER_CORRECT, _answers(), Rates(), local=False).reason is Reason.NO_PRICE
    assert gco2e(PER_CORRECT, Rates()).reason is Reason.NO_GRID_INTENSITY
    for option in ("--usd-per-kwh", "--price"):
        assert option in Reason.NO_PRICE.text
    for option in ("--gco2e-per-kwh", "--zone"):
        assert option in Reason.NO_GRID_INTENSITY.text


def test_electricity_and_tokens_are_never_added():
    both = Rates(usd_per_kwh=0.30, **TOKENS)
    electricity = usd_per_correct_answer(PER_CORRECT, _answers(), both, local=True)
    tokens = usd_per_correct_answer(PER_CORRECT, _answers(), both, local=False)
    assert electricity.value == pytest.approx(0.0003)
    assert tokens.value == pytest.approx(0.00038)
    assert usd_per_correct_answer(PER_CORRECT, _answers(), both, local=None) == tokens
    # with token prices alone a local engine is priced by them
    assert usd_per_correct_answer(PER_CORRECT, _answers(), Rates(**TOKENS), local=True) == tokens
    assert not by_tokens(Rates(usd_per_kwh=0.3), local=False)


def test_joules_that_are_withheld_cost_nothing_known():
    lost = withheld("J", Reason.NO_METER, detail="why")
    for value in (
        usd_per_correct_answer(lost, _answers(), Rates(usd_per_kwh=0.3), local=True),
        gco2e(lost, Rates(gco2e_per_kwh=381)),
    ):
        assert (value.value, value.reason, value.detail) == (None, Reason.NO_METER, "why")
    assert gco2e(lost, Rates(gco2e_per_kwh=381)).unit == "gCO2e"


@pytest.mark.parametrize(
    ("items", "rates", "reason", "words"),
    [
        (_answers(), {"usd_per_million_prompt_tokens": 2.0}, Reason.NO_PRICE, "price of output tokens"),
        (_answers(), {"usd_per_million_completion_tokens": 2.0}, Reason.NO_PRICE, "price of prompt tokens"),
        ([*_answers(), item(99, tokens=None)], TOKENS, Reason.NOT_REPORTED, "1 of 21"),
        ([*_answers(), item(99, prompt_tokens=None)], TOKENS, Reason.NOT_REPORTED, "1 of 21"),
        ([], TOKENS, Reason.NOTHING_SCORED, "No request"),
    ],
)
def test_token_costs_that_cannot_be_told(items, rates, reason, words):
    for value in (
        usd_per_correct_answer(PER_CORRECT, items, Rates(**rates), local=False),
        usd_per_request(PER_CORRECT, items, Rates(**rates), local=False),
    ):
        assert value.reason is reason
        assert words in value.detail


def test_no_correct_answer_and_no_notion_of_one():
    wrong = [item(k, verdict=Verdict.WRONG) for k in range(12)]
    assert (
        usd_per_correct_answer(PER_CORRECT, wrong, Rates(**TOKENS), local=False).reason
        is Reason.NOTHING_CORRECT
    )
    scored = [item(k, verdict=None, score=0.5) for k in range(12)]
    value = usd_per_correct_answer(PER_CORRECT, scored, Rates(**TOKENS), local=False)
    assert value.reason is Reason.REAL_VALUED_SCORE
    assert usd_per_request(PER_CORRECT, scored, Rates(**TOKENS), local=False).value is not None
    few = usd_per_correct_answer(PER_CORRECT, _answers(6), Rates(**TOKENS), local=False)
    assert (few.interval, few.interval_reason) == (None, Reason.TOO_FEW_ITEMS)


@settings(deadline=None)
@given(st.floats(0, 1e9), st.floats(-1, 10), st.floats(0.5, 3))
def test_a_scaled_figure_keeps_its_interval_round_it(joules, tariff, pue):
    value = usd_per_request(
        Value(joules, "J", joules * 0.9, joules * 1.2, "bound"),
        [],
        Rates(usd_per_kwh=tariff, pue=pue),
        local=True,
    )
    assert value.lo <= value.value <= value.hi
    assert value.value == pytest.approx(joules / 3.6e6 * tariff * pue)


def test_a_figure_without_an_interval_is_scaled_too():
    bare = Value(4.0, "J", n=3, interval_reason=Reason.TOO_FEW_ITEMS)
    assert scaled(bare, 0.5, "USD") == Value(2.0, "USD", n=3, interval_reason=Reason.TOO_FEW_ITEMS)


def test_a_run_with_rates():
    view = priced(
        run_views.with_lengths(),
        usd_per_kwh=0.4,
        gco2e_per_kwh=56.0,
        grid_zone="FRA",
        grid_source="OWID 2023",
    )
    summary = summarize(view)
    f = summary.figures
    kwh = f["joules_per_correct_answer"].value / 3.6e6
    assert f["usd_per_correct_answer"].value == pytest.approx(0.4 * kwh)
    assert f["gco2e_per_correct_answer"].value == pytest.approx(56 * kwh)
    assert f["gco2e_per_request"].interval == "bound"
    assert summary.rates["grid_zone"] == "FRA"
    reasons = summary.to_json()["reasons"]
    assert reasons["rates.usd_per_million_prompt_tokens"]["code"] == "no_price"
    assert "rates.usd_per_kwh" not in reasons


def test_a_hosted_engine_costs_tokens_without_any_meter():
    view = priced(run_views.without_meter(), **TOKENS)
    hosted = view.manifest.engine.model_copy(update={"local": False})
    view = dataclasses.replace(
        view,
        manifest=view.manifest.model_copy(update={"engine": hosted}),
        headline_energy=Withheld(Reason.ENGINE_REMOTE),
    )
    f = summarize(view).figures
    assert f["usd_per_correct_answer"].interval == "ci95"
    assert f["gco2e_per_request"].reason is Reason.NO_GRID_INTENSITY


@pytest.mark.parametrize("factor", [1e308, float("inf"), float("nan")])
def test_a_figure_that_no_number_can_hold_is_withheld(factor):
    for value in (Value(1000.0, "J", 900.0, 1100.0, "bound"), Value(1000.0, "J", n=3)):
        lost = scaled(value, factor, "USD")
        assert (lost.value, lost.unit, lost.reason) == (None, "USD", Reason.NOT_APPLICABLE)
        assert "larger than a number can be" in lost.detail
    # the value itself could still be held
    assert scaled(Value(0.5, "J", 0.1, 10.0, "ci95"), 1e308, "USD").value is None


@pytest.mark.parametrize(
    "rates",
    [
        {"usd_per_kwh": 1e300, "gco2e_per_kwh": 1e300, "pue": 1e300},
        {"usd_per_million_prompt_tokens": 1e308, "usd_per_million_completion_tokens": 1e308},
    ],
)
def test_absurd_rates_are_withheld_and_stop_nothing(rates):
    summary = summarize(priced(run_views.with_lengths(), **rates))
    for name in ("usd_per_correct_answer", "usd_per_request"):
        assert summary.figures[name].reason is Reason.NOT_APPLICABLE
        assert "larger than a number can be" in summary.figures[name].detail
    assert summary.figures["gco2e_per_request"].value is None
    assert summary.figures["joules_per_request"].value is not None


def test_a_token_count_beyond_any_float_is_withheld():
    items = [item(k, tokens=10**400) for k in range(12)]
    value = usd_per_correct_answer(PER_CORRECT, items, Rates(**TOKENS), local=False)
    assert value.reason is Reason.NOT_APPLICABLE
