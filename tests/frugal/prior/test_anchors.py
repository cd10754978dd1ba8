"""Anchor points: what they are, and that nothing pretends to know how wrong they may be."""

from __future__ import annotations

import numpy as np
import pytest

from joulemark.frugal.prior.anchors import WARNING, anchored_mean, find_anchors


def test_anchors_stand_for_the_items_that_are_like_them() -> None:
    kinds = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]], dtype=float)
    which = np.array([0] * 10 + [1] * 30 + [2] * 60)
    prior = kinds[which].T
    found = find_anchors(prior, 3)
    assert sorted(which[found.places].tolist()) == [0, 1, 2]
    by_kind = dict(zip(which[found.places].tolist(), found.weights.tolist(), strict=True))
    assert by_kind == pytest.approx({0: 0.1, 1: 0.3, 2: 0.6})
    # a model of one of the kinds is told exactly
    for model in prior:
        assert anchored_mean(model[found.places], found.weights, 100).value == pytest.approx(model.mean())


def test_the_same_seed_gives_the_same_anchors() -> None:
    prior = (np.random.default_rng(0).random((7, 300)) < 0.5).astype(float)
    a, b = (find_anchors(prior, 20, seed=9) for _ in range(2))
    assert a.places.tolist() == b.places.tolist()
    assert a.weights.sum() == pytest.approx(1)
    assert len(set(a.places.tolist())) == len(a.places) == 20


def test_there_is_no_interval() -> None:
    found = anchored_mean(np.array([1.0, 0.0]), np.array([0.5, 0.5]), 100)
    assert (found.value, found.lo, found.hi, found.gain) == (0.5, None, None, None)
    assert found.why_no_interval == WARNING
    assert "up to 9 percentage points" in WARNING


def test_items_that_are_all_alike_and_holes() -> None:
    alike = find_anchors(np.ones((3, 5)), 4)
    assert alike.weights.sum() == pytest.approx(1)
    holed = np.ones((2, 6))
    holed[0, 0] = np.nan
    assert find_anchors(holed, 2).weights.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="no 7 anchors"):
        find_anchors(np.ones((2, 6)), 7)
