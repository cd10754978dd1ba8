"""The interval that holds wherever somebody who sees the answers ends the asking."""

from __future__ import annotations

import numpy as np
import pytest

from joulemark.frugal.stopping.mean_sequence import STEPS, MeanSequence
from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.any_look import any_look_interval
from joulemark.metrics.betting import ENDLESS


@pytest.mark.parametrize(("share", "n"), [(0.6, 40), (0.6, 700), (0.97, 150), (1.0, 60)])
def test_it_is_the_interval_of_a_decision_on_questions_of_the_kind(share: float, n: int) -> None:
    values = (np.random.default_rng(n).random(n) < share).astype(float)
    ruled = MeanSequence(ENDLESS, 0.5)
    ruled.feed(values, values)
    lo, hi = any_look_interval(values, values)
    assert (lo, hi) == pytest.approx((ruled.lo, ruled.hi), abs=1.01 / STEPS)
    # the one of the sequence is rounded outwards to its steps
    assert ruled.lo <= lo + 1e-3 <= hi <= ruled.hi + 1e-3
    plain = wilson_interval(values.sum(), n)
    assert lo < plain[0] < plain[1] < hi or share == 1.0


def test_it_never_widens_and_what_is_not_known_could_be_any() -> None:
    values = (np.random.default_rng(5).random(300) < 0.6).astype(float)
    ends = np.array([any_look_interval(values[:n], values[:n]) for n in range(0, 301, 50)])
    assert ends[0].tolist() == [0.0, 1.0]
    assert (np.diff(ends[:, 0]) >= 0).all()
    assert (np.diff(ends[:, 1]) <= 0).all()
    least, most = values.copy(), values.copy()
    least[::10], most[::10] = 0.0, 1.0
    wide = any_look_interval(least, most)
    assert wide[0] < ends[-1, 0] < ends[-1, 1] < wide[1]


def test_the_best_of_many_ends_is_within_it() -> None:
    """Looks at 100 to 1,290 of a share of .6, ended where its lower end is the highest."""
    rng, looks, rounds = np.random.default_rng(11), np.arange(100, 1300, 10), 200
    missed = np.zeros(2, int)
    for _ in range(rounds):
        values = (rng.random(1290) < 0.6).astype(float)
        plain, best = max((wilson_interval(values[:n].sum(), n)[0], n) for n in looks.tolist())
        missed += plain > 0.6, any_look_interval(values[:best], values[:best])[0] > 0.6
    assert missed[0] >= rounds / 8
    assert missed[1] <= rounds / 40
