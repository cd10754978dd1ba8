"""Shuffles: sums that every order would give, and with the right chances."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.published.shuffles import (
    BernoulliNull,
    BinaryShuffles,
    BrownianNull,
    Shuffles,
    StratifiedShuffles,
    ValueShuffles,
    shuffles_of,
)

VALUES = np.array([0.2, 1.5, -0.3, 4.0, 4.0, 2.2, 0.0, 9.1])


def points(*at: int) -> np.ndarray:
    return np.array(at, dtype=np.int64)


@given(st.integers(1, 60), st.data())
def test_all_items_add_up_to_all(n: int, data: st.DataObject) -> None:
    ones = data.draw(st.integers(0, n))
    at = np.array(sorted(data.draw(st.sets(st.integers(1, n))) | {n}), dtype=np.int64)
    rng = np.random.default_rng(n)
    values = np.zeros(n)
    values[:ones] = 1.0
    for shuffles in (BinaryShuffles(ones, n), ValueShuffles(values)):
        sums = shuffles.sums(at, 5, rng)
        assert sums.shape == (5, len(at))
        assert np.allclose(sums[:, -1], ones)
        steps = np.diff(sums, axis=1, prepend=0)
        assert (steps >= 0).all()
        assert (steps <= np.diff(at, prepend=0)).all()


def moments_of(shuffles: Shuffles, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sums = shuffles.sums(at, 20_000, np.random.default_rng(7))
    return sums.mean(axis=0), np.cov(sums.T)


def test_frames_of_ones_are_drawn_as_permutations_would() -> None:
    """Mean k p and covariance n_i (N - n_j) p (1 - p) / (N - 1), of the quick way and of the plain one."""
    n, ones = 200, 60
    at = points(10, 55, 120, 199)
    p = ones / n
    lower, upper = np.minimum.outer(at, at), np.maximum.outer(at, at)
    cov = lower * (n - upper) * p * (1 - p) / (n - 1)
    values = np.r_[np.ones(ones), np.zeros(n - ones)]
    for shuffles in (BinaryShuffles(ones, n), ValueShuffles(values)):
        mean, found = moments_of(shuffles, at)
        assert np.allclose(mean, at * p, atol=0.12)
        assert np.allclose(found, cov, rtol=0.06, atol=0.05)


def test_whole_curves_of_ones_too() -> None:
    mean, cov = moments_of(BinaryShuffles(5, 12), np.arange(1, 13))
    assert np.allclose(mean, np.arange(1, 13) * 5 / 12, atol=0.03)
    assert np.isclose(cov[5, 5], 6 * 6 * 5 * 7 / 144 / 11, rtol=0.05)


def test_values_are_permuted() -> None:
    order = ValueShuffles(VALUES).orders(50, np.random.default_rng(0))
    assert (np.sort(order, axis=1) == np.sort(VALUES)).all()
    assert len({tuple(row) for row in order}) > 40


def test_strata_keep_their_proportions_in_every_stretch() -> None:
    domains = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    member = np.array([0.0] * 60 + [1.0] * 30 + [0.0] * 10)
    sums = StratifiedShuffles(member, domains).sums(np.arange(1, 101), 200, np.random.default_rng(0))
    off = sums - 0.3 * np.arange(1, 101)
    assert np.abs(off).max() <= 4  # of plain shuffles about 14
    assert np.allclose(sums[:, -1], 30)


def test_every_item_of_a_stratum_is_as_likely_anywhere() -> None:
    places = np.arange(20.0)
    order = StratifiedShuffles(places, ["a"] * 12 + ["b"] * 8).orders(20_000, np.random.default_rng(1))
    first = np.bincount(order[:, 0].astype(int), minlength=20) / 20_000
    assert np.allclose(first[:12], first[:12].mean(), atol=0.01)
    assert np.allclose(first[12:], first[12:].mean(), atol=0.01)


def test_random_numbers_have_the_moments_of_their_name() -> None:
    at = points(10, 40, 90)
    mean, cov = moments_of(BrownianNull(100), at)
    assert np.allclose(mean, 0, atol=0.3)
    assert np.allclose(cov, np.minimum.outer(at, at), rtol=0.06, atol=0.4)
    mean, cov = moments_of(BernoulliNull(100, 0.3), at)
    assert np.allclose(mean, 0.3 * at, atol=0.15)
    assert np.allclose(np.diag(cov), 0.21 * at, rtol=0.05)


def test_the_quick_way_is_for_right_and_wrong_only() -> None:
    assert isinstance(shuffles_of(np.array([1.0, 0.0, 1.0])), BinaryShuffles)
    assert isinstance(shuffles_of(np.array([0.0, 2.0])), ValueShuffles)
    assert isinstance(shuffles_of(VALUES), ValueShuffles)
    assert isinstance(shuffles_of(np.array([1.0, 0.0]), ["a", "b"]), StratifiedShuffles)
