"""How much would come anew if the same questions were asked again: never told too small."""

from __future__ import annotations

import numpy as np
import pytest

from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.asked_again import (
    ALL,
    cost_within,
    is_sampled,
    variance_of_mean,
    within_share,
)
from joulemark.metrics.finite_ratio import RatioEstimate, Units, estimate
from joulemark.metrics.finite_share import wilson_bounds
from joulemark.record.manifest import Sampling


def test_answers_without_a_temperature_are_not_sampled() -> None:
    assert not is_sampled(Sampling(max_tokens=9))
    assert is_sampled(Sampling(max_tokens=9, temperature=0.2))


def test_of_questions_that_were_asked_once_all_may_be_within() -> None:
    once = np.array([variance_of_mean([1.0]), variance_of_mean([0.0])])
    assert within_share(once, 0.25) == ALL
    assert within_share(np.array([0.1]), 0.0) == ALL


def test_repeats_tell_the_part_within_by_two_stages() -> None:
    """Three questions right in 0, 1 and 2 of 2 repeats: s² / 2 is 0, 0.25 and 0; p (1 - p) is 0.25."""
    variances = np.array([variance_of_mean(pair) for pair in ([0.0, 0.0], [0.0, 1.0], [1.0, 1.0])])
    assert variances.tolist() == [0.0, 0.25, 0.0]
    assert within_share(variances, 0.25) == pytest.approx(1 / 3)


def test_what_is_all_within_takes_no_correction_and_what_is_not_takes_the_whole() -> None:
    assert wilson_interval(570, 1000, 1319, within=1.0) == pytest.approx(wilson_interval(570, 1000))
    whole, part, none = (
        float(np.diff(wilson_bounds(570, 1000, 1319, within=w), axis=0)[0]) for w in (0, 0.5, 1)
    )
    assert whole < part < none
    # once all were asked the part within is what is left
    lo, hi = wilson_interval(660, 1319, 1319, within=0.25)
    assert hi - lo == pytest.approx((np.diff(wilson_interval(660, 1319)) / 2).item(), rel=5e-3)
    cost = np.arange(1.0, 101.0)
    halves = []
    for within in (0.0, 0.25, 1.0):
        found = estimate(Units(cost, np.ones(100), 100), 100, within=within)
        assert isinstance(found, RatioEstimate)
        halves.append(found.half_width)
    assert halves[0] == 0
    assert halves[1] == pytest.approx(halves[2] / 2)


def test_the_noise_of_costs_is_never_told_too_small() -> None:
    """Costs that tokens fix, but for 15 % of noise: a line leaves that and little more."""
    chance = np.random.default_rng(3)
    told, true = [], []
    for _ in range(50):
        tokens = chance.lognormal(4, 0.5, 300)
        fixed = 5 + 0.2 * tokens
        cost = fixed * (1 + chance.normal(0, 0.15, 300))
        explained = np.stack([np.ones(300), np.full(300, 40.0), tokens], axis=1)
        told.append(cost_within(cost, explained, cost - cost.mean()))
        true.append(np.mean((0.15 * fixed) ** 2) / cost.var(ddof=1))
    assert np.mean(told) == pytest.approx(np.mean(true), rel=0.1)


def test_without_counts_all_of_a_cost_may_be_noise() -> None:
    cost = np.arange(30.0)
    missing = np.stack([np.ones(30), np.full(30, np.nan), np.ones(30)], axis=1)
    assert cost_within(cost, missing, cost - cost.mean()) == ALL
    few = np.ones((6, 3))
    assert cost_within(cost[:6], few, cost[:6] - cost[:6].mean()) == ALL
