"""Clients that are slow, rude or silent hold no worker and no connection for long."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from doubles.board_rows import counts
from doubles.boards import BoardDouble, board, bundle, served
from joulemark.board.serving import server as serving_server
from joulemark.board.serving.protocol import Patience

HEAD = b"POST /api/v1/submissions HTTP/1.1\r\nHost: board\r\nContent-Type: application/zip\r\n"


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BoardDouble]:
    """A board that waits for half a second at most."""
    quick = Patience(head_s=0.4, body_s=2.0, answer_s=0.5, head_bytes=4096, connections=20)
    monkeypatch.setattr(serving_server, "Patience", lambda **_: quick)
    with board(tmp_path, body_deadline_s=0.5) as made:
        yield made


@pytest.fixture
def port(where: BoardDouble) -> Iterator[int]:
    """Where it listens."""
    with served(where) as url:
        yield int(url.rpartition(":")[2])


def _open(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def _answer(connection: socket.socket) -> bytes:
    """Return all that the board says until it closes."""
    found = b""
    while part := connection.recv(65536):
        found += part
    return found


def _status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_a_body_that_never_ends_is_told_so(port: int, where: BoardDouble) -> None:
    before = counts(where.engine)
    with _open(port) as slow:
        slow.sendall(HEAD + b"Content-Length: 1000\r\n\r\nPK")
        began = time.monotonic()
        answer = _answer(slow)
        assert time.monotonic() - began < 5
    assert _status(answer) == 408
    assert b"it was not whole after 0.5 s" in answer
    assert counts(where.engine) == before


def test_a_body_in_pieces_that_come_slowly_is_ended_too(port: int) -> None:
    with _open(port) as slow:
        slow.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        answer = b""
        slow.settimeout(0.1)
        for _ in range(60):
            try:
                slow.sendall(b"1\r\nP\r\n")
                answer += slow.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                break
            if answer:
                break
    assert _status(answer) == 408


def test_a_head_that_never_ends_is_ended(port: int) -> None:
    with _open(port) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: bo")
        assert _status(_answer(slow)) == 408


def test_a_head_that_drips_is_ended(port: int) -> None:
    with _open(port) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        began = time.monotonic()
        with pytest.raises(OSError):  # noqa: PT012 - whichever letter finds the connection closed
            for n in range(200):
                slow.sendall(f"X-{n}: 1\r\n".encode())
                time.sleep(0.05)
        assert time.monotonic() - began < 5


def test_a_connection_that_says_nothing_is_closed(port: int) -> None:
    with _open(port) as silent:
        assert _answer(silent) == b""


def test_a_head_of_any_size_is_not_read(port: int) -> None:
    with _open(port) as large:
        large.sendall(b"GET / HTTP/1.1\r\nHost: board\r\nX: " + b"a" * 20_000)
        try:
            answer = _answer(large)
        except ConnectionResetError:
            return  # it closed before it had read all
    assert _status(answer) == 431


def test_a_body_that_is_too_large_is_not_read(port: int, where: BoardDouble) -> None:
    before = counts(where.engine)
    with _open(port) as large:
        large.sendall(HEAD + b"Content-Length: 99999999999\r\n\r\n")
        assert _status(_answer(large)) == 413
    assert counts(where.engine) == before


def test_slow_clients_keep_nobody_out(port: int) -> None:
    slow = [_open(port) for _ in range(15)]
    try:
        for one in slow:
            one.sendall(HEAD + b"Content-Length: 1000\r\n\r\nPK")
        with _open(port) as other:
            other.sendall(b"GET /submit HTTP/1.1\r\nHost: board\r\nConnection: close\r\n\r\n")
            assert _status(_answer(other)) == 200
    finally:
        for one in slow:
            one.close()


def test_one_address_has_so_many_connections(port: int) -> None:
    several = [_open(port) for _ in range(40)]
    try:
        time.sleep(0.1)
        with _open(port) as other:
            try:
                other.sendall(b"GET /submit HTTP/1.1\r\nHost: board\r\nConnection: close\r\n\r\n")
                assert _status(_answer(other)) == 429
            except ConnectionError:
                pass  # it was closed before it had asked
    finally:
        for one in several:
            one.close()


@pytest.mark.parametrize(
    "request_", [b"\x16\x03\x01\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 100]
)
def test_what_is_no_http_is_answered_and_closed(port: int, request_: bytes) -> None:
    with _open(port) as rude:
        rude.sendall(request_)
        answer = _answer(rude)
    assert answer == b"" or 400 <= _status(answer) < 500


def test_a_client_that_goes_away_does_no_harm(port: int, where: BoardDouble) -> None:
    before = counts(where.engine)
    for _ in range(5):
        with _open(port) as gone:
            gone.sendall(HEAD + b"Content-Length: 1000\r\n\r\nPK")
    with _open(port) as other:
        other.sendall(b"GET /submit HTTP/1.1\r\nHost: board\r\nConnection: close\r\n\r\n")
        assert _status(_answer(other)) == 200
    assert counts(where.engine) == before


class _Slow:
    """Takes a second for what is done at once otherwise."""

    def run(self, function: Callable[..., Any], *given: Any) -> Any:
        time.sleep(0.7)
        return function(*given)


def test_who_gives_up_waiting_is_told_next_time_what_is_stored(port: int, where: BoardDouble) -> None:
    where.app.state.worker = _Slow()
    packed = bundle()
    with _open(port) as impatient:
        impatient.sendall(HEAD + f"Content-Length: {len(packed.data)}\r\n\r\n".encode() + packed.data)
        time.sleep(0.2)
    deadline = time.monotonic() + 10
    while counts(where.engine)["submissions"] == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    again = where.submit(packed.data)
    assert again.status_code == 200
    assert again.json()["status"] == "accepted"
