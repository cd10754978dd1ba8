"""What heavy tails add to an interval."""

from __future__ import annotations

import numpy as np

from joulemark.metrics.heavy_tails import widening


def test_alike_normal_and_no_errors_widen_nothing() -> None:
    assert widening(np.zeros(0)) == widening(np.zeros(50)) == widening(np.tile([-1.0, 1.0], 50)) == 1.0
    rng = np.random.default_rng(1)
    assert max(widening(rng.normal(size=400)) for _ in range(50)) < 1.2


def test_a_few_that_make_the_spread_widen_it() -> None:
    errors = np.zeros(100)
    errors[:2] = 10.0
    assert 1.5 < widening(errors) < 2.5
    assert widening(100 * errors) == widening(errors)
