"""What the intervals are worth at the moment of stopping, on what models really answered (field notes, 5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from frugal.stopping.conftest import first, looks
from joulemark.frugal.stopping.bernstein import bernstein_bounds
from joulemark.frugal.stopping.prior_posterior import PriorPosterior
from joulemark.metrics.accuracy import Z_95, wilson_interval
from joulemark.metrics.finite_share import wilson_bounds

Real = tuple[NDArray[np.int8], NDArray[np.float64]]
N_ITEMS, ORDERS = 12_032, 150
MISS = 0.05


def drawn(values: NDArray[Any], n_orders: int, chance: np.random.Generator) -> NDArray[Any]:
    """Return the values in random orders of their own, [n_orders, n]."""
    return chance.permuted(np.tile(values, (n_orders, 1)), axis=1)


@pytest.fixture(scope="module")
def right_after(mmlu_pro: Real) -> NDArray[np.int64]:
    """How many were right at each look, [26 models, orders, looks]; each model in orders of its own."""
    correct, _ = mmlu_pro
    chance = np.random.default_rng(7)
    at = looks(correct.shape[1]) - 1
    return np.stack([np.cumsum(drawn(model, ORDERS, chance), axis=1)[:, at] for model in correct])


@pytest.mark.parametrize("width", [0.01, 0.02, 0.03])
def test_wilson_covers_at_stop_and_asks_what_the_formula_asks(
    mmlu_pro: Real, right_after: NDArray[np.int64], width: float
) -> None:
    n = looks(N_ITEMS)
    covered, asked, ideal = [], [], []
    for seen, right in zip(right_after, mmlu_pro[0].sum(axis=1), strict=True):
        share = right / N_ITEMS
        lo, hi = wilson_bounds(seen, n, N_ITEMS)
        at = first((hi - lo) / 2 <= width)
        rows = np.arange(len(seen))
        covered.append((lo[rows, at] <= share) & (share <= hi[rows, at]))
        n0 = Z_95**2 * share * (1 - share) / width**2
        asked.append(np.median(n[at]))
        ideal.append(n0 / (1 + n0 / N_ITEMS))
    assert 0.94 <= np.mean(covered) <= 0.97
    assert asked == pytest.approx(ideal, rel=0.03)  # of every model


def test_without_items_left_to_ask_nothing_is_uncertain() -> None:
    assert wilson_bounds([7], [10], 10)[0] == wilson_bounds([7], [10], 10)[1] == pytest.approx(0.7)


def test_a_huge_task_is_wilson_as_ever() -> None:
    lo, hi = wilson_bounds(30, 40, 10**9)
    assert (float(lo), float(hi)) == pytest.approx(wilson_interval(30, 40), rel=1e-6)


def test_a_share_is_ever_missed_in_at_most_one_run_of_twenty(mmlu_pro: Real) -> None:
    """At any of 12,032 moments, not at one: the Wilson interval fails this in a third of the runs."""
    sequence = PriorPosterior(N_ITEMS)
    n = np.arange(1, N_ITEMS + 1)
    chance = np.random.default_rng(11)
    missed, peeked = [], []
    for model in mmlu_pro[0]:
        right = int(model.sum())
        seen = np.cumsum(drawn(model, 20, chance), axis=1, dtype=np.int64)
        ratio = sequence.log_ratio(right, seen, n)
        missed.append((ratio >= np.log(1 / sequence.alpha)).any(axis=1))
        lo, hi = wilson_bounds(seen[:, 29::10], n[29::10], N_ITEMS)
        peeked.append(((right / N_ITEMS < lo) | (hi < right / N_ITEMS)).any(axis=1))
    assert np.mean(missed) <= MISS
    assert np.mean(peeked) > 0.2


def test_the_bounds_are_the_shares_that_the_ratio_leaves() -> None:
    sequence = PriorPosterior(400)
    lo, hi = sequence.bounds(60, 100)
    every = np.arange(401)
    left = every[sequence.log_ratio(every, 60, 100) < np.log(1 / sequence.alpha)]
    assert (lo, hi) == (left[0] / 400, left[-1] / 400)
    assert lo < 0.6 < hi
    assert sequence.bounds(250, 400) == (0.625, 0.625)


@pytest.mark.parametrize("population", [60, 900])
@pytest.mark.parametrize("kind", ["share", "beta", "two ends"])
def test_a_mean_is_ever_missed_in_at_most_one_run_of_twenty(population: int, kind: str) -> None:
    chance = np.random.default_rng(5)
    values = {
        "share": (chance.random(population) < 0.8).astype(float),
        "beta": chance.beta(2, 5, population),
        "two ends": np.where(chance.random(population) < 0.5, 0.02, 0.97),
    }[kind]
    lo, hi = bernstein_bounds(drawn(values, 400, chance), population)
    missed = (lo > values.mean() + 1e-12).any(axis=1) | (hi < values.mean() - 1e-12).any(axis=1)
    assert missed.mean() <= MISS
    assert (hi[:, -1] - lo[:, -1]).max() == pytest.approx(0.0, abs=1e-9)


def test_a_decision_far_from_the_bound_is_early(mmlu_pro: Real, right_after: NDArray[np.int64]) -> None:
    sequence = PriorPosterior(N_ITEMS)
    n = looks(N_ITEMS)
    right = mmlu_pro[0].sum(axis=1)
    best = int(np.argmax(right))
    bound = int(right[best] - 0.15 * N_ITEMS)
    # all shares at or below the bound are excluded once the nearest one is, and the mean lies above
    excluded = sequence.log_ratio(bound, right_after[best], n) >= np.log(1 / sequence.alpha)
    decided = excluded & (right_after[best] / n > bound / N_ITEMS)
    assert decided.any(axis=1).all()
    assert np.median(n[first(decided)]) < 0.03 * N_ITEMS
