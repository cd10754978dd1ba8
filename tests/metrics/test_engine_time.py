import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from doubles.run_views import item
from joulemark.metrics import summarize
from joulemark.metrics.engine_time import (
    engine_decode_tokens_per_second,
    engine_prefill_share,
    engine_prefill_tokens_per_second,
)
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason

MS = 1_000_000


def _timed(n=4, prefill_ms=100, decode_ms=400, **fields):
    return [
        item(k, engine_prefill_ns=int(prefill_ms * MS), engine_decode_ns=int(decode_ms * MS), **fields)
        for k in range(n)
    ]


def test_the_speeds_by_hand():
    # 4 requests: 40 prompt tokens in 100 ms, 10 tokens after the first in 400 ms
    items = _timed()
    assert engine_prefill_tokens_per_second(items, False).value == pytest.approx(400.0)
    assert engine_decode_tokens_per_second(items).value == pytest.approx(25.0)
    assert engine_prefill_share(items).value == pytest.approx(0.2)
    assert engine_decode_tokens_per_second(items).n == 4


def test_tokens_from_a_cache_took_no_time():
    items = _timed(cached_tokens=30)
    assert engine_prefill_tokens_per_second(items, True).value == pytest.approx(100.0)
    assert engine_prefill_tokens_per_second(_timed(cached_tokens=40), True).reason is Reason.TOO_SHORT


@pytest.mark.parametrize("cache", [True, None])
def test_a_cache_of_unknown_use_withholds_the_prompt_speed(cache):
    value = engine_prefill_tokens_per_second(_timed(), cache)
    assert value.reason is Reason.NOT_REPORTED
    assert "cache is not known" in value.detail
    some = [*_timed(2), *_timed(2, cached_tokens=0)]
    assert engine_prefill_tokens_per_second(some, cache).n == 2


def test_a_rate_over_next_to_nothing_is_withheld():
    # one token in a microsecond is a clock's fault: no million tokens a second
    one = [item(0, tokens=1, engine_decode_ns=1000, engine_prefill_ns=1000)]
    assert engine_decode_tokens_per_second(one).reason is Reason.NOT_REPORTED
    quick = engine_decode_tokens_per_second(_timed(decode_ms=0.001, tokens=500))
    assert quick.reason is Reason.TOO_SHORT
    assert "1,996 tokens in 0.004 ms" in quick.detail
    few = engine_decode_tokens_per_second(_timed(1, tokens=16))
    assert (few.reason, few.detail) == (Reason.TOO_SHORT, "15 tokens in 400 ms.")
    assert engine_decode_tokens_per_second(_timed(1, tokens=17)).value is not None
    assert engine_prefill_share(_timed(1, 1, 3)).reason is Reason.TOO_SHORT


def test_an_engine_that_tells_nothing():
    items = [item(k) for k in range(4)]
    for value in (
        engine_prefill_tokens_per_second(items, False),
        engine_decode_tokens_per_second(items),
        engine_prefill_share(items),
    ):
        assert (value.reason, "does not report" in value.detail) == (Reason.NOT_REPORTED, True)


def test_failed_requests_and_impossible_times_are_left_out():
    failed = item(9, verdict=Verdict.FAILED, engine_prefill_ns=1, engine_decode_ns=1)
    # the request took 1.2 s by the client's clock
    longer = item(10, tokens=1000, engine_prefill_ns=100 * MS, engine_decode_ns=1150 * MS)
    assert engine_decode_tokens_per_second([*_timed(), failed, longer]).value == pytest.approx(25.0)
    value = engine_decode_tokens_per_second([longer])
    assert (value.reason, "client" in value.detail) == (Reason.NOT_REPORTED, True)
    rounded = item(11, engine_prefill_ns=200 * MS, engine_decode_ns=1001 * MS)
    assert engine_prefill_share([rounded]).value is not None


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(2, 500), st.floats(1, 900)), min_size=1, max_size=20))
def test_a_pooled_speed_lies_between_the_slowest_and_the_fastest(table):
    items = [
        item(k, tokens=n, engine_decode_ns=round(ms * MS), engine_prefill_ns=0)
        for k, (n, ms) in enumerate(table)
    ]
    value = engine_decode_tokens_per_second(items)
    if value.value is not None:
        speeds = [(n - 1) / (round(ms * MS) / 1e9) for n, ms in table]
        assert min(speeds) * 0.999999 <= value.value <= max(speeds) * 1.000001


def test_a_run_has_them_and_doubts_an_impossible_clock():
    view = run_views.with_lengths(20)
    f = summarize(view).figures
    assert f["engine_prefill_tokens_per_second"].value == pytest.approx(1000.0)
    assert f["engine_decode_tokens_per_second"].value == pytest.approx(100.0)
    assert not [c for c in summarize(view).caveats if c.code == "engine_time"]
    slow = dataclasses.replace(view.items[0], engine_decode_ns=60_000 * MS)
    doubted = summarize(dataclasses.replace(view, items=(slow, *view.items[1:])))
    caveat = next(c for c in doubted.caveats if c.code == "engine_time")
    assert "In 1 of 20 answers" in caveat.text
    assert doubted.figures["engine_decode_tokens_per_second"].value == pytest.approx(100.0)
