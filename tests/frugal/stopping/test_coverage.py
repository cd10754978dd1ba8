"""What the intervals are worth at the moment of stopping, on what models really answered (field notes, 5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from doubles.run_views import item
from frugal.stopping.conftest import first, looks
from joulemark.frugal.stopping.precision import precision
from joulemark.frugal.stopping.seen import Seen
from joulemark.frugal.target import Precision, parse_target
from joulemark.metrics.accuracy import Z_95, wilson_interval
from joulemark.metrics.finite_share import wilson_bounds
from joulemark.record.item import Verdict
from joulemark.record.manifest import Rates

Real = tuple[NDArray[np.int8], NDArray[np.float64]]
N_ITEMS, ORDERS = 12_032, 150


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


@pytest.mark.parametrize("share", [0.9, 0.95, 0.97, 0.98, 0.99])
def test_what_is_told_at_a_stop_covers_near_one_too(share: float) -> None:
    """The interval as it is written down, not a symmetric one of its width: that is right in 82 % of runs."""
    target = parse_target("accuracy ±3pp")
    assert isinstance(target, Precision)
    truth = np.arange(3000) < share * 3000
    chance = np.random.default_rng(13)
    answers = {right: (item(0, verdict=Verdict.CORRECT if right else Verdict.WRONG),) for right in (0, 1)}
    held = 0
    for _ in range(200):
        right = chance.permutation(truth)[:600].astype(int).tolist()
        seen = Seen(Rates())
        seen.take([answers[one] for one in right])
        for n in range(30, 601, 10):
            told = precision(target, seen, [answers[one] for one in right[:n]], 3000, None, 1)
            if told.met:
                break
        assert told.met
        assert told.lo is not None
        assert told.hi is not None
        held += told.lo <= truth.mean() <= told.hi
    assert held / 200 >= 0.92  # within chance of 200 runs, of 95 %
