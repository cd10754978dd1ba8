"""Rates that change: means over time and over energy, and nothing from a neighbour where one is missing."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.metrics.carbon import gco2e
from joulemark.metrics.money import by_tokens, usd_per_request
from joulemark.metrics.rate_steps import (
    mean_rate,
    rates_between,
    split_at,
    step_edges_ns,
    utc_ns,
    utc_text,
)
from joulemark.metrics.value import Value
from joulemark.record.manifest import Rates, RateStep
from joulemark.record.reason import Reason

H = 3_600_000_000_000
T0 = utc_ns("2026-11-29T20:00Z")


def step(begin_h: float, end_h: float, rate: float) -> RateStep:
    return RateStep(
        from_utc=utc_text(T0 + round(begin_h * H)), to_utc=utc_text(T0 + round(end_h * H)), rate=rate
    )


HOURS = [step(0, 1, 100.0), step(1, 2, 300.0), step(2, 3, 200.0)]


def at(hours: float) -> int:
    return T0 + round(hours * H)


@pytest.mark.parametrize(
    ("parts", "mean"),
    [
        ([(0.0, 1.0, 5.0)], 100.0),
        ([(0.5, 1.5, 0.0)], 200.0),  # no joules: by time
        ([(0.5, 1.0, 3.0), (1.0, 1.5, 1.0)], 150.0),
        ([(0.0, 2.0, 8.0)], 200.0),  # within a part energy flows evenly
        ([(0.0, 1.0, 1.0), (2.0, 3.0, 3.0)], 175.0),  # the hour between is no part
        ([(0.25, 0.25, 0.0)], 100.0),  # an instant
        ([(1.0, 1.0, 0.0)], 300.0),  # a step begins with its edge
    ],
)
def test_known_means(parts, mean):
    assert mean_rate(HOURS, [(at(a), at(b), j) for a, b, j in parts]) == pytest.approx(mean)
    assert mean_rate(HOURS[::-1], [(at(a), at(b), j) for a, b, j in parts]) == pytest.approx(mean)


@pytest.mark.parametrize(
    ("steps", "begin", "end"),
    [
        (HOURS, -0.1, 0.5),
        (HOURS, 2.5, 3.0001),
        (HOURS, 4, 5),
        ([step(0, 1, 1.0), step(2, 3, 1.0)], 0.5, 2.5),
        ([step(0, 1, 1.0), step(2, 3, 1.0)], 1.2, 1.8),
        ([], 0, 1),
    ],
)
def test_time_outside_or_in_a_gap_is_not_known(steps, begin, end):
    assert mean_rate(steps, [(at(begin), at(end), 1.0)]) is None


@pytest.mark.parametrize(
    ("edges", "stops"),
    [
        ([], [10, 20]),
        ([12, 15], [10, 12, 15, 20]),
        ([0, 10, 20, 30], [10, 20]),  # an edge at either end splits nothing
        ([9, 11, 19, 21], [10, 11, 19, 20]),
    ],
)
def test_time_is_split_at_the_edges_inside_it(edges, stops):
    assert split_at(edges, 10, 20) == list(pairwise(stops))
    assert split_at(edges, 15, 15) == [(15, 15)]  # an instant is one part


def test_a_step_ends_where_the_next_one_begins():
    steps = [step(0, 5, 100.0), step(1, 2, 300.0)]
    assert mean_rate(steps, [(at(0), at(2), 1.0)]) == pytest.approx(200)
    assert mean_rate(steps, [(at(2.5), at(3), 1.0)]) is None


def test_both_rates_at_once_and_the_flat_one_stays():
    rates = Rates(gco2e_per_kwh=None, grid_series=HOURS, usd_per_kwh=0.3, grid_source="a file")
    found = rates_between(rates, at(0), at(2))
    assert (found.gco2e_per_kwh, found.usd_per_kwh) == (pytest.approx(200), 0.3)
    assert found.grid_series == HOURS
    assert rates.gco2e_per_kwh is None
    both = rates_between(
        Rates(grid_series=HOURS, tariff=[step(0, 3, -0.05)]), at(0), at(2), [(at(0), at(0.5), 7.0)]
    )
    assert (both.gco2e_per_kwh, both.usd_per_kwh) == (100, -0.05)
    flat = Rates(usd_per_kwh=0.3)
    assert rates_between(flat, at(0), at(1)) is flat


def test_what_a_series_does_not_cover_is_withheld_with_its_source():
    per_request = Value(3600.0, "J", 3500.0, 3700.0, "bound")
    for series in (HOURS, []):  # none is left where none concerned the run
        rates = Rates(grid_series=series, grid_source="grid.csv, 20:00 to 23:00")
        value = gco2e(per_request, rates_between(rates, at(2.5), at(3.5)))
        assert value.reason is Reason.RATES_DO_NOT_COVER
        assert "grid.csv, 20:00 to 23:00" in value.detail
        assert "does not cover" in value.detail
    assert gco2e(per_request, Rates()).reason is Reason.NO_GRID_INTENSITY


def test_a_tariff_that_does_not_cover_the_run_does_not_let_token_prices_in():
    per_request = Value(3600.0, "J", 3500.0, 3700.0, "bound")
    rates = Rates(
        electricity_source="night.toml", usd_per_million_prompt_tokens=1, usd_per_million_completion_tokens=1
    )
    assert not by_tokens(rates, local=True)
    value = usd_per_request(per_request, [], rates, local=True)
    assert value.reason is Reason.RATES_DO_NOT_COVER
    assert "night.toml" in value.detail


def test_a_negative_price_gives_a_negative_figure_with_its_interval_turned():
    rates = rates_between(Rates(tariff=[step(0, 1, -0.36)]), at(0), at(1))
    value = usd_per_request(Value(3600.0, "J", 1800.0, 7200.0, "bound"), [], rates, local=True)
    assert (value.lo, value.value, value.hi) == pytest.approx((-0.00072, -0.00036, -0.00018))


def test_a_zero_intensity_is_a_value():
    rates = rates_between(Rates(grid_series=[step(0, 1, 0.0)]), at(0), at(1))
    value = gco2e(Value(3600.0, "J", 1800.0, 7200.0, "bound"), rates)
    assert (value.value, value.reason) == (0.0, None)


def test_huge_rates_and_joules_do_not_overflow_the_mean():
    steps = [step(0, 1, 1e300), step(1, 2, 1e308)]
    assert mean_rate(steps, [(at(0), at(2), 1e300)]) == pytest.approx(0.5e300 + 0.5e308)


def test_edges_of_both():
    rates = Rates(grid_series=HOURS[:2], tariff=[step(0.5, 1.5, 1.0)])
    assert step_edges_ns(rates) == [at(h) for h in (0, 0.5, 1, 1.5, 2)]


@settings(deadline=None)
@given(
    st.lists(st.floats(-5, 900), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 999), st.integers(1, 1000), st.floats(0, 1e6)), min_size=1, max_size=6),
)
def test_a_mean_lies_among_its_rates_and_splitting_parts_at_the_edges_changes_nothing(rates, drawn):
    steps = [step(k, k + 1, rate) for k, rate in enumerate(rates)]
    whole = len(rates) * H
    parts = [(T0 + a * whole // 1000, T0 + max(a + 1, b) * whole // 1000, j) for a, b, j in drawn]
    mean = mean_rate(steps, parts)
    assert mean is not None
    assert min(rates) - 1e-6 <= mean <= max(rates) + 1e-6
    split = []
    for t0, t1, joules in parts:
        stops = [t0, *(T0 + k * H for k in range(1, len(rates)) if t0 < T0 + k * H < t1), t1]
        split += [(a, b, joules * (b - a) / (t1 - t0)) for a, b in pairwise(stops)]
    assert math.isclose(mean_rate(steps, split), mean, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-03-29T03:30:00+02:00", "2026-03-29T01:30Z"),
        ("2026-11-29T20:00:00.250Z", "2026-11-29T20:00:00.250000Z"),
        ("2026-11-29 20:00+00:00", "2026-11-29T20:00Z"),
    ],
)
def test_stamps_go_to_utc_and_back(text, same):
    assert utc_text(utc_ns(text)) == same
    assert utc_ns(same) == utc_ns(text)


def test_a_stamp_without_an_offset_is_none():
    with pytest.raises(ValueError, match="no offset"):
        utc_ns("2026-11-29T20:00")
