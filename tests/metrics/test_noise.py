"""Differences and savings with their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.points import bound, ci
from joulemark.metrics.noise import difference, saving, told_apart
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

sizes = st.floats(0.1, 1e6)
shares = st.floats(0.0, 0.9)


def test_two_confidence_intervals_join_in_quadrature() -> None:
    found = difference(ci(10, 3), ci(4, 4))
    assert (found.value, found.lo, found.hi, found.interval) == (6, 1, 11, "ci95")


def test_two_bounds_add_in_full() -> None:
    found = difference(bound(10, 3), bound(4, 4))
    assert (found.lo, found.hi, found.interval) == (-1, 13, "bound")


def test_a_bound_and_a_confidence_interval_are_never_a_bound() -> None:
    found = difference(bound(10, 3), ci(4, 4))
    assert (found.lo, found.hi, found.interval) == (-1, 13, "ci95")


def test_intervals_that_overlap_may_still_be_told_apart() -> None:
    a, b = ci(10, 3), ci(15, 3)
    assert a.hi > b.lo
    assert told_apart(a, b) is True
    assert told_apart(ci(10, 3), ci(13, 3)) is False


@pytest.mark.parametrize("other", [Value(11, "J"), withheld("J", Reason.NO_METER)])
def test_without_an_interval_nothing_is_said(other: Value) -> None:
    assert told_apart(ci(10, 1), other) is None


def test_a_withheld_figure_withholds_the_difference_and_the_saving() -> None:
    missing = withheld("J", Reason.NO_METER, detail="none")
    for found in (difference(ci(1, 0.1), missing), saving(missing, ci(1, 0.1)), saving(ci(1, 0.1), missing)):
        assert (found.value, found.reason, found.detail) == (None, Reason.NO_METER, "none")


def test_nothing_is_saved_against_zero() -> None:
    assert saving(Value(1, "J"), Value(0, "J")).reason is Reason.NOT_APPLICABLE


def test_of_no_energy_all_is_saved() -> None:
    found = saving(Value(0, "J"), Value(5, "J"))
    assert (found.value, found.interval) == (1, None)


@settings(deadline=None)
@given(sizes, shares, sizes, shares)
def test_the_saving_of_two_bounds_is_that_of_their_ends(a: float, x: float, b: float, y: float) -> None:
    found = saving(bound(a, a * x), bound(b, b * y))
    assert found.lo == pytest.approx(1 - a * (1 + x) / (b * (1 - y)))
    assert found.hi == pytest.approx(1 - a * (1 - x) / (b * (1 + y)))
    assert found.lo <= found.value <= found.hi


def test_the_interval_of_a_saving_covers_what_it_should() -> None:
    """Of 4,000 draws of two means with a known error, about 95 % of the intervals hold the true saving."""
    rng = np.random.default_rng(5)
    truth, covered = 1 - 60 / 100, 0
    for pick, other in zip(rng.normal(60, 2, 4000), rng.normal(100, 5, 4000), strict=True):
        found = saving(ci(pick, 1.96 * 2), ci(other, 1.96 * 5))
        covered += found.lo <= truth <= found.hi
    assert 0.94 <= covered / 4000 <= 0.96
