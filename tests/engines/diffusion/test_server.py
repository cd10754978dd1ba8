"""What the child's API costs when somebody else knocks: next to nothing, and no key gets it nothing."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from doubles.stand_in_pipeline import load
from joulemark.engines.diffusion import door
from joulemark.engines.diffusion.server import media_server
from joulemark.engines.diffusion.settings import GENERATE, HEALTH, Settings
from joulemark.engines.diffusion.studio import Studio

KEY = "k" * 20
MIB = 1 << 20


@pytest.fixture
def port() -> Iterator[int]:
    settings = Settings(
        parent_pid=0,
        pipeline="someone/tiny",
        kind="text-to-image",
        revision=None,
        device=None,
        dtype=None,
        loader="doubles.stand_in_pipeline:load",
        keep_bytes=0,
        api_key=KEY,
    )
    with media_server(Studio(load(settings), "text-to-image"), settings) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@contextmanager
def connected(port: int, sent: bytes = b"") -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(sent)
        yield connection


def request(path: str, *headers: str, method: str = "POST", key: str | None = KEY) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: x", *headers]
    lines += [] if key is None else [f"Authorization: Bearer {key}"]
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1")


def answered(connection: socket.socket) -> bytes:
    """Return all that is said until the other end closes, or a reset ends it."""
    said = b""
    try:
        while data := connection.recv(65_536):
            said += data
    except ConnectionError:
        pass
    return said


def status(connection: socket.socket) -> int:
    return int(connection.recv(65_536).split()[1])


def resident_mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / MIB


def test_a_body_without_the_key_is_not_taken_in(port: int) -> None:
    before = resident_mib()
    length = 300 * MIB
    with connected(port, request(GENERATE, f"Content-Length: {length}", key="guessed")) as stranger:
        sent, block = 0, b"x" * MIB
        stranger.settimeout(5)
        try:
            while sent < length:
                sent += stranger.send(block)
        except OSError:  # it was closed on us, or nobody takes it in
            pass
        assert sent < 32 * MIB, "only what the sockets hold"
        assert resident_mib() - before < 32
        assert answered(stranger)[:12] in (b"HTTP/1.1 401", b"")


def test_the_key_is_looked_at_before_all_else(port: int) -> None:
    for headers in ((), ("Content-Length: \xb2",), ("Transfer-Encoding: chunked",), ("Content-Length: 5",)):
        with connected(port, request("/v1/other", *headers, key="guessed")) as stranger:
            said = answered(stranger)  # it ends: the connection is closed
            assert said.startswith(b"HTTP/1.1 401"), headers
            assert b"connection: close" in said.lower()
    with connected(port, request(HEALTH, method="GET", key=None)) as stranger:
        assert answered(stranger).startswith(b"HTTP/1.1 401")


@pytest.mark.parametrize("length", ["\xb2", "-1", "+5", "1_0", "", "0x5", "9" * 5000, str(2**30 + 1)])
def test_a_length_that_is_none_is_refused(port: int, length: str) -> None:
    with connected(port, request(GENERATE, f"Content-Length: {length}")) as ours:
        said = answered(ours)
        assert said.startswith(b"HTTP/1.1 411")
        assert said.count(b"HTTP/1.1") == 1


def test_a_head_without_end_is_not_taken_in(port: int) -> None:
    before = resident_mib()
    line = b"X: " + b"x" * 60_000 + b"\r\n"
    for _ in range(8):
        with connected(port, b"POST / HTTP/1.1\r\n") as stranger:
            try:
                for _ in range(60):
                    stranger.sendall(line)
            except ConnectionError:
                continue
            assert answered(stranger)[:12] in (b"HTTP/1.1 431", b"")
    assert resident_mib() - before < 8


def test_strangers_who_say_nothing_are_few_and_do_not_stay(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "_STRANGER_S", 0.5)
    threads = threading.active_count()
    strangers = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(300)]
    try:
        time.sleep(0.2)
        assert threading.active_count() - threads <= door._MAX_CONNECTIONS
        began = time.monotonic()
        for stranger in strangers:
            assert answered(stranger) == b""
        assert time.monotonic() - began < 5
    finally:
        for stranger in strangers:
            stranger.close()
    with connected(port, request(HEALTH, method="GET")) as ours:
        assert status(ours) == 200


def test_who_has_the_key_may_keep_the_connection(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_STRANGER_S", 0.2)
    with connected(port) as ours:
        for _ in range(2):
            ours.sendall(request(HEALTH, method="GET"))
            assert status(ours) == 200
            time.sleep(0.5)
        ours.sendall(request("/v1/other", "Content-Length: 2") + b"{}")
        assert status(ours) == 404
