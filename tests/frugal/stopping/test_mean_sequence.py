"""A bound is decided rightly at whatever moment one looks, and as early as by the exact ratio for shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from doubles.prior_posterior import PriorPosterior
from frugal.stopping.conftest import first, looks
from joulemark.frugal.stopping.mean_sequence import ALPHA, STEPS, MeanSequence
from joulemark.metrics.betting import WealthAbove
from joulemark.metrics.finite_share import wilson_bounds

Real = tuple[NDArray[np.int8], NDArray[np.float64]]
N_ITEMS, MISS = 12_032, 0.05


def orders(values: NDArray[Any], n_orders: int, chance: np.random.Generator) -> NDArray[np.float64]:
    """Return the values in random orders of their own, [n_orders, n]."""
    return chance.permuted(np.tile(values.astype(np.float64), (n_orders, 1)), axis=1)


def ruled_out(x: NDArray[np.float64], mean: float) -> NDArray[np.bool_]:
    """Tell of each order and moment whether the mean is ruled out, as `MeanSequence` does, [orders, n]."""
    n_orders, n = x.shape
    up = WealthAbove(2 * mean - 1, n, n_orders).feed(2 * x - 1)
    down = WealthAbove(1 - 2 * mean, n, n_orders).feed(1 - 2 * x)
    return np.maximum(up, down) >= np.log(2 / ALPHA)


def test_the_truth_is_ever_ruled_out_in_at_most_one_run_of_twenty(mmlu_pro: Real) -> None:
    """At any of 12,032 moments, not at one: the Wilson interval fails this in a third of the runs."""
    n = np.arange(1, N_ITEMS + 1)
    chance = np.random.default_rng(11)
    missed, peeked = [], []
    for model in mmlu_pro[0][::3]:
        x = orders(model, 12, chance)
        # after the last item only the mean is left, and rounding may not rule it out
        missed.append(ruled_out(x, float(x[0].mean())).any(axis=1))
        seen = np.cumsum(x, axis=1)
        lo, hi = wilson_bounds(seen[:, 29::10], n[29::10], N_ITEMS)
        peeked.append(((x[0].mean() < lo) | (hi < x[0].mean())).any(axis=1))
    assert np.mean(missed) <= MISS
    assert np.mean(peeked) > 0.2


@pytest.mark.parametrize("population", [60, 900])
@pytest.mark.parametrize("kind", ["share", "beta", "two ends", "a third"])
def test_any_bounded_value_has_one_alpha_for_both_sides(population: int, kind: str) -> None:
    """Repeats of a question make values between 0 and 1 (a third): no second sequence beside the first."""
    chance = np.random.default_rng(5)
    values = {
        "share": (chance.random(population) < 0.8).astype(float),
        "beta": chance.beta(2, 5, population),
        "two ends": np.where(chance.random(population) < 0.5, 0.02, 0.97),
        "a third": chance.integers(0, 4, population) / 3,
    }[kind]
    assert ruled_out(orders(values, 400, chance), float(values.mean())).any(axis=1).mean() <= MISS


def test_decisions_take_no_more_questions_than_by_the_exact_ratio(mmlu_pro: Real) -> None:
    """Bounds 2, 5 and 10 pp below each model, the median of the models' medians."""
    sequence, n = PriorPosterior(N_ITEMS), looks(N_ITEMS)
    chance = np.random.default_rng(23)
    for gap in (0.02, 0.05, 0.10):
        ours, theirs = [], []
        for model in mmlu_pro[0][::4]:
            right = int(model.sum())
            bound = right - round(gap * N_ITEMS)
            x = orders(model, 15, chance)
            up = WealthAbove(2 * bound / N_ITEMS - 1, N_ITEMS, len(x)).feed(2 * x - 1)
            above = np.maximum.accumulate(up, axis=1)[:, n - 1] >= np.log(2 / ALPHA)
            ours.append(np.median(n[first(above)]))
            seen = np.cumsum(x, axis=1)[:, n - 1].astype(np.int64)
            theirs.append(np.median(n[first(sequence.log_ratio(bound, seen, n) >= np.log(1 / ALPHA))]))
        one_look = 10 if gap == 0.10 else 0  # there the two are within a look of each other
        assert np.median(ours) <= np.median(theirs) + one_look, (gap, np.median(ours), np.median(theirs))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.floats(0.01, 0.99), st.data())
def test_fed_in_parts_it_says_the_same_and_never_widens(
    values: list[float], bound: float, data: st.DataObject
) -> None:
    x = np.array(values)
    cut = data.draw(st.integers(0, len(x)))
    whole, parts = MeanSequence(len(x) + 7, bound), MeanSequence(len(x) + 7, bound)
    whole.feed(x, x)
    parts.feed(x[:cut], x[:cut])
    before = parts.lo, parts.hi
    parts.feed(x[cut:], x[cut:])
    assert (parts.lo, parts.hi) == (whole.lo, whole.hi)
    assert before[0] <= parts.lo
    assert parts.hi <= before[1]
    least, most = x.sum() / (len(x) + 7), (x.sum() + 7) / (len(x) + 7)
    # no further than a step of the grid from what is certain by counting
    assert parts.hi >= least - 1e-9
    assert parts.lo <= most + 1e-9


def test_the_bound_is_decided_exactly_and_the_ends_lie_outwards() -> None:
    x = orders(np.arange(2000) < 1400, 1, np.random.default_rng(3))[0]
    sequence = MeanSequence(2000, 0.65)
    for at in range(0, 2000, 10):
        sequence.feed(x[at : at + 10], x[at : at + 10])
        reached = ruled_out(x[None, :], 0.65)[0, : at + 10].any()
        assert (sequence.above is True) == reached
    assert sequence.lo <= 0.7 <= sequence.hi
    assert sequence.hi - sequence.lo <= 2.1 / STEPS


def test_what_is_not_known_could_be_anything() -> None:
    sequence = MeanSequence(100, 0.5)
    sequence.feed(np.zeros(99), np.ones(99))
    assert sequence.above is None
    assert (sequence.lo, sequence.hi) == (0.0, 1.0)
