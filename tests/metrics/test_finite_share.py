"""Wilson's interval of a finite task."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.finite_share import Z_95, wilson_bounds, wilson_half_width


@given(st.integers(2, 400), st.data())
def test_the_two_forms_are_one(population: int, data: st.DataObject) -> None:
    trials = data.draw(st.integers(1, population))
    successes = data.draw(st.integers(0, trials))
    lo, hi = wilson_bounds(successes, trials, population)
    assert (float(lo), float(hi)) == pytest.approx(wilson_interval(successes, trials, population), abs=1e-12)
    assert 0 <= lo <= successes / trials <= hi <= 1
    # what was asked is certain
    assert successes / population <= lo + 1e-12
    assert hi <= (population - trials + successes) / population + 1e-12
    if trials == population:
        assert lo == hi == successes / trials


def test_of_a_population_without_end_it_is_wilsons_own() -> None:
    """E. B. Wilson (1927), worked by hand: 9 of 10."""
    z2 = Z_95**2
    spread = Z_95 * (9 * 1 / 10 + z2 / 4) ** 0.5
    lo, hi = wilson_interval(9, 10)
    assert lo == pytest.approx((9 + z2 / 2 - spread) / (10 + z2))
    assert hi == pytest.approx((9 + z2 / 2 + spread) / (10 + z2))
    assert wilson_interval(9, 10, 10**12) == pytest.approx((lo, hi))


def test_all_but_two_asked_and_nine_of_ten_right() -> None:
    """The two that are left can make it 9 to 11 of 12."""
    assert wilson_interval(9, 10, 12) == pytest.approx((0.75, 11 / 12), abs=0.06)
    assert wilson_interval(9, 10, 12)[1] == pytest.approx(11 / 12)


def test_every_further_item_narrows_it_to_nothing() -> None:
    n = np.arange(10, 1001, 10)
    widths = wilson_half_width(0.4 * n, n, 1000)
    assert (np.diff(widths) < 0).all()
    assert widths[-1] == 0
