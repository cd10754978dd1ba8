"""Wealth of bets on a finite population: never expected to grow under its claim, whatever the population.

Not at one time over all orders, which bets for a population without end would hold as well, but at each step
after each beginning: only that makes no way of stopping worth more than 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.metrics.betting import WealthAbove

populations = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=5)


def steps(population: list[float], claimed: float, n_items: int) -> Iterator[tuple[float, float]]:
    """Yield wealth after a beginning, and its mean after one more item over all orders that begin so."""
    orders = np.array(list(permutations(population)))
    path = np.exp(WealthAbove(claimed, n_items, len(orders)).feed(orders))
    path = np.concatenate([np.ones((len(orders), 1)), path], axis=1)
    for n in range(len(population)):
        _, beginning = np.unique(orders[:, :n], axis=0, return_inverse=True)
        for one in range(int(beginning.max()) + 1):
            after = path[beginning.ravel() == one]
            yield float(after[0, n]), float(after[:, n + 1].mean())


@given(populations, st.floats(0.0, 1.0))
def test_wealth_is_not_expected_to_grow_after_any_beginning(population: list[float], more: float) -> None:
    mean = sum(population) / len(population)
    for now, then in steps(population, mean + more * (1 - mean), len(population)):
        assert np.isfinite(then)
        assert then <= now * (1 + 1e-9) + 1e-12


@given(populations)
def test_where_the_claim_is_the_mean_itself_it_is_expected_to_stay(population: list[float]) -> None:
    """So the bets give nothing away. Where ``log`` is of a wealth of nothing there is nothing to stay."""
    for now, then in steps(population, sum(population) / len(population), len(population)):
        assert then == pytest.approx(now, rel=1e-9, abs=1e-12)


def test_bets_for_questions_without_end_do_grow_after_some_beginnings() -> None:
    """They pass a mean over all orders at any one time, and fail what is asked for above."""
    population = [1.0, 1.0, -1.0, -1.0]
    orders = np.array(list(permutations(population)))
    without_end = 10**9
    path = np.exp(WealthAbove(0.0, without_end, len(orders)).feed(orders))
    assert (path.mean(axis=0) <= 1 + 1e-9).all()
    assert any(then > now * (1 + 1e-9) for now, then in steps(population, 0.0, without_end))


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
