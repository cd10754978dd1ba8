"""A request ends in time and within limits, whatever the other side does."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from doubles.listeners import Listener, endless, garbage, hasty, silent, trickling
from joulemark.meters.plugs.connection import MAX_BODY, Answer, Connection, Deadline, Unanswered
from joulemark.meters.plugs.endpoint import Endpoint

Script = Callable[[socket.socket, threading.Event], None]


def saying(*parts: bytes, close: bool = True) -> Script:
    """Answer each request on a connection with the next part."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        for part in parts:
            received = b""
            while not received.endswith(b"\r\n\r\n"):
                more = connection.recv(65536)
                if not more:
                    return
                received += more
            connection.sendall(part)
        if close:
            connection.close()
        else:
            over.wait()

    return behave


def get(behaviour: Script, *, seconds: float = 2.0, path: str = "/", times: int = 1) -> list[Answer]:
    with (
        Listener(behaviour) as listener,
        closing(Connection(Endpoint("http", "127.0.0.1", listener.port))) as c,
    ):
        return [c.get(path, Deadline(seconds)) for _ in range(times)]


def ok(body: bytes, more: bytes = b"") -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n%s" % (len(body), more, body)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (silent, "timeout"),
        (trickling, "timeout"),
        (garbage, "not_http"),
        (endless, "too_large"),
        (hasty, "closed"),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), "cut_off"),
        (saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"), "cut_off"),
        (saying(b"HTTP/1.1 200 OK\r\n"), "cut_off"),
        (saying(b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n"), "too_large"),
        (saying(ok(b"x" * (MAX_BODY + 1))), "too_large"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_bad_peer_is_a_reason_and_costs_no_more_than_the_deadline(behaviour: Script, reason: str) -> None:
    begin = time.monotonic()
    with pytest.raises(Unanswered, match=f"^{reason}$"):
        get(behaviour, seconds=0.4)
    assert time.monotonic() - begin < 1.4


def test_the_usual_deadline_is_two_seconds() -> None:
    assert 1.9 < Deadline().left_s() <= 2.0


def test_bodies_by_length_by_chunks_and_by_end_of_stream() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    for raw in (ok(b"abcde"), chunked, b"HTTP/1.0 200 OK\r\n\r\nabcde"):
        answer = get(saying(raw))[0]
        assert (answer.status, answer.body) == (200, b"abcde")


def test_a_body_of_exactly_the_limit_is_taken() -> None:
    assert len(get(saying(ok(b"x" * MAX_BODY)))[0].body) == MAX_BODY


def test_an_interim_answer_is_no_answer_and_a_surplus_one_is_dropped() -> None:
    answer = get(saying(b"HTTP/1.1 100 Continue\r\n\r\n" + ok(b"real")))[0]
    assert (answer.status, answer.body) == (200, b"real")
    assert get(saying(ok(b"one") + ok(b"two")))[0].body == b"one"


def test_the_connection_is_kept_and_a_closed_one_is_replaced_within_one_get() -> None:
    connections: list[int] = []
    two = saying(ok(b"1"), ok(b"2"))

    def counting(connection: socket.socket, over: threading.Event) -> None:
        connections.append(1)
        two(connection, over)  # hangs up after its second answer

    assert [a.body for a in get(counting, times=4)] == [b"1", b"2", b"1", b"2"]
    assert len(connections) == 2


def test_a_server_that_ends_each_connection_is_obeyed() -> None:
    connections: list[int] = []

    def one_each(connection: socket.socket, over: threading.Event) -> None:
        connections.append(1)
        saying(ok(b"x", b"Connection: close\r\n"), close=False)(connection, over)

    assert len(get(one_each, times=3)) == len(connections) == 3


def test_a_redirect_is_not_followed() -> None:
    with Listener(saying(ok(b"elsewhere"))) as other:
        raw = b"HTTP/1.1 302 Found\r\nLocation: %s/\r\nContent-Length: 0\r\n\r\n" % other.url.encode()
        assert get(saying(raw))[0].status == 302


def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert get(saying(ok(b"direct")))[0].body == b"direct"


def test_a_line_break_cannot_become_a_header_field() -> None:
    with Listener(saying(ok(b"x"))) as listener:
        connection = Connection(Endpoint("http", "127.0.0.1", listener.port))
        with pytest.raises(Unanswered, match="malformed_request"):
            connection.get("/", Deadline(), {"Authorization": "Bearer a\r\nX-Evil: 1"})


def test_nobody_there_and_no_such_name() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Unanswered, match="connection_refused"):
        Connection(Endpoint("http", "127.0.0.1", port)).get("/", Deadline())
    with pytest.raises(Unanswered, match=r"name_unknown|timeout"):
        Connection(Endpoint("http", "no-such-plug.invalid", 80)).get("/", Deadline(1.0))


def test_a_slow_resolver_does_not_hold_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def slow(*args: object, **kwargs: object) -> list[object]:
        over.wait(5)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    begin = time.monotonic()
    with pytest.raises(Unanswered, match="timeout"):
        Connection(Endpoint("http", "plug.lan", 80)).get("/", Deadline(0.2))
    assert time.monotonic() - begin < 1.0
    over.set()


def test_a_plain_server_behind_https_is_told() -> None:
    with Listener(garbage) as listener, pytest.raises(Unanswered, match=r"tls_failed|timeout|unreachable"):
        Connection(Endpoint("https", "127.0.0.1", listener.port)).get("/", Deadline(1.0))
