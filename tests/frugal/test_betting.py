"""Wealth of bets on a finite population: never expected to grow under its claim, whatever the population."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.betting import WealthAbove

populations = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=5)


@given(populations, st.floats(0.0, 1.0))
def test_wealth_is_not_expected_to_grow_under_the_claim(population: list[float], more: float) -> None:
    n = len(population)
    mean = sum(population) / n
    claimed = mean + more * (1 - mean)
    orders = np.array(list(permutations(population)))
    path = WealthAbove(claimed, n, len(orders)).feed(orders)
    assert np.isfinite(path[path > -np.inf]).all()
    assert (np.exp(path).mean(axis=0) <= 1 + 1e-9).all()


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=40), st.data())
def test_chunks_make_no_difference(xs: list[float], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(xs)))
    x = np.array([xs])
    n = len(xs) + data.draw(st.integers(0, 30))
    whole = WealthAbove(-0.1, n).feed(x)
    parts = WealthAbove(-0.1, n)
    joined = np.concatenate([parts.feed(part) for part in (x[:, :cut], x[:, cut:]) if part.size], axis=1)
    np.testing.assert_allclose(joined, whole, rtol=1e-9, atol=1e-9)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=60), st.floats(-1, 1), st.floats(-1, 1))
def test_a_larger_claim_never_has_more_wealth_against_it(xs: list[float], one: float, other: float) -> None:
    low, high = sorted((one, other))
    x = np.array([xs])
    of_low, of_high = (WealthAbove(m, len(xs) + 5).feed(x) for m in (low, high))
    finite = np.isfinite(of_low) & np.isfinite(of_high)
    assert (of_low[finite] >= of_high[finite] - 1e-9).all()
    assert not (np.isinf(of_high) & (of_high > 0) & np.isfinite(of_low)).any()


def test_after_the_last_item_only_the_mean_itself_is_left() -> None:
    x = np.array([[1.0, 0.0, -1.0, 1.0]])
    assert WealthAbove(0.249, 4).feed(x)[0, -1] == math.inf
    assert WealthAbove(0.25, 4).feed(x)[0, -1] < math.inf


def test_more_items_than_there_are() -> None:
    with pytest.raises(ValueError, match="more than the 3 items"):
        WealthAbove(0.0, 3).feed(np.zeros((1, 4)))
