"""An answer is made of any bytes, or a reason is; and what it unpacks stays within its limit."""

from __future__ import annotations

import contextlib
import gzip
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.http_answers import ok
from joulemark.meters.http.answer import (
    HEAD_LIMIT_BYTES,
    Answer,
    Incoming,
    NothingCame,
    date_s,
    status_reason,
)
from joulemark.meters.http.deadline import Unanswered

PAGE = b"power_watts 100\n" * 100


def read(raw: bytes, limit_bytes: int = 10_000, step: int = 4096) -> Answer:
    """Feed an answer in pieces of ``step`` bytes, then its end where it needs one."""
    incoming = Incoming(limit_bytes)
    for at in range(0, len(raw), step):
        incoming.feed(raw[at : at + step])
        if incoming.complete:
            return incoming.answer()
    incoming.feed(b"")
    return incoming.answer()


@pytest.mark.parametrize("step", [1, 7, 4096])
def test_pieces_make_no_difference(step: int) -> None:
    answer = read(ok(gzip.compress(PAGE), b"Content-Encoding: gzip", b"X: a", b"x: b"), step=step)
    assert (answer.status, answer.body) == (200, PAGE)
    assert answer.headers["x"] == "a"


def test_a_bomb_is_unpacked_only_as_far_as_the_limit() -> None:
    raw = ok(gzip.compress(bytes(8 * 2**20)), b"Content-Encoding: gzip")
    tracemalloc.start()
    try:
        with pytest.raises(Unanswered, match="too_large"):
            read(raw)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_the_limit_holds_for_the_unpacked_body() -> None:
    raw = ok(gzip.compress(PAGE), b"Content-Encoding: gzip")
    assert read(raw, len(PAGE)).body == PAGE
    with pytest.raises(Unanswered, match="too_large"):
        read(raw, len(PAGE) - 1)


def test_a_head_has_a_limit_of_its_own() -> None:
    for field_bytes, is_taken in ((HEAD_LIMIT_BYTES - 100, True), (HEAD_LIMIT_BYTES + 5000, False)):
        raw = ok(b"x", b"X: " + b"y" * field_bytes)
        if is_taken:
            assert read(raw, 8 * 2**20).body == b"x"
        else:
            with pytest.raises(Unanswered, match="too_large"):
                read(raw, 8 * 2**20)


_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_FIELDS = (b"X: " + b"y" * 200 + b"\r\n") * 5000


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\n" + _FIELDS,
        _CHUNKED + b"1\r\nx\r\n0\r\n" + _FIELDS,
        _CHUNKED + b"1\r\nx\r\n0\r\nX: " + b"y" * 2**20,
        _CHUNKED + b"1;" + b"y" * 2**20,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 40_000,
    ],
    ids=["head", "trailer", "long trailer", "extension", "interim"],
)
def test_what_stands_beside_a_body_is_bounded_however_large_bodies_may_be(raw: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(Unanswered, match="too_large"):
            read(raw, 8 * 2**20)
        assert tracemalloc.get_traced_memory()[1] < 2**19
    finally:
        tracemalloc.stop()


def test_an_error_that_cannot_be_unpacked_keeps_its_status() -> None:
    answer = read(ok(b"words", b"Content-Encoding: br", status=b"404 No"))
    assert (answer.status, answer.body) == (404, b"")
    assert read(ok(gzip.compress(PAGE), b"Content-Encoding: gzip", status=b"404 No")).body == PAGE


_PARTS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"Content-Length: 5\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: gzip\r\n",
        b"Connection: close\r\n",
        b"\r\n",
        b"5\r\nhello\r\n",
        b"0\r\n\r\n",
        b"hello",
        gzip.compress(b"hello"),
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.lists(_PARTS | st.binary(max_size=20), max_size=10), st.integers(1, 30))
def test_any_bytes_are_an_answer_or_a_reason(parts: list[bytes], step: int) -> None:
    with contextlib.suppress(Unanswered, NothingCame):  # nothing else may come out
        answer = read(b"".join(parts), 50, step)
        assert len(answer.body) <= 50
        assert 200 <= answer.status <= 999


def test_statuses() -> None:
    assert status_reason(200) is None
    assert [status_reason(s) for s in (301, 403, 404, 500)] == [
        "redirected",
        "forbidden",
        "not_found",
        "http_500",
    ]


def test_the_servers_clock() -> None:
    assert date_s("Fri, 01 May 2026 00:00:01 GMT") == 1_777_593_601
    assert date_s("Fri, 01 May 2026 00:00:01 -0000") == 1_777_593_601, "its own zone is not ours"
    for text in (None, "", "soon", "yesterday", "x" * 100, "Fri, 99 May 2026 00:00:01 GMT"):
        assert date_s(text) is None
    for year in ("0100", "1969", "9999"):
        assert date_s(f"Fri, 01 May {year} 00:00:01 GMT") is None, "no server's clock"
    assert Answer(200, {"date": "Fri, 01 May 2026 00:00:01 GMT"}).date_s == 1_777_593_601
    assert Answer().date_s is None


@settings(deadline=None)
@given(
    st.text(max_size=70)
    | st.from_regex(r"\A[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{1,5} \d\d:\d\d:\d\d [+-]\d{4,6}\Z")
)
def test_any_date_is_a_number_or_none(text: str) -> None:
    assert isinstance(date_s(text), float | None)
