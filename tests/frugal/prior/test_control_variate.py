"""Regression on other models' means: unbiased with a slope that is fixed beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from joulemark.frugal.prior.control_variate import controlled_mean, fitted_mean, prior_slope
from joulemark.metrics.accuracy import wilson_interval


def _models(random: np.random.Generator, m: int, n: int) -> np.ndarray:
    difficulty = random.beta(0.7, 0.7, n)
    return (random.random((m, n)) < difficulty).astype(float)


def test_the_slope_is_that_of_each_model_on_the_others() -> None:
    prior = _models(np.random.default_rng(3), 5, 400)
    across = along = 0.0
    for k, own in enumerate(prior):
        x = np.delete(prior, k, axis=0).mean(axis=0)
        across += float((x - x.mean()) @ own)
        along += float((x - x.mean()) @ x)
    assert prior_slope(prior) == pytest.approx(across / along)
    holed = prior.copy()
    holed[0, :10] = np.nan
    assert prior_slope(holed) == pytest.approx(prior_slope(prior), abs=0.05)
    assert prior_slope(np.ones((3, 10))) == 0
    with pytest.raises(ValueError, match="tells no slope"):
        prior_slope(prior[:1])


@pytest.mark.parametrize("fixed", [True, False])
def test_it_is_unbiased_and_covered(fixed: bool) -> None:
    random = np.random.default_rng(5)
    models = _models(random, 6, 900)
    y, x = models[0], models[1:].mean(axis=0)
    slope = prior_slope(models[1:])
    values, covered = [], 0
    for _ in range(2000):
        drawn = random.choice(900, 90, replace=False)
        if fixed:
            found = controlled_mean(y[drawn], x[drawn], x.mean(), slope, 900, is_share=True)
        else:
            found = fitted_mean(y[drawn], x[drawn], x.mean(), 900, is_share=True)
        assert found.lo is not None
        assert found.hi is not None
        values.append(found.value)
        covered += found.lo <= y.mean() <= found.hi
    assert abs(np.mean(values) - y.mean()) < 3 * np.std(values) / np.sqrt(2000)
    assert 0.93 <= covered / 2000 <= 0.97
    assert np.var(values) < y.var() * (1 / 90 - 1 / 900) / 1.2


def test_little_is_not_enough_and_everything_is() -> None:
    few = controlled_mean(np.ones(3), np.ones(3), 0.5, 0.0, 10, is_share=True)
    assert (few.lo, few.hi) == (None, None)
    assert "too few" in few.why_no_interval
    whole = controlled_mean(np.array([0.0, 1.0]), np.array([0.2, 0.6]), 0.4, 0.7, 2, is_share=True)
    assert whole.lo == whole.hi == whole.value == pytest.approx(0.5)
    right = controlled_mean(np.ones(20), np.zeros(20), 0.0, 0.0, 100, is_share=True)
    assert right.lo is not None
    assert right.lo < 0.9
    with pytest.raises(ValueError, match="no sample"):
        controlled_mean(np.ones(3), np.ones(3), 0.5, 0.0, 2, is_share=True)


@pytest.mark.parametrize("share", [0.9, 0.97, 0.985, 0.994])
@pytest.mark.parametrize("n", [40, 100])
def test_it_keeps_its_95_percent_where_nearly_all_is_right(share: float, n: int) -> None:
    """A model far better than those that the slope comes from: their slope is too steep for it."""
    random = np.random.default_rng(17)
    easy = random.beta(2, 0.6, 1500)
    models = (random.random((8, 1500)) < easy).astype(float)
    order = np.argsort(easy + 0.5 * random.random(1500))
    y = np.ones(1500)
    y[order[: round((1 - share) * 1500)]] = 0.0
    x, slope = models.mean(axis=0), prior_slope(models)
    covered = 0
    for _ in range(1000):
        drawn = random.choice(1500, n, replace=False)
        found = controlled_mean(y[drawn], x[drawn], x.mean(), slope, 1500, is_share=True)
        assert found.lo is not None
        assert found.hi is not None
        covered += found.lo <= y.mean() <= found.hi
    assert covered / 1000 >= 0.93


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_answers_that_are_all_alike_tell_no_gain(right: float) -> None:
    x = np.random.default_rng(1).random(30)
    found = controlled_mean(np.full(30, right), x, 0.5, 0.8, 500, is_share=True)
    assert (found.gain, found.worth) == (None, None)
    plain = wilson_interval(30 * right, 30, 500)
    assert found.lo is not None
    assert found.hi is not None
    assert found.lo <= plain[0] + 1e-12
    assert found.hi >= plain[1] - 1e-12
