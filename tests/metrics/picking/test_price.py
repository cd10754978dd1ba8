"""The figures of a workload by hand, on a model that is known exactly."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles import run_views
from doubles.pickables import candidate, share
from doubles.points import ci, point
from joulemark.metrics import summarize
from joulemark.metrics.cost_model import CostModel, CostPoint, fit
from joulemark.metrics.picking import (
    Candidate,
    Spread,
    TextWorkload,
    TokenRates,
    Transfer,
    declared,
    measured_candidate,
    price,
    published_candidate,
    sampled,
)
from joulemark.metrics.picking.definitions import DEFINITIONS, UNITS
from joulemark.metrics.picking.per_correct import per_correct
from joulemark.metrics.picking.price import FIGURES
from joulemark.metrics.picking.times import Times
from joulemark.metrics.run_point import run_point
from joulemark.metrics.value import Value, withheld
from joulemark.record.manifest import Baselines, Rates
from joulemark.record.reason import Reason

LENGTHS = [(10 * (k % 4 + 1), 5 * (k // 4 + 1)) for k in range(12)]
EXACT = fit([CostPoint(f"q{k}", 0, p, c, 10 + 0.5 * p + 2 * c) for k, (p, c) in enumerate(LENGTHS)])
ASKED = declared(Spread(30, 3), Spread(10, 2), 3600)  # 10 + 15 + 20 = 45 J


def exact(**fields):
    made = dataclasses.replace(point(), accuracy=share(50, 100))
    base = {"model": EXACT, "rates": Rates()}
    return Candidate(made, **{**base, **fields})


def test_joules_by_hand():
    found = price(exact(), ASKED).figures
    assert found["workload_joules"].value == pytest.approx(45.0)
    assert found["workload_joules_per_correct"].value == pytest.approx(90.0)
    # lengths spread by 3 and 2 tokens: √(1.5² + 4²) J
    single = found["workload_joules_single"]
    assert single.hi - single.value == pytest.approx(2.262 * (1.5**2 + 4**2) ** 0.5, rel=1e-3)
    assert found["workload_requests_kwh_per_day"].value == pytest.approx(3600 * 45 / 3.6e6)


def test_money_and_carbon_by_hand():
    rates = Rates(usd_per_kwh=0.36, gco2e_per_kwh=360.0, pue=1.5)
    found = price(exact(rates=rates), ASKED).figures
    assert found["workload_usd"].value == pytest.approx(45 / 3.6e6 * 0.36 * 1.5)
    assert found["workload_usd_per_correct"].value == pytest.approx(90 / 3.6e6 * 0.36 * 1.5)
    assert found["workload_gco2e"].value == pytest.approx(45 / 3.6e6 * 360 * 1.5)
    assert found["workload_usd_per_day"].reason is Reason.NOT_PUBLISHED  # no run, no times, no day


def test_token_prices_where_the_engine_is_elsewhere():
    rates = Rates(usd_per_million_prompt_tokens=1.0, usd_per_million_completion_tokens=10.0)
    hosted = exact(
        model=CostModel(reason=Reason.ENGINE_REMOTE), rates=rates, local=False, in_flight=1.0, whole=None
    )
    found = price(hosted, ASKED).figures
    assert found["workload_joules"].reason is Reason.ENGINE_REMOTE
    assert found["workload_usd"].value == pytest.approx((30 * 1 + 10 * 10) / 1e6)
    assert found["workload_usd_per_day"].value == pytest.approx(3600 * 130 / 1e6)


def test_a_day_at_hand():
    """3600 requests of half a second are half an hour at work; 23.5 hours at 100 W stand by."""
    whole = Times(CostModel(reason=Reason.NOT_IDENTIFIED), 0.5, 0.01, 12, (10, 40), (5, 15))
    idle = Value(100.0, "W", 99.0, 101.0, "bound")
    ready = exact(whole=whole, first=whole, in_flight=1.0, idle_w=idle, rates=Rates(usd_per_kwh=0.1))
    found = price(ready, ASKED).figures
    assert found["workload_busy_share"].value == pytest.approx(0.5 / 24)
    assert found["workload_standby_kwh_per_day"].value == pytest.approx(2.35)
    assert found["workload_kwh_per_day"].value == pytest.approx(2.35 + 0.045)
    assert found["workload_usd_per_day"].value == pytest.approx(0.2395)
    assert found["workload_kwh_per_day"].lo < 2.395 < found["workload_kwh_per_day"].hi
    full = dataclasses.replace(ASKED, requests_per_day=200_000)
    assert price(ready, full).figures["workload_standby_kwh_per_day"].reason is Reason.NOT_APPLICABLE
    # one at a time half a second each; of eight in flight an eighth of it
    eight = dataclasses.replace(ready, in_flight=8.0)
    assert price(eight, ASKED).figures["workload_busy_share"].value == pytest.approx(0.5 / 24 / 8)


def test_times_of_other_lengths_are_not_guessed():
    whole = Times(CostModel(reason=Reason.NOT_IDENTIFIED), 0.5, None, 12, (10, 40), (5, 15))
    far = price(exact(whole=whole, first=whole, in_flight=1.0), declared(Spread(30), Spread(90), 10)).figures
    assert far["workload_seconds"].reason is Reason.NOT_IDENTIFIED
    assert far["workload_busy_share"].reason is Reason.NOT_IDENTIFIED


def test_without_requests_a_day_there_is_no_day():
    found = price(exact(), declared(Spread(30), Spread(10))).figures
    assert found["workload_kwh_per_day"].reason is Reason.NOT_APPLICABLE
    assert "--requests-per-day" in found["workload_kwh_per_day"].detail


def test_a_real_view_is_priced_at_what_it_costs():
    view = run_views.with_lengths(60, noise_j=1.0, rates=Rates(usd_per_kwh=0.3, gco2e_per_kwh=100))
    baselines = Baselines(loaded_idle_w=70.0, loaded_idle_bound_w=(69.0, 71.0), scope="gpu:0")
    view = dataclasses.replace(view, manifest=view.manifest.model_copy(update={"baselines": baselines}))
    one = measured_candidate(view, run_point(view, summarize(view), "runs/x"))
    found = price(one, declared(Spread(200), Spread(50), 1000)).figures
    true_j = 30 + 0.05 * 200 + 1.5 * 50
    assert found["workload_joules"].lo <= true_j <= found["workload_joules"].hi
    assert found["workload_seconds"].value == pytest.approx(0.2 + 0.2 + 0.5)
    assert found["workload_ttft_s"].value == pytest.approx(0.3)
    busy = 1000 * 0.9 / 86400
    assert found["workload_standby_kwh_per_day"].value == pytest.approx(24 * 0.07 * (1 - busy))
    assert set(found) == set(FIGURES)
    assert all(value.unit == UNITS[name] for name, value in found.items()), found
    assert {d.name for d in DEFINITIONS} - set(FIGURES) == {"probability_best", "rank_range"}


def test_a_withheld_model_prices_nothing():
    found = price(exact(model=CostModel(reason=Reason.NOT_IDENTIFIED, detail="why")), ASKED).figures
    assert (found["workload_joules"].reason, found["workload_joules"].detail) == (
        Reason.NOT_IDENTIFIED,
        "why",
    )
    assert found["workload_joules_per_correct"].reason is Reason.NOT_IDENTIFIED
    assert found["workload_requests_kwh_per_day"].reason is Reason.NOT_IDENTIFIED


def test_a_price_below_nothing_is_none():
    sinking = dataclasses.replace(EXACT, e_fixed_j=-100.0)
    found = price(exact(model=sinking), ASKED).figures["workload_joules"]
    assert found.reason is Reason.NOT_IDENTIFIED
    assert "too far" in found.detail


def test_a_published_row_is_scaled_and_has_no_interval():
    row = dataclasses.replace(point(80.0, kind="published"), mean_completion_tokens=200.0)
    found = price(
        published_candidate(row, Rates(usd_per_kwh=0.1)), declared(Spread(30), Spread(50), 10)
    ).figures
    assert found["workload_joules"].value == pytest.approx(20.0)
    assert found["workload_joules"].interval is None
    assert found["workload_joules_single"].reason is Reason.NOT_PUBLISHED
    assert found["workload_seconds"].reason is Reason.NOT_PUBLISHED
    unknown = published_candidate(point(80.0, kind="published"), Rates())
    assert "how long" in price(unknown, ASKED).figures["workload_joules"].detail


def test_what_lies_outside_the_run_is_told():
    far = price(exact(), declared(Spread(400), Spread(10)))
    assert far.extrapolated == ("Extrapolated: 400 prompt tokens; the run saw 10 to 40.",)
    near = price(exact(), declared(Spread(30, 30), Spread(10)))
    assert near.extrapolated[0].startswith("Partly extrapolated: prompts of 0 to 90 tokens")
    assert price(exact(), declared(Spread(30), Spread(10))).extrapolated == ()


def test_a_tested_transfer_widens_the_interval():
    plain = price(candidate(), ASKED).figures["workload_joules"]
    tested = candidate(transfers=(Transfer("other", Value(8.0, "%", 6.0, 10.0, "ci95")),))
    wider = price(tested, ASKED).figures["workload_joules"]
    assert wider.value == plain.value
    # of the 8 % one is the error of the test itself: √(8² - 1.02²)
    more = 2.002 * plain.value * math.sqrt(0.08**2 - (0.02 / 1.96) ** 2)
    assert wider.hi - wider.value == pytest.approx(math.hypot(plain.hi - plain.value, more), rel=1e-3)
    fine = candidate(transfers=(Transfer("other", Value(1.0, "%", -3.0, 5.0, "ci95")),))
    assert price(fine, ASKED).figures["workload_joules"] == plain


def test_texts_are_counted_by_the_run_and_by_nothing_else():
    asked = TextWorkload(((400, 100), (800, 300)))
    found = price(exact(token_rates=TokenRates(10.0, 0.25, 0.2, 40)), asked)
    assert (found.workload.prompt_tokens, found.workload.completion_tokens) == (160.0, 40.0)
    nothing = price(exact(), asked)
    assert nothing.workload is None
    assert nothing.figures["workload_joules"].reason is Reason.NOT_REPORTED
    without = TextWorkload(((400, None),))
    assert (
        "--completion-tokens"
        in price(exact(token_rates=TokenRates(0, 1, 1, 40)), without).figures["workload_joules"].detail
    )


@given(
    st.floats(0.1, 1e6),
    st.floats(0.01, 0.9),
    st.integers(1, 200),
    st.integers(1, 200),
)
def test_a_cost_per_correct_answer_holds_both(cost, relative, right, wrong):
    value = ci(cost, relative * cost)
    ratio = per_correct(value, share(right, right + wrong))
    accuracy = share(right, right + wrong)
    assert ratio.lo < ratio.value < ratio.hi
    assert ratio.value == pytest.approx(cost / accuracy.value)
    # as wide as either alone would make it, and no wider than both extremes
    assert ratio.lo >= value.lo / accuracy.hi * (1 - 1e-9)
    assert ratio.hi <= value.hi / accuracy.lo * (1 + 1e-9)
    assert ratio.lo <= min(value.lo / accuracy.value, value.value / accuracy.hi) * (1 + 1e-9)


def test_nothing_right_has_no_cost_per_correct_answer():
    assert per_correct(ci(5, 1), share(0, 10)).reason is Reason.NOTHING_CORRECT
    assert per_correct(ci(5, 1), withheld("1", Reason.NOT_GRADED)).reason is Reason.NOT_GRADED


@given(st.floats(0.5, 2.0), st.floats(1.0, 5000.0), st.floats(1.0, 5000.0))
def test_joules_scale_with_the_model_and_with_the_day(factor, prompt, output):
    asked = declared(Spread(prompt), Spread(output), 100)
    twice = dataclasses.replace(asked, requests_per_day=200)
    one = exact(rates=Rates(usd_per_kwh=1.0))
    dearer = exact(rates=Rates(usd_per_kwh=factor))
    assert price(dearer, asked).figures["workload_usd"].value == pytest.approx(
        factor * price(one, asked).figures["workload_usd"].value
    )
    name = "workload_requests_kwh_per_day"
    assert price(one, twice).figures[name].value == pytest.approx(2 * price(one, asked).figures[name].value)


def test_a_sample_of_one_is_known_and_one_of_many_is_not_exact():
    one, many = sampled([(30, 10)]), sampled([(20, 8), (40, 12)] * 10)
    assert one.n is None
    assert many.n == 20
    exact_j, sampled_j = (price(exact(), w).figures["workload_joules"] for w in (one, many))
    assert exact_j.value == pytest.approx(sampled_j.value)
    assert sampled_j.hi - sampled_j.lo > 1.0 > exact_j.hi - exact_j.lo
    with pytest.raises(ValueError, match="at least one"):
        sampled([])
    with pytest.raises(ValueError, match="negative"):
        sampled([(1, -1)])
    with pytest.raises(ValueError, match="no length"):
        Spread(-1)
    with pytest.raises(ValueError, match="a day"):
        declared(Spread(1), Spread(1), 0)
