"""Limits, and the share of requests that kept them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.run_views import T0, S, item
from joulemark.metrics.latency import latencies
from joulemark.metrics.slo import Slo, meets, slo_share
from joulemark.record.item import Attempt, Chunk, Verdict
from joulemark.record.reason import Reason


def one(**given: Any) -> Any:
    """A request that took 0.25 s to its first token, 1 s for ten more, 1.25 s in all."""
    return item(**{"first_s": 0.25, "end_s": 1.25, "tokens": 11, **given})


@pytest.mark.parametrize(
    ("slo", "kept"),
    [
        (Slo(ttft_s=0.25), True),
        (Slo(ttft_s=0.2499), False),
        (Slo(tpot_s=0.1), True),
        (Slo(tpot_s=0.0999), False),
        (Slo(e2el_s=1.25), True),
        (Slo(e2el_s=1.2), False),
        (Slo(ttft_s=1.0, tpot_s=1.0, e2el_s=2.0), True),
        (Slo(ttft_s=1.0, tpot_s=0.05, e2el_s=2.0), False),
    ],
)
def test_each_limit_is_kept_or_broken(slo: Slo, kept: bool) -> None:
    assert meets(one(), (), slo) is kept


def test_time_counts_from_when_the_request_was_due() -> None:
    late = replace(one(), t_scheduled=T0 - 3 * S)
    assert meets(late, (), Slo(ttft_s=3.25)) is True
    assert meets(late, (), Slo(ttft_s=3.24)) is False
    assert meets(late, (), Slo(e2el_s=4.24)) is False
    assert meets(late, (), Slo(tpot_s=0.1)) is True


def test_in_a_closed_loop_time_counts_from_the_first_sending() -> None:
    tries = (Attempt(T0 - 3 * S, T0 - 3 * S + 9, "http_503"), Attempt(T0, T0 + S + S // 4))
    again = replace(one(), attempts=tries)
    assert meets(again, (), Slo(ttft_s=3.25, e2el_s=4.25)) is True
    assert meets(again, (), Slo(ttft_s=3.24)) is False
    assert meets(again, (), Slo(e2el_s=4.24)) is False
    assert meets(again, (), Slo(tpot_s=0.1)) is True
    assert meets(replace(again, t_scheduled=T0 - 4 * S), (), Slo(e2el_s=4.5)) is False


def test_a_failed_request_keeps_no_limit() -> None:
    failed = replace(one(), verdict=Verdict.FAILED)
    assert meets(failed, (), Slo(e2el_s=99.0)) is False


def test_what_was_not_observed_is_null_unless_another_limit_was_broken() -> None:
    unseen = replace(one(), t_first=None)
    assert meets(unseen, (), Slo(ttft_s=9.0)) is None
    assert meets(unseen, (), Slo(ttft_s=9.0, e2el_s=9.0)) is None
    assert meets(unseen, (), Slo(ttft_s=9.0, e2el_s=1.0)) is False
    assert meets(replace(one(), completion_tokens=None), (), Slo(tpot_s=9.0)) is None
    assert meets(replace(one(), completion_tokens=1), (), Slo(tpot_s=0.001)) is True
    in_one_piece = (Chunk(T0 + S // 4, 5, False), Chunk(T0 + S // 4, 6, True))
    assert meets(one(), in_one_piece, Slo(tpot_s=9.0)) is None
    assert meets(replace(one(), streamed=False), (), Slo(e2el_s=9.0)) is None


def test_the_share_and_its_interval() -> None:
    items = [replace(one(end_s=1.25 + k), item_id=f"i{k}") for k in range(10)]
    share = slo_share(items, {}, Slo(e2el_s=5.0))
    assert (share.value, share.n) == (0.4, 10)
    assert share.interval == "ci95"
    assert share.lo is not None
    assert share.hi is not None
    assert share.lo < 0.4 < share.hi
    unseen = [*items, replace(one(), item_id="x", t_first=None)]
    assert slo_share(unseen, {}, Slo(ttft_s=1.0)).reason is Reason.NOT_REPORTED
    assert slo_share(items, {}, Slo()).reason is Reason.NOT_APPLICABLE
    assert slo_share([], {}, Slo(ttft_s=1.0)).reason is Reason.NOTHING_SCORED


@given(
    limits=st.tuples(*[st.none() | st.floats(0.01, 5) for _ in range(3)]),
    wider=st.floats(1, 10),
    first_s=st.floats(0.01, 2),
    more_s=st.floats(0.0, 3),
    tokens=st.none() | st.integers(0, 50),
)
def test_a_wider_limit_is_kept_where_a_narrower_one_was(
    limits: tuple[float | None, ...], wider: float, first_s: float, more_s: float, tokens: int | None
) -> None:
    request = one(first_s=first_s, end_s=first_s + more_s, tokens=tokens)
    narrow = meets(request, (), Slo(*limits))
    wide = meets(request, (), Slo(*(None if limit is None else limit * wider for limit in limits)))
    assert narrow is not True or wide is True
    assert wide is not False or narrow is False


def test_latency_from_when_it_was_due() -> None:
    items = [replace(one(), item_id=f"i{k}", t_scheduled=T0 - k * S) for k in range(10)]
    found = latencies(items, {})
    assert found["ttft"].answered[90].value == 0.25
    assert found["ttft_scheduled"].answered[90].value == 8.25
    assert found["e2el_scheduled"].answered[50].value == 5.25
    assert found["e2el"].answered[50].value == 1.25


def test_it_is_withheld_where_any_request_had_no_time() -> None:
    items = [replace(one(), item_id="a", t_scheduled=T0), replace(one(), item_id="b")]
    for name in ("ttft_scheduled", "e2el_scheduled"):
        assert latencies(items, {})[name].answered[50].reason is Reason.NOT_SCHEDULED
    for name in ("ttft_scheduled", "e2el_scheduled"):
        assert latencies([], {})[name].answered[50].reason is Reason.NOTHING_SCORED


def test_failures_are_later_than_anything_from_when_they_were_due() -> None:
    items = [replace(one(), item_id=f"i{k}", t_scheduled=T0) for k in range(5)]
    items += [replace(one(), item_id=f"f{k}", t_scheduled=T0, verdict=Verdict.FAILED) for k in range(5)]
    found = latencies(items, {})["ttft_scheduled"]
    assert found.n_failed == 5
    assert found.answered[50].value == 0.25
    assert found.with_failures[90].reason is Reason.REQUEST_FAILED
