from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from joulemark.record.item import Item
from joulemark.record.span import Span
from joulemark.runs.spans import gap_spans


def item(t_sent: int, t_end: int, segment: int = 0) -> Item:
    return Item(f"q{t_sent}-{t_end}", 0, 0, segment, "measure", t_sent, t_end)


def test_gaps_are_what_no_request_covers() -> None:
    windows = [Span(0, 0, 100), Span(1, 0, 50)]
    items = [item(10, 20), item(15, 40), item(60, 120), item(5, 45, segment=1)]
    assert gap_spans(windows, items) == [Span(0, 0, 10), Span(0, 40, 60), Span(1, 0, 5), Span(1, 45, 50)]


def test_a_window_without_requests_is_one_gap() -> None:
    assert gap_spans([Span(0, 5, 9)], []) == [Span(0, 5, 9)]


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 30)), max_size=12))
def test_items_and_gaps_cover_a_window_exactly_once(requests: list[tuple[int, int]]) -> None:
    items = [item(begin, begin + length) for begin, length in requests]
    gaps = gap_spans([Span(0, 0, 100)], items)
    for t in range(100):
        busy = any(i.t_sent <= t < i.t_end for i in items)
        idle = sum(gap.t0 <= t < gap.t1 for gap in gaps)
        assert idle == (not busy)
