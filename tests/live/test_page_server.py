"""A page on this machine: foreign names are refused, and slow visitors keep nobody out."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from joulemark.live import page_server
from joulemark.live.page_server import MOST, PageServer


def hello(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"hello"]


@pytest.fixture
def server() -> Iterator[PageServer]:
    served = PageServer(hello, "127.0.0.1", 0)
    yield served
    served.close()


def status(port: int, host: str | None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("GET", "/metrics", skip_host=True)
    if host is not None:
        connection.putheader("Host", host)
    connection.endheaders()
    try:
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{}", "localhost:{}", "LocalHost", "[::1]:{}", "127.8.9.1", "joule.localhost:{}", None]
)
def test_who_names_this_machine_is_answered(server: PageServer, host: str | None) -> None:
    assert status(server.port, None if host is None else host.format(server.port)) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:{}",
        "localhost.evil.example",
        "127.0.0.1.evil.example:{}",
        "192.0.2.1:{}",
        "",
        "[",
        "a:b:c",
    ],
)
def test_who_names_another_is_refused(server: PageServer, host: str) -> None:
    assert status(server.port, host.format(server.port)) == 403


def test_a_page_for_others_answers_to_any_name() -> None:
    try:
        served = PageServer(hello, "0.0.0.0", 0)
    except OSError:
        pytest.skip("no such address here")
    try:
        assert status(served.port, "board.lab:9465") == 200
    finally:
        served.close()


def half_sent(port: int) -> socket.socket:
    """A visitor that begins to ask and goes no further."""
    one = socket.create_connection(("127.0.0.1", port), timeout=10)
    one.sendall(b"GET /metrics HTTP/1.1\r\nHost: loc")
    return one


def wait_for(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline_s, "it did not happen in time"
        time.sleep(0.01)


def answered(port: int) -> bool:
    """Ask once; on a busy machine those who were asked to leave may still be there."""
    with contextlib.suppress(ConnectionError):
        return status(port, "localhost") == 200
    return False


def test_a_crowd_of_slow_visitors_takes_few_threads_and_keeps_nobody_out(server: PageServer) -> None:
    before, most = threading.active_count(), 0
    crowd = []
    for _ in range(150):
        crowd.append(half_sent(server.port))
        most = max(most, threading.active_count() - before)
        if len(crowd) % 30 == 0:
            wait_for(lambda: answered(server.port))
    assert most <= 2 * MOST
    wait_for(lambda: threading.active_count() - before <= MOST)
    for one in crowd:
        one.close()


def test_who_takes_too_long_is_cut_off_though_it_sends_now_and_then(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_server, "LONGEST_S", 0.5)
    one = half_sent(server.port)

    def is_cut_off() -> bool:
        try:
            one.sendall(b"x")
            one.settimeout(0.05)
            return one.recv(100) == b""
        except TimeoutError:
            return False
        except OSError:
            return True

    wait_for(is_cut_off)
    one.close()


def test_a_closed_server_lets_nobody_wait() -> None:
    served = PageServer(hello, "127.0.0.1", 0)
    one = half_sent(served.port)
    wait_for(lambda: threading.active_count() > 2)
    served.close()
    one.settimeout(10)
    with contextlib.suppress(ConnectionResetError):
        assert one.recv(100) == b""
    one.close()
    with pytest.raises(OSError, match="refused"):
        half_sent(served.port)
