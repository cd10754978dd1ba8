import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.metrics.least_squares import condition, least_squares


def _design(rng, n, k=3):
    return np.column_stack([np.ones(n), rng.uniform(10, 500, (n, k - 1))])


def test_a_mean_by_hand():
    # y = 1, 3, 8 about their mean 4: residuals -3, -1, 4, leverage 1/3 each, so HC3 = Σ (e / (2/3))² / 9
    fit = least_squares(np.ones((3, 1)), np.array([1.0, 3.0, 8.0]), [0, 1, 2])
    assert fit.coefficients.tolist() == pytest.approx([4.0])
    assert fit.residuals.tolist() == pytest.approx([-3.0, -1.0, 4.0])
    assert fit.covariance.item() == pytest.approx((9 + 1 + 16) * 1.5**2 / 9)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(6, 40))
def test_coefficients_and_hc3_agree_with_their_textbook_forms(seed, n):
    rng = np.random.default_rng(seed)
    x = _design(rng, n)
    y = x @ [20.0, 0.3, 1.1] + rng.normal(0, 5, n)
    fit = least_squares(x, y, range(n))
    assert fit.coefficients == pytest.approx(np.linalg.lstsq(x, y, rcond=None)[0], rel=1e-6, abs=1e-6)
    bread = np.linalg.inv(x.T @ x)
    left = 1 - np.einsum("ij,jk,ik->i", x, bread, x)
    if left.min() < 1e-3:
        return
    meat = x.T @ np.diag((fit.residuals / left) ** 2) @ x
    assert fit.covariance == pytest.approx(bread @ meat @ bread, rel=1e-4)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_the_error_is_that_of_leaving_one_cluster_out(seed):
    # what HC3 and CR3 stand for: coefficients without a cluster differ by bread × its corrected score
    rng = np.random.default_rng(seed)
    n, groups = 24, 8
    clusters = np.repeat(np.arange(groups), n // groups)
    x = _design(rng, n)
    y = x @ [20.0, 0.3, 1.1] + rng.normal(0, 5, n)
    whole = least_squares(x, y, clusters.tolist())
    moved = [
        np.linalg.lstsq(x[clusters != g], y[clusters != g], rcond=None)[0] - whole.coefficients
        for g in range(groups)
    ]
    assert whole.covariance == pytest.approx(sum(np.outer(d, d) for d in moved), rel=1e-5, abs=1e-12)


def test_repeating_every_row_tells_nothing_new():
    rng = np.random.default_rng(5)
    x = _design(rng, 30)
    y = x @ [20.0, 0.3, 1.1] + rng.normal(0, 5, 30)
    once = least_squares(x, y, range(30))
    thrice = least_squares(np.tile(x, (3, 1)), np.tile(y, 3), list(range(30)) * 3)
    assert thrice.coefficients == pytest.approx(once.coefficients)
    assert thrice.covariance == pytest.approx(once.covariance)
    alone = least_squares(np.tile(x, (3, 1)), np.tile(y, 3), range(90))
    assert alone.covariance[1, 1] < 0.5 * once.covariance[1, 1]


@pytest.mark.parametrize("times", [1, 2])
def test_a_cluster_that_decides_a_coefficient_alone_has_no_error(times):
    x = np.column_stack([np.ones(12), [40.0] * 11 + [90.0], np.arange(12.0)])
    fit = least_squares(np.tile(x, (times, 1)), np.arange(12.0 * times), list(range(12)) * times)
    assert fit.covariance is None


def test_condition_by_hand():
    assert condition(np.eye(3)) == pytest.approx(1.0)
    # columns at 60°: the scaled Gram matrix has eigenvalues 1.5 and 0.5
    assert condition(np.array([[1.0, 50.0], [0.0, 50.0 * 3**0.5]])) == pytest.approx(3**0.5)
    assert condition(np.column_stack([np.ones(9), np.zeros(9)])) == float("inf")
    assert condition(np.column_stack([np.ones(9), np.full(9, 7.0)])) > 1e12
