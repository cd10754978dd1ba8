"""Kneedle against kneed as an oracle, and what it says of curves without a knee."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from kneed import KneeLocator

from joulemark.frugal.published.kneedle import NO_KNEE, first_knees


def oracle(x: np.ndarray, row: np.ndarray, sensitivity: float) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        knee = KneeLocator(x, row, S=sensitivity, curve="convex", direction="decreasing").knee
    return NO_KNEE if knee is None else int(np.flatnonzero(x == knee)[0])


def curves(rng: np.random.Generator, m: int) -> np.ndarray:
    """Return falling curves, smooth, bumpy and rough, and random walks that are none."""
    u = np.linspace(0.02, 1, m)
    smooth = 1 / u[None, :] ** rng.uniform(0.2, 2, (20, 1))
    bumps = np.cumsum(np.cumsum(rng.standard_normal((20, m)), axis=1), axis=1)
    bumps /= np.abs(bumps).max(axis=1, keepdims=True)
    rough = rng.standard_normal((20, m))
    walks = np.cumsum(rng.standard_normal((20, m)), axis=1)
    return np.concatenate([smooth, smooth + bumps, smooth + 0.05 * rough, walks])


@pytest.mark.parametrize("m", [3, 10, 57, 100, 400])
@pytest.mark.parametrize("sensitivity", [0.0, 1.0, 5.0])
def test_knees_are_those_of_kneed(m: int, sensitivity: float) -> None:
    rng = np.random.default_rng([m, int(sensitivity)])
    x = np.sort(rng.choice(10 * m, m, replace=False)).astype(float)
    y = curves(rng, m)
    told = [oracle(x, row, sensitivity) for row in y]
    assert first_knees(x, y, sensitivity).tolist() == told


def test_plateaus_are_those_of_kneed() -> None:
    rng = np.random.default_rng(5)
    x = np.arange(30.0)
    y = rng.integers(0, 4, (300, 30)).astype(float) - 0.2 * x
    told = [oracle(x, row, 1.0) for row in y]
    assert first_knees(x, y).tolist() == told


def test_the_elbow_of_two_lines_is_the_knee() -> None:
    x = np.arange(101.0)
    y = np.where(x < 40, 100 - 2 * x, 20 - (x - 40) / 6)[None, :]
    assert first_knees(x, y).tolist() == [40]


def test_a_flat_curve_and_a_straight_one_have_none() -> None:
    x = np.arange(50.0)
    y = np.stack([np.ones(50), -x])
    assert first_knees(x, y).tolist() == [NO_KNEE, NO_KNEE]
