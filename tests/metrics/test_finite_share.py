"""Wilson's interval of a finite task."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.finite_share import wilson_bounds, wilson_half_width


@given(st.integers(2, 400), st.data())
def test_the_two_forms_are_one(population: int, data: st.DataObject) -> None:
    trials = data.draw(st.integers(1, population))
    successes = data.draw(st.integers(0, trials))
    lo, hi = wilson_bounds(successes, trials, population)
    assert (float(lo), float(hi)) == pytest.approx(wilson_interval(successes, trials, population), abs=1e-12)
    assert 0 <= lo <= successes / trials <= hi <= 1


def test_every_further_item_narrows_it_to_nothing() -> None:
    n = np.arange(10, 1001, 10)
    widths = wilson_half_width(0.4 * n, n, 1000)
    assert (np.diff(widths) < 0).all()
    assert widths[-1] == 0
