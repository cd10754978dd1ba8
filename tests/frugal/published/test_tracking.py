"""Frames and slopes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.published.frames import Reading, frame_length, frames
from joulemark.frugal.published.tracking import Slope, absolute_slopes
from joulemark.record.errors import InputError


@given(st.integers(12, 400), st.integers(2, 12), st.sampled_from(Reading))
def test_least_squares_slopes_are_numpys(n: int, length: int, reading: Reading) -> None:
    if n < 3 * length:
        return
    laid = frames(n, length, reading, every=True, whole=True)
    curve = np.random.default_rng(n).standard_normal((2, n)).cumsum(axis=1)
    found = absolute_slopes(curve, laid, Slope.OLS)
    k = np.arange(length)
    for row in range(2):
        told = [abs(np.polyfit(k, curve[row, s - 1 : s - 1 + length], 1)[0]) for s in laid.starts]
        assert np.allclose(found[row], told, rtol=1e-7, atol=1e-9)


def test_slopes_between_ends() -> None:
    laid = frames(10, 4, every=True, whole=True)
    curve = np.array([[0.0, 1.0, 4.0, 9.0, 16.0, 9.0, 4.0, 1.0, 0.0, 0.0]])
    assert np.allclose(absolute_slopes(curve, laid, Slope.ENDS)[0], [3, 5, 5 / 3, 5 / 3, 5, 3, 4 / 3])


def test_the_readings() -> None:
    """At 2,500 items a frame Arc-C has one disjoint frame and Hellaswag 19, near the paper's 2 and 20."""
    assert len(frames(49_947, 2500, Reading.DISJOINT, every=True, whole=True).starts) == 19
    with pytest.raises(InputError, match="disjoint"):
        frames(2590, 2500, Reading.DISJOINT, every=True, whole=True)
    assert len(frames(2590, 2500, every=True, whole=True).starts) == 91
    assert len(frames(49_947, 499, every=True, whole=True).starts) == 49_449
    assert len(frames(49_947, 499, Reading.DISJOINT, every=True, whole=True).starts) == 100


@given(st.integers(20, 60_000), st.floats(0.001, 0.2))
def test_thinned_frames_lie_within_the_items(n: int, share: float) -> None:
    laid = frames(n, frame_length(n, share), every=False, whole=False)
    assert laid.starts[0] >= 1
    assert laid.ends[-1] <= n
    assert laid.points[-1] == n
    assert (np.diff(laid.starts) > 0).all()
    assert np.isin(laid.starts, laid.points).all()
    assert np.isin(laid.ends, laid.points).all()
    assert len(laid.starts) <= 1000 + 1


@pytest.mark.parametrize("length", [1, 9, 10, 2000])
def test_frames_that_do_not_fit_are_refused(length: int) -> None:
    with pytest.raises(InputError, match="do not fit"):
        frames(10, length, every=True, whole=True)


def test_a_least_squares_slope_needs_the_whole_curve() -> None:
    laid = frames(1000, 100, every=False, whole=False)
    with pytest.raises(ValueError, match="every size"):
        absolute_slopes(np.zeros((1, len(laid.points))), laid, Slope.OLS)
