"""A connection is kept, replaced and held to its limits."""

from __future__ import annotations

import socket
import threading
from contextlib import closing

import pytest

from doubles.http_answers import Script, ok, saying
from doubles.listeners import Listener
from joulemark.meters.http.answer import Answer
from joulemark.meters.http.connection import BODY_LIMIT_BYTES, Connection
from joulemark.meters.http.deadline import REQUEST_S, Deadline, Unanswered
from joulemark.meters.http.endpoint import Endpoint


def get(behaviour: Script, *, times: int = 1, limit_bytes: int = BODY_LIMIT_BYTES) -> list[Answer]:
    with Listener(behaviour) as listener:
        endpoint = Endpoint("http", "127.0.0.1", listener.port)
        with closing(Connection(endpoint, limit_bytes=limit_bytes)) as connection:
            return [connection.get("/", Deadline()) for _ in range(times)]


def counted(behaviour: Script, connections: list[int]) -> Script:
    def behave(connection: socket.socket, over: threading.Event) -> None:
        connections.append(1)
        behaviour(connection, over)

    return behave


def test_the_usual_deadline_is_two_seconds() -> None:
    assert 1.9 < Deadline().left_s() <= REQUEST_S == 2.0


def test_a_body_of_exactly_the_limit_is_taken() -> None:
    for limit_bytes in (BODY_LIMIT_BYTES, 100):
        body = b"x" * limit_bytes
        assert get(saying(ok(body)), limit_bytes=limit_bytes)[0].body == body
        with pytest.raises(Unanswered, match="too_large") as caught:
            get(saying(ok(body + b"x")), limit_bytes=limit_bytes)
        assert f"{limit_bytes:,}" in caught.value.detail


def test_a_body_in_small_chunks_is_within_the_limit() -> None:
    body = b"1\r\nx\r\n" * 10_000 + b"0\r\n\r\n"
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body
    assert len(get(saying(raw))[0].body) == 10_000


def test_the_connection_is_kept_and_a_closed_one_is_replaced_within_one_get() -> None:
    connections: list[int] = []
    two = counted(saying(ok(b"1"), ok(b"2")), connections)  # hangs up after its second answer
    assert [a.body for a in get(two, times=4)] == [b"1", b"2", b"1", b"2"]
    assert len(connections) == 2


def test_a_server_that_ends_each_connection_is_obeyed() -> None:
    connections: list[int] = []
    one_each = counted(saying(ok(b"x", b"Connection: close"), close=False), connections)
    assert len(get(one_each, times=3)) == len(connections) == 3


def test_an_answer_that_comes_unasked_is_not_that_of_the_next_request() -> None:
    sent = threading.Event()

    def twice(connection: socket.socket, over: threading.Event) -> None:
        saying(ok(b"asked"), close=False)(connection, _SET)
        connection.sendall(ok(b"unasked"))
        sent.set()
        saying(ok(b"late"), close=False)(connection, over)

    bodies = []
    with (
        Listener(twice) as listener,
        closing(Connection(Endpoint("http", "127.0.0.1", listener.port))) as connection,
    ):
        for _ in range(3):
            bodies.append(connection.get("/", Deadline()).body)
            assert sent.wait(2)
            sent.clear()
    assert bodies == [b"asked"] * 3


def test_what_is_sent() -> None:
    seen: list[bytes] = []
    with Listener(saying(ok(b"x"), seen=seen)) as listener:
        endpoint = Endpoint("http", "127.0.0.1", listener.port, "/ha")
        for accepts_gzip in (False, True):
            with closing(Connection(endpoint, accepts_gzip=accepts_gzip)) as connection:
                connection.get("/a?b=1", Deadline(), {"X": "y"})
    assert all(request.startswith(b"GET /ha/a?b=1 HTTP/1.1\r\nHost: 127.0.0.1:") for request in seen)
    assert all(b"\r\nX: y\r\n" in request for request in seen)
    assert b"Accept-Encoding: identity" in seen[0]
    assert b"Accept-Encoding: gzip" in seen[1]


@pytest.mark.parametrize("token", ["a\r\nX-Evil: 1", "a\nb", "a\x00", "a\x85b"])
def test_a_line_break_cannot_become_a_header_field(token: str) -> None:
    seen: list[bytes] = []
    with Listener(saying(ok(b"x"), seen=seen)) as listener:
        connection = Connection(Endpoint("http", "127.0.0.1", listener.port))
        with pytest.raises(Unanswered, match="malformed_request"):
            connection.get("/", Deadline(), {"Authorization": f"Bearer {token}"})
    assert seen == []


_SET = threading.Event()
_SET.set()
