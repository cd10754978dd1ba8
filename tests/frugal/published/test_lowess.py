"""Lowess against statsmodels' as an oracle, in both forms: by matrices and along the grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.nonparametric.smoothers_lowess import lowess

from joulemark.frugal.published.grid_lowess import GridLowess
from joulemark.frugal.published.lowess import MatrixLowess, neighbours

FRACS = (0.1, 0.3, 0.5, 2 / 3, 0.9, 1.0)


def noisy(rows: int, m: int, seed: int = 0) -> np.ndarray:
    """Return curves as slopes are: about 1/x, with noise in proportion."""
    return np.abs(np.random.default_rng(seed).standard_normal((rows, m))) / np.arange(1, m + 1)


def oracle(y: np.ndarray, frac: float, passes: int, delta: float = 0.0) -> np.ndarray:
    x = np.arange(y.shape[1], dtype=float)
    fitted = [lowess(row, x, frac=frac, it=passes, delta=delta, return_sorted=False) for row in y]
    return np.array(fitted)


@pytest.mark.parametrize("m", [60, 101, 300, 601, 602])
@pytest.mark.parametrize("frac", FRACS)
@pytest.mark.parametrize("passes", [0, 3])
def test_both_forms_agree_with_statsmodels(m: int, frac: float, passes: int) -> None:
    if neighbours(m, frac) < 25 and passes:
        pytest.skip("robust weights leave windows of a few points nearly empty: no line is defined there")
    y = noisy(3, m)
    told = oracle(y, frac, passes)
    scale = np.abs(told).max()
    x = np.arange(m, dtype=float)
    assert np.abs(MatrixLowess(x, frac).smooth(y, passes) - told).max() < 2e-7 * scale
    assert np.abs(GridLowess(m, frac).smooth(y, passes) - told).max() < 2e-7 * scale


def test_a_long_curve_agrees_with_statsmodels() -> None:
    y = noisy(1, 3001, seed=4)
    told = oracle(y, 2 / 3, 3)
    assert np.abs(GridLowess(3001).smooth(y, 3) - told).max() < 2e-7 * told.max()


def test_anchors_agree_with_statsmodels_delta() -> None:
    """Lines between anchors every ten points are what ``delta`` of ten makes."""
    m = 401
    y = noisy(3, m)
    anchors = np.arange(0, m, 10)
    told = oracle(y, 2 / 3, 3, delta=10.0)[:, anchors]
    found = MatrixLowess(np.arange(m, dtype=float), 2 / 3, anchors).smooth(y, 3)
    assert np.abs(found - told).max() < 2e-7 * told.max()


@given(st.floats(-5, 5), st.floats(-5, 5), st.sampled_from(FRACS), st.integers(20, 90))
def test_a_line_stays_the_line(a: float, b: float, frac: float, m: int) -> None:
    x = np.arange(m, dtype=float)
    y = (a + b * x / m)[None, :]
    for smoother in (MatrixLowess(x, frac), GridLowess(m, frac)):
        assert np.allclose(smoother.smooth(y, 0), y, atol=1e-9)


@given(st.floats(1e-6, 1e6), st.integers(0, 3))
def test_it_scales_with_the_curve(factor: float, passes: int) -> None:
    """Which is why the spread of the data cancels."""
    y = noisy(2, 120)
    smoother = GridLowess(120)
    assert np.allclose(smoother.smooth(factor * y, passes), factor * smoother.smooth(y, passes), rtol=1e-9)


def test_points_on_the_fit_but_one_leave_that_one_without_weight() -> None:
    y = np.ones((1, 200))
    y[0, 50] = 100.0
    for smoother in (MatrixLowess(np.arange(200.0)), GridLowess(200)):
        assert np.allclose(smoother.smooth(y, 3), 1.0, atol=1e-6)


def test_rows_do_not_meet() -> None:
    y = noisy(4, 150)
    alone = np.concatenate([GridLowess(150).smooth(row[None, :], 3) for row in y])
    assert np.allclose(GridLowess(150).smooth(y, 3), alone, rtol=1e-10)
