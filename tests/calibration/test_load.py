"""Utilisation and tokens of a window, from the requests that touch it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.calibration.load import Request, share_of

S = 1_000_000_000


def test_a_request_that_reaches_over_an_end_counts_by_its_share_inside():
    requests = [Request(-1 * S, 1 * S, 20), Request(2 * S, 3 * S, 10), Request(4 * S, 8 * S, 40)]
    share = share_of(requests, 0, 6 * S)
    assert share.utilisation == pytest.approx((1 + 1 + 2) / 6)
    assert share.tokens_per_s == pytest.approx((10 + 10 + 20) / 6)


def test_requests_side_by_side_are_one_busy_stretch():
    requests = [Request(0, 4 * S, 4), Request(1 * S, 3 * S, 2), Request(3 * S, 6 * S, 3)]
    assert share_of(requests, 0, 10 * S).utilisation == pytest.approx(0.6)
    assert share_of(requests, 0, 10 * S).tokens_per_s == pytest.approx(0.9)


def test_a_count_that_is_not_told_withholds_the_rate_and_not_the_utilisation():
    share = share_of([Request(0, S, None), Request(S, 2 * S, 5)], 0, 4 * S)
    assert share.tokens_per_s is None
    assert share.reason
    assert share.utilisation == pytest.approx(0.5)
    outside = share_of([Request(-2 * S, -S, None), Request(0, S, 5)], 0, 4 * S)
    assert outside.tokens_per_s == pytest.approx(1.25)


def test_no_request_is_no_load():
    share = share_of([], 0, S)
    assert (share.utilisation, share.tokens_per_s) == (0.0, 0.0)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-50, 150), st.integers(1, 80), st.integers(0, 900)), max_size=12),
    st.integers(1, 99),
)
def test_two_halves_make_the_whole(rows, middle):
    requests = [Request(begin * S, (begin + length) * S, tokens) for begin, length, tokens in rows]
    whole = share_of(requests, 0, 100 * S)
    halves = [share_of(requests, 0, middle * S), share_of(requests, middle * S, 100 * S)]
    lengths = [middle, 100 - middle]
    assert 0 <= whole.utilisation <= 1
    for name in ("utilisation", "tokens_per_s"):
        summed = sum(n * getattr(half, name) for n, half in zip(lengths, halves, strict=True))
        assert 100 * getattr(whole, name) == pytest.approx(summed)
