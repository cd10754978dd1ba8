"""Strata of difficulty: cut evenly, sampled without bias, with intervals that cover."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from joulemark.frugal.prior.estimate import quantile_95
from joulemark.frugal.prior.strata import (
    Sampled,
    difficulty_strata,
    neyman,
    proportional,
    stratified_mean,
    usual_number,
)


def test_strata_are_cut_by_difficulty_and_hold_every_item_once() -> None:
    means = np.array([0.9, np.nan, 0.1, 0.5, 0.2, 0.8, 0.7])
    strata = difficulty_strata(means, 3)
    assert [len(places) for places in strata] == [3, 2, 2]
    assert sorted(np.concatenate(strata).tolist()) == list(range(7))
    assert strata[0].tolist() == [2, 4, 3]
    assert 1 in strata[1]  # unknown: middling
    with pytest.raises(ValueError, match="make no"):
        difficulty_strata(means, 8)


def test_numbers_of_strata_and_items() -> None:
    assert [usual_number(n) for n in (1, 9, 25, 100, 5000)] == [1, 1, 5, 20, 20]
    strata = difficulty_strata(np.linspace(0, 1, 1000), 10)
    assert proportional(100, strata).tolist() == [10] * 10
    prior = np.zeros((4, 1000))
    prior[:, 450:550] = np.tile([0.0, 1.0], 50)  # only two strata are in doubt, half of each
    sizes = neyman(100, strata, prior)
    assert sizes.tolist() == [5, 5, 5, 5, 30, 30, 5, 5, 5, 5], "a prior that is sure may be wrong"
    assert neyman(30, strata, prior).tolist() == [3] * 10


@pytest.mark.parametrize(("by_size", "most"), [(True, 0.97), (False, 1.0)])
def test_the_mean_is_unbiased_and_covered(by_size: bool, most: float) -> None:
    """A misleading prior leaves most strata two answers: few degrees of freedom, and a wide interval."""
    random = np.random.default_rng(11)
    difficulty = random.random(800)
    y = (random.random(800) < difficulty).astype(float)
    strata = difficulty_strata(difficulty, 10)
    misleading = np.array([difficulty > 0.5, difficulty > 0.3], dtype=float)
    sizes = proportional(80, strata) if by_size else neyman(80, strata, misleading)
    values, covered, gains = [], 0, []
    for _ in range(1500):
        drawn = [
            Sampled(len(places), y[random.choice(places, n, replace=False)])
            for places, n in zip(strata, sizes.tolist(), strict=True)
        ]
        found = stratified_mean(drawn, is_share=True)
        assert found.lo is not None
        assert found.hi is not None
        values.append(found.value)
        covered += found.lo <= y.mean() <= found.hi
        if found.gain is not None:
            gains.append(found.gain)
    assert abs(np.mean(values) - y.mean()) < 3 * np.std(values) / np.sqrt(1500)
    assert 0.93 <= covered / 1500 <= most
    plain = y.var(ddof=1) * (1 / 80 - 1 / 800)
    assert np.median(gains) == pytest.approx(plain / np.var(values), rel=0.15 if by_size else 0.4)


def test_all_right_is_not_certain() -> None:
    found = stratified_mean([Sampled(50, np.ones(5)), Sampled(50, np.ones(5))], is_share=True)
    assert found.value == found.hi == 1
    assert found.lo is not None
    assert 0.65 < found.lo < 0.8
    assert found.gain is None
    same = stratified_mean([Sampled(50, np.full(5, 3.0))], is_share=False)
    assert same.lo is None
    assert same.why_no_interval


def test_strata_with_one_answer_are_joined_with_their_neighbours() -> None:
    drawn = [Sampled(10, np.array([0.0])), Sampled(10, np.array([1.0, 0.0])), Sampled(20, np.array([1.0]))]
    found = stratified_mean(drawn, is_share=True)
    assert found.value == pytest.approx((0 + 5 + 20) / 40)
    assert found.lo is not None
    alone = stratified_mean([Sampled(9, np.array([1.0]))], is_share=True)
    assert alone.lo is None
    assert "fewer than two" in alone.why_no_interval
    with pytest.raises(ValueError, match="each stratum"):
        stratified_mean([Sampled(3, np.array([]))], is_share=True)


def test_all_items_leave_no_doubt() -> None:
    found = stratified_mean([Sampled(2, np.array([0.0, 1.0])), Sampled(1, np.array([1.0]))], is_share=True)
    assert found.lo == found.hi == found.value == pytest.approx(2 / 3)


def test_variance_and_gain_are_right_on_the_average_of_all_samples() -> None:
    """Of a population so small that every sample can be drawn: no bias in either, to the last digit."""
    strata = [np.array([1.0, 4.0, 6.5]), np.array([0.5, 2.0, 2.5, 9.0])]
    y = np.concatenate(strata)
    means, variances, spreads = [], [], []
    for a, b in itertools.product(itertools.combinations(strata[0], 2), itertools.combinations(strata[1], 2)):
        values = [np.array(a), np.array(b)]
        found = stratified_mean([Sampled(3, values[0]), Sampled(4, values[1])], is_share=False)
        assert found.hi is not None
        assert found.gain is not None
        terms = [
            (size / 7) ** 2 * of.var(ddof=1) * (1 / 2 - 1 / size)
            for size, of in zip((3, 4), values, strict=True)
        ]
        degrees = sum(terms) ** 2 / sum(term**2 for term in terms)
        variance = ((found.hi - found.value) / quantile_95(degrees)) ** 2
        means.append(found.value)
        variances.append(variance)
        spreads.append(found.gain * variance / (1 / 4 - 1 / 7))
    assert np.mean(means) == pytest.approx(y.mean())
    assert np.mean(variances) == pytest.approx(np.var(means))
    assert np.mean(spreads) == pytest.approx(y.var(ddof=1))


def test_a_mean_of_heavy_tailed_costs_is_covered() -> None:
    rng = np.random.default_rng(12)
    costs = np.exp(np.sqrt(np.log(1 + 2.4**2)) * rng.normal(size=2000))
    strata = difficulty_strata(rng.random(2000), 20)
    held = []
    for _ in range(600):
        drawn = [Sampled(len(places), costs[rng.permutation(places)[:10]]) for places in strata]
        found = stratified_mean(drawn, is_share=False)
        assert found.lo is not None
        assert found.hi is not None
        held.append(found.lo <= costs.mean() <= found.hi)
    assert np.mean(held) > 0.9


def test_a_prior_that_is_sure_and_wrong_keeps_the_interval() -> None:
    rng = np.random.default_rng(11)
    sure = np.arange(1000) < 600
    prior = np.where(sure, 1.0, rng.random((5, 1000)) < 0.5)
    right = (rng.random(1000) < np.where(sure, 0.97, 0.5)).astype(float)
    strata = difficulty_strata(prior.mean(axis=0), 20)
    sizes = neyman(200, strata, prior)
    held = []
    for _ in range(600):
        drawn = [
            Sampled(len(places), right[rng.permutation(places)[:n]])
            for places, n in zip(strata, sizes.tolist(), strict=True)
        ]
        found = stratified_mean(drawn, is_share=True)
        assert found.lo is not None
        assert found.hi is not None
        held.append(found.lo <= right.mean() <= found.hi)
    assert np.mean(held) > 0.93
