"""The interval of a difference: it holds at all looks at once, and a tie that it says is one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.paired.confidence_sequence import interval, log_threshold
from joulemark.frugal.paired.decision import Decider, PairedTest
from joulemark.metrics.betting import WealthAbove

signs = st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=30)


def population(rng: np.random.Generator, n: int, difference: float) -> np.ndarray:
    """Signs of a benchmark of ``n`` items with exactly this difference, in random order."""
    up, down = round(n * (0.15 + difference / 2)), round(n * (0.15 - difference / 2))
    return rng.permutation(np.repeat([1.0, -1.0, 0.0], [up, down, n - up - down]))


@pytest.mark.parametrize("difference", [0.0, 0.03, 0.2])
def test_the_truth_is_missed_at_any_look_in_less_than_5_of_100(difference: float) -> None:
    rng, n, missed = np.random.default_rng(11), 600, 0
    for _ in range(600):
        x = population(rng, n, difference)[None, :]
        truth = float(x.mean())
        most = [WealthAbove(s * truth, n).feed(s * x).max() for s in (1, -1)]
        missed += max(most) >= log_threshold(0.05)
    assert missed / 600 <= 0.05


@given(signs, st.integers(0, 40))
def test_it_holds_what_is_possible_only(xs: list[float], left: int) -> None:
    x = np.array(xs)
    n = len(x) + left
    lo, hi = interval(x, n)
    assert (x.sum() - left) / n - 1e-6 <= lo <= hi <= (x.sum() + left) / n + 1e-6
    if not left:
        assert lo == hi == pytest.approx(x.mean())
    mirrored = interval(-x, n)
    assert mirrored == (pytest.approx(-hi), pytest.approx(-lo))


def test_it_narrows_and_agrees_with_the_winner() -> None:
    x = population(np.random.default_rng(3), 4000, 0.1)
    widths = [np.diff(interval(x[:n], 4000))[0] for n in (100, 400, 1600, 3900)]
    assert widths == sorted(widths, reverse=True)
    decider = Decider(4000)
    found = decider.feed(x)
    assert found is not None
    assert found.winner == "B"
    lo, hi = decider.interval()
    assert 0 <= lo <= 0.1 <= hi


@pytest.mark.parametrize(
    ("difference", "right"), [(0.025, False), (-0.025, False), (0.0, True), (0.01, True)]
)
def test_a_tie_within_two_points_is_one(difference: float, right: bool) -> None:
    """Just beyond epsilon a tie is said in less than 5 of 100; at no difference it is found, and early."""
    rng, said, n_items = np.random.default_rng(5), [], 2000
    for _ in range(200):
        found = Decider(n_items, PairedTest(epsilon=0.02)).feed(population(rng, n_items, difference))
        if found is not None and found.kind == "tie":
            said.append(found.n)
    if right:
        assert len(said) > 0.9 * 200
        assert np.median(said) < n_items
    else:
        assert len(said) <= 0.05 * 200


@pytest.mark.parametrize("difference", [0.0, -0.02, 0.04])
def test_the_interval_at_the_decision_holds_the_truth(difference: float) -> None:
    """Whatever decided, and although a winner closes the interval at 0."""
    rng, n, missed = np.random.default_rng(17), 500, 0
    for _ in range(300):
        x = population(rng, n, difference)
        decider = Decider(n, PairedTest(epsilon=0.02))
        decider.feed(x)
        lo, hi = decider.interval()
        missed += not lo - 1e-9 <= float(x.mean()) <= hi + 1e-9
    assert missed / 300 <= 0.05
