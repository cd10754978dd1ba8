"""Whoever tells the interval of a share of a finite task tells the same one."""

from __future__ import annotations

import numpy as np
import pytest

from doubles.run_views import item
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.prior.control_variate import controlled_mean
from joulemark.frugal.prior.strata import Sampled, stratified_mean
from joulemark.frugal.published.honest import interval_at
from joulemark.frugal.sample_size import half_width_of_share
from joulemark.metrics.accuracy import accuracy, wilson_interval
from joulemark.metrics.finite_share import wilson_bounds

CASES = [(9, 10, 12), (10, 10, 11), (1, 10, 12), (0, 30, 32), (30, 40, 1200), (12, 12, 12)]


@pytest.mark.parametrize(("right", "n", "of"), CASES)
def test_it_is_one_and_knows_what_was_asked(right: int, n: int, of: int) -> None:
    lo, hi = wilson_interval(right, n, of)
    assert lo >= right / of - 1e-12
    assert hi <= (of - n + right) / of + 1e-12
    many = wilson_bounds([right, right], n, of)
    assert (many[0][1], many[1][1]) == pytest.approx((lo, hi), abs=1e-12)
    told = accuracy([item(k, correct=k < right) for k in range(n)], population=of)
    assert (told.lo, told.hi) == pytest.approx((lo, hi), abs=1e-12)
    assert half_width_of_share(right / n, n, of) == pytest.approx((hi - lo) / 2, abs=1e-12)


@pytest.mark.parametrize(("right", "n", "of"), [(9, 10, 12), (30, 40, 1200), (3, 12, 16)])
def test_at_the_cut_off_it_is_that_of_the_wholes_share(right: int, n: int, of: int) -> None:
    whole = np.repeat([1.0, 0.0], [of * right // n, of - of * right // n])
    found = interval_at(n, Outcomes("m", "accuracy", whole))
    assert found == pytest.approx(wilson_interval(whole.mean() * n, n, of), abs=1e-12)


@pytest.mark.parametrize(("n", "of"), [(10, 11), (30, 32), (40, 1200)])
def test_estimates_where_all_were_right_are_those_of_plain_items(n: int, of: int) -> None:
    ones = np.ones(n)
    expected = wilson_interval(n, n, of)
    by_strata = stratified_mean(
        [Sampled(of - of // 2, ones[: n // 2]), Sampled(of // 2, ones[n // 2 :])], is_share=True
    )
    plain = controlled_mean(ones, np.zeros(n), 0.0, 0.0, of, is_share=True)
    assert (by_strata.lo, by_strata.hi) == pytest.approx(expected, abs=1e-12)
    assert (plain.lo, plain.hi) == pytest.approx(expected, abs=1e-12)


def test_an_estimate_says_no_less_than_was_seen() -> None:
    """Nine of ten right, two not asked: 9 to 11 of 12, whatever the formula makes of the spread."""
    values = np.array([1.0] * 9 + [0.0])
    plain = controlled_mean(values, np.zeros(10), 0.0, 0.0, 12, is_share=True)
    assert plain.lo is not None
    assert plain.hi is not None
    assert 9 / 12 <= plain.lo <= plain.hi <= 11 / 12 + 1e-12
