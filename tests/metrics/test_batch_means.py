"""Intervals from blocks on made-up series of known truth: cheap, so thousands of them."""

from itertools import pairwise

import numpy as np
import pytest

from joulemark.metrics.batch_means import MIN_BLOCKS, Scores, half_width, steady_blocks
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.trend import trend_of
from joulemark.record.span import Span

N = 3_000


def share_held(series, k: int) -> float:
    """Return how often the interval of the mean of k blocks holds 0, the true mean."""
    held = 0
    for values in series:
        half = half_width((values - values.mean()) / k)
        held += abs(values.mean()) <= half
    return held / len(series)


@pytest.mark.parametrize("k", [6, 12, 30])
def test_independent_blocks_are_covered(k):
    series = np.random.default_rng(1).normal(size=(N, k))
    assert 0.93 <= share_held(series, k) <= 0.975


def test_blocks_with_something_in_common_are_covered_too():
    rng = np.random.default_rng(2)
    k, r = 30, 0.3
    series = np.empty((N, k))
    series[:, 0] = rng.normal(size=N)
    for j in range(1, k):
        series[:, j] = r * series[:, j - 1] + np.sqrt(1 - r * r) * rng.normal(size=N)
    assert share_held(series, k) >= 0.92
    plain = np.mean([abs(v.mean()) <= 2.045 * v.std(ddof=1) / np.sqrt(k) for v in series])
    assert plain < 0.88  # what neighbours in common do to an interval that does not see them


def test_what_requests_add_is_theirs_and_moves_together_with_their_block():
    rng = np.random.default_rng(3)
    k, n = 20, 400
    block = rng.integers(-2, k, n)
    block[block < 0] = -1
    wide, narrow, together = [], [], []
    for _ in range(200):
        z = rng.normal(size=k) / k
        values = rng.normal(size=n) / n
        scores = Scores(values, block, list(range(n)))
        wide.append(half_width(z - z.mean(), scores))
        narrow.append(half_width(z - z.mean()))
        # energy goes down where requests' lengths go up
        against = z - 0.9 * np.bincount(block[block >= 0], values[block >= 0], k)
        together.append(half_width(against - against.mean(), scores) / half_width(against - against.mean()))
    assert np.mean(wide) > np.mean(narrow)
    assert np.mean(together) < np.mean(np.array(wide) / np.array(narrow))


def test_repeats_of_a_question_are_one_answer():
    rng = np.random.default_rng(4)
    once = rng.normal(size=60)
    once -= once.mean()
    values = np.tile(once, 5) / 300
    block = np.arange(300) % 10
    z = np.zeros(10)
    apart = half_width(z, Scores(values, block, list(range(300))))
    repeated = half_width(z, Scores(values, block, list(range(60)) * 5))
    assert repeated > 2 * apart


def test_too_few_blocks_have_no_interval():
    with pytest.raises(ValueError, match="too few"):
        half_width(np.zeros(MIN_BLOCKS - 1))


def window(seconds: float, in_batch_s: float) -> SteadyWindow:
    part = Span(0, 0, round(seconds * 1e9))
    return SteadyWindow(part, "in_flight", 4, 4, 4, 1.0, 100, 1000, "exact", in_batch_s)


def test_blocks_are_no_shorter_than_a_request_and_no_more_than_thirty():
    assert len(steady_blocks(window(300, 2))) == 30
    assert len(steady_blocks(window(20, 2))) == 10
    assert steady_blocks(window(20, 4)) == ()
    assert len(steady_blocks(window(10, 0.1))) == 10  # nor than a second
    blocks = steady_blocks(window(61, 3))
    assert (blocks[0].t0, blocks[-1].t1) == (0, 61 * 10**9)
    assert all(a.t1 == b.t0 for a, b in pairwise(blocks))


def test_a_trend_is_told_by_its_rarity_not_by_its_slope():
    line = trend_of(10 + np.linspace(-1, 1, 21) + np.random.default_rng(5).normal(0, 0.1, 21))
    assert line.change == pytest.approx(2.1, abs=0.2)
    assert line.z > 4
    flukes = [trend_of(v) for v in np.random.default_rng(6).normal(size=(5_000, 6))]
    assert sum(abs(one.t) > 4 for one in flukes) > 20  # four degrees of freedom
    assert sum(abs(one.z) > 4 for one in flukes) <= 2
    assert trend_of(np.array([1.0, 2.0])).t == 0
    assert trend_of(np.arange(5.0)).z == np.inf
