"""Planned decisions against runs of the rule that they are planned for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.planning.decision_size import needed_to_decide_mean, needed_to_decide_share
from joulemark.frugal.stopping.mean_sequence import ALPHA
from joulemark.metrics.betting import WealthAbove

RUNS = 200


def _decided(values: np.ndarray, bound: float, n: int, seed: int) -> float:
    """Return in which share of runs the bets of the rule have decided after n of the values."""
    random = np.random.default_rng(seed)
    drawn = np.stack([random.permutation(values)[:n] for _ in range(RUNS)])
    sign = 1 if values.mean() > bound else -1
    wealth = WealthAbove(sign * (2 * bound - 1), len(values), RUNS)
    return float((wealth.feed(sign * (2 * drawn - 1)).max(axis=1) >= math.log(2 / ALPHA)).mean())


@pytest.mark.parametrize(
    ("share", "bound", "of"),
    [(0.5, 0.4, 12_000), (0.75, 0.7, 3000), (0.97, 0.9, 12_000), (0.05, 0.1, 3000), (0.75, 0.73, 1500)],
)
def test_four_runs_of_five_have_decided_by_then(share: float, bound: float, of: int) -> None:
    values = np.repeat([1.0, 0.0], [round(share * of), of - round(share * of)])
    n = needed_to_decide_share(share, bound, of)
    assert 0.7 <= _decided(values, bound, n, 5) <= 0.97
    assert _decided(values, bound, n // 2, 6) < 0.7


def test_scores_too() -> None:
    values = np.random.default_rng(1).beta(4, 2, 5000)
    bound = float(values.mean()) - 0.02
    n = needed_to_decide_mean(0.02, float(values.std()), len(values))
    assert 0.65 <= _decided(values, bound, n, 7) <= 0.97


@given(share=st.floats(0, 1), bound=st.floats(0.01, 0.99), of=st.integers(1, 10**7))
def test_sizes_are_sizes(share: float, bound: float, of: int) -> None:
    assert 1 <= needed_to_decide_share(share, bound, of) <= of
    assert 1 <= needed_to_decide_mean(share - bound, math.sqrt(share * (1 - share)), of) <= of
    assert needed_to_decide_share(bound, bound, of) == of


@given(share=st.floats(0.1, 0.9), of=st.integers(10, 10**6))
def test_right_and_wrong_are_the_same_from_the_other_side(share: float, of: int) -> None:
    one, other = needed_to_decide_share(share, 0.05, of), needed_to_decide_share(1 - share, 0.95, of)
    assert abs(one - other) <= 1 + 0.002 * one
