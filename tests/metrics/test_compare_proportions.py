"""Differences of two shares: against other ways to compute them, and how often they hold the truth."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from doubles.run_views import item
from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.paired_proportions import difference_interval, mcnemar, paired_interval
from joulemark.record.item import Verdict


def _shares(both, only_a, only_b, neither):
    cells = [((1.0, 1.0), both), ((1.0, 0.0), only_a), ((0.0, 1.0), only_b), ((0.0, 0.0), neither)]
    pairs = [pair for pair, count in cells for _ in range(count)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_independent_shares_published_example():
    # Newcombe (1998), table II, method 10, 56/70 - 48/80: 0.0524 to 0.3339
    lo, hi = difference_interval(48, 80, 56, 70)
    assert (round(lo, 4), round(hi, 4)) == (0.0524, 0.3339)


def test_paired_shares_worked_from_the_definition():
    # the four-fold table 14, 5, 0, 22 of 41
    n, both, only_a, only_b, neither = 41, 14, 5, 0, 22
    (lo_a, hi_a), (lo_b, hi_b) = wilson_interval(19, n), wilson_interval(14, n)
    p_a, p_b = 19 / n, 14 / n
    phi = (both * neither - only_a * only_b - n / 2) / math.sqrt(19 * 22 * 14 * 27)
    below, above = (p_b - lo_b, hi_a - p_a), (hi_b - p_b, p_a - lo_a)
    expected = (
        p_b - p_a - math.sqrt(below[0] ** 2 + below[1] ** 2 - 2 * phi * below[0] * below[1]),
        p_b - p_a + math.sqrt(above[0] ** 2 + above[1] ** 2 - 2 * phi * above[0] * above[1]),
    )
    assert paired_interval(*_shares(both, only_a, only_b, neither)) == pytest.approx(expected)


def test_nothing_correct_anywhere_and_everything_correct_stay_in_range():
    for right in (0.0, 1.0):
        lo, hi = paired_interval([right] * 20, [right] * 20)
        assert -1 <= lo < 0 < hi <= 1
    lo, hi = paired_interval([0.0] * 20, [1.0] * 20)
    assert lo > 0.6
    assert hi == 1.0


shares = st.lists(
    st.tuples(st.sampled_from([0, 0.5, 1]), st.sampled_from([0, 0.5, 1])), min_size=1, max_size=40
)


@given(shares)
def test_the_interval_holds_the_difference_and_turns_round(pairs):
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    lo, hi = paired_interval(a, b)
    assert lo - 1e-12 <= sum(b) / len(b) - sum(a) / len(a) <= hi + 1e-12
    back = paired_interval(b, a)
    assert (-back[1], -back[0]) == pytest.approx((lo, hi), abs=1e-9)


def test_coverage_of_the_true_difference():
    rng = np.random.default_rng(20_261_203)
    n, held, truth = 80, 0, _chance(0.7, 0.15) - 0.6
    for _ in range(2000):
        hard = rng.random(n)
        a, b = (hard < 0.6).astype(float), (hard + rng.normal(0, 0.15, n) < 0.7).astype(float)
        lo, hi = paired_interval(a.tolist(), b.tolist())
        held += lo <= truth <= hi
    assert 0.935 <= held / 2000 <= 0.985


def _chance(limit: float, spread: float) -> float:
    """Return P(u + N(0, spread) < limit) for u uniform on 0..1."""
    u = (np.arange(20_000) + 0.5) / 20_000
    return float(np.mean([0.5 * math.erfc((x - limit) / (spread * math.sqrt(2))) for x in u]))


def _items(outcomes, repeats=1):
    return [
        item(k, repeat=r, verdict=Verdict.CORRECT if right else Verdict.WRONG)
        for k, right in enumerate(outcomes)
        for r in range(repeats)
    ]


def test_mcnemar_counts_and_exact_p():
    for only_a, only_b in itertools.product((0, 1, 4, 9, 700), (0, 3, 12, 650)):
        a = [True] * 3 + [True] * only_a + [False] * only_b + [False] * 2
        b = [True] * 3 + [False] * only_a + [True] * only_b + [False] * 2
        found = mcnemar(_items(a), _items(b))
        assert (found.both, found.only_a, found.only_b, found.neither) == (3, only_a, only_b, 2)
        expected = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
        assert found.p_value == pytest.approx(expected, rel=1e-9)


def test_only_shared_scored_requests_are_counted():
    a, b = _items([True, True, False]), _items([True, False])
    b.append(item(2, verdict=None))
    found = mcnemar(a, b)
    assert (found.both, found.only_a, found.only_b, found.neither) == (1, 1, 0, 0)
    assert mcnemar(_items([True], repeats=2), _items([True], repeats=2)).p_value is None
