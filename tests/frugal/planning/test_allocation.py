"""Whole numbers of items of parts: what they reach, and that no other costs less."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.planning.allocation import Part, least_for, reached, shared

parts = st.lists(
    st.builds(
        Part,
        weight=st.floats(0.05, 1),
        sd=st.floats(0, 1),
        size=st.integers(1, 5000),
        cost=st.floats(0.01, 100),
    ),
    min_size=1,
    max_size=8,
)


@given(half=st.floats(1e-3, 0.5), among=parts)
def test_the_target_is_reached_within_the_sizes(half: float, among: list[Part]) -> None:
    sizes = least_for(half, among)
    assert all(1 <= n <= part.size for n, part in zip(sizes, among, strict=True))
    assert reached(sizes, among) <= half * (1 + 1e-9)


def test_nothing_cheaper_reaches_it() -> None:
    among = [Part(0.5, 0.5, 30, 1.0), Part(0.5, 0.2, 30, 9.0), Part(0.5, 0.4, 12, 1.0)]
    half = 0.12

    def cost(sizes: tuple[int, ...]) -> float:
        return sum(n * part.cost for n, part in zip(sizes, among, strict=True))

    found = tuple(least_for(half, among))
    every = itertools.product(*(range(1, part.size + 1) for part in among))
    best = min(cost(sizes) for sizes in every if reached(sizes, among) <= half)
    # each size is rounded up, by less than one item
    assert best <= cost(found) <= best + sum(part.cost for part in among)


def test_neymans_proportions() -> None:
    """n_h goes with weight · sd / √cost."""
    among = [Part(0.5, 0.4, 10**9, 4.0), Part(0.5, 0.4, 10**9, 1.0), Part(0.5, 0.1, 10**9, 1.0)]
    a, b, c = least_for(0.001, among)
    assert b / a == pytest.approx(2, rel=1e-3)
    assert b / c == pytest.approx(4, rel=1e-3)


def test_a_part_that_needs_all_of_its_items_is_asked_in_full() -> None:
    among = [Part(0.5, 0.5, 40), Part(0.5, 0.5, 100_000)]
    small, large = least_for(0.01, among)
    assert small == 40
    # then the other alone must reach it
    n0 = (1.959964 * 0.25 / 0.01) ** 2
    assert large == math.ceil(n0 / (1 + n0 / 100_000))


@given(
    wishes=st.lists(st.floats(0, 1e6), min_size=1, max_size=30),
    least=st.integers(0, 3),
    data=st.data(),
)
def test_sharing_adds_up(wishes: list[float], least: int, data: st.DataObject) -> None:
    sizes = np.array(data.draw(st.lists(st.integers(1, 500), min_size=len(wishes), max_size=len(wishes))))
    floors = np.minimum(sizes, least)
    n = data.draw(st.integers(int(floors.sum()), int(sizes.sum())))
    given_out = shared(n, np.array(wishes), sizes, least=least)
    assert given_out.sum() == n
    assert (given_out >= floors).all()
    assert (given_out <= sizes).all()


def test_sharing_is_in_proportion() -> None:
    assert shared(100, np.array([1.0, 2.0, 7.0]), np.array([50, 50, 100])).tolist() == [10, 20, 70]
    assert shared(10, np.zeros(2), np.array([50, 50])).tolist() == [5, 5]
    with pytest.raises(ValueError, match="cannot be shared"):
        shared(3, np.ones(2), np.array([5, 5]), least=2)
    with pytest.raises(ValueError, match="is no part"):
        Part(1.0, 0.5, 10, 0.0)
