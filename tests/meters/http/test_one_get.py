"""Plugs and pages of Prometheus are fetched by the same GET: on the same bytes both say the same."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from doubles.http_answers import Script, ok, saying
from doubles.listeners import Listener, endless, garbage, hasty, silent, trickling
from doubles.prometheus import unused_port
from joulemark.meters.discovery import discover
from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.http.endpoint import parse_endpoint
from joulemark.meters.plugs.client import Client
from joulemark.meters.prometheus.scrape import TOKEN_VARIABLE, get_page, token_headers
from joulemark.record.errors import InputError

Get = Callable[[str, float], Any]
HI = b'{"hi": 1}'
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def plug(url: str, seconds: float, path: str = "/status") -> Any:
    """Ask as the client of a plug does."""
    with closing(Client(parse_endpoint(url, "shelly:HOST"))) as client:
        return client.ask(path, Deadline(seconds))


def page(url: str, seconds: float, path: str = "/status") -> Any:
    """Ask as a reader of an exporter's page does."""
    return json.loads(get_page(url + path, seconds, headers=token_headers()).body)


both = pytest.mark.parametrize("get", [plug, page])


def outcome(get: Get, behaviour: Script, seconds: float = 1.0) -> object:
    """What comes of one GET: a value, or a reason code. It may not take longer than it was given."""
    with Listener(behaviour) as listener:
        begin_s = time.monotonic()
        try:
            return get(listener.url, seconds)
        except Unanswered as error:
            return error.reason
        finally:
            assert time.monotonic() - begin_s < seconds + 1.0


def many(first: bytes, more: bytes) -> Script:
    """Send ``first``, and then ``more`` for as long as it is taken."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        saying(first, close=False)(connection, _SET)
        while not over.is_set():
            connection.sendall(more)

    return behave


_SET = threading.Event()
_SET.set()

WIRE: dict[str, tuple[Script, object]] = {
    "whole": (saying(ok(HI)), {"hi": 1}),
    "chunked": (saying(CHUNKED + b"4\r\n" + HI[:4] + b"\r\n5\r\n" + HI[4:] + b"\r\n0\r\n\r\n"), {"hi": 1}),
    "ended by the stream": (saying(b"HTTP/1.0 200 OK\r\n\r\n" + HI), {"hi": 1}),
    "interim": (saying(b"HTTP/1.1 100 Continue\r\n\r\n" + ok(HI)), {"hi": 1}),
    "packed": (saying(ok(gzip.compress(HI), b"Content-Encoding: gzip")), {"hi": 1}),
    "second answer": (saying(ok(HI) + ok(HI)), {"hi": 1}),
    "second answer of another kind": (saying(ok(HI) + ok(b"oh", status=b"500 No")), {"hi": 1}),
    "trailer": (saying(CHUNKED + b"9\r\n" + HI + b"\r\n0\r\nContent-Encoding: br\r\n\r\n"), {"hi": 1}),
    "upgrade": (
        saying(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
        "not_http",
    ),
    "hangs up at once": (hasty, "closed"),
    "hangs up when asked": (saying(b""), "closed"),
    "cut head": (saying(b"HTTP/1.1 200 OK\r\nContent-"), "cut_off"),
    "cut body": (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + HI), "cut_off"),
    "cut chunk": (saying(CHUNKED + b"99\r\n" + HI), "cut_off"),
    "no last chunk": (saying(CHUNKED + b"9\r\n" + HI + b"\r\n"), "cut_off"),
    "length too long, kept open": (
        saying(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + HI, close=False),
        "timeout",
    ),
    "length too short": (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n" + HI), "not_http"),
    "length of two minds": (saying(ok(HI, b"Content-Length: 3")), "not_http"),
    "length below nothing": (saying(b"HTTP/1.1 200 OK\r\nContent-Length: -9\r\n\r\n" + HI), "not_http"),
    "length and chunks": (saying(ok(HI, b"Transfer-Encoding: chunked")), "not_http"),
    "chunks of garbage": (saying(CHUNKED + b"zz\r\n" + HI + b"\r\n0\r\n\r\n"), "not_http"),
    "chunk longer than its size": (saying(CHUNKED + b"2\r\n" + HI + b"\r\n0\r\n\r\n"), "not_http"),
    "chunk without an end": (saying(CHUNKED + b"f" * 40 + b"\r\n" + HI), "not_http"),
    "another protocol": (garbage, "not_http"),
    "silence": (silent, "timeout"),
    "drip": (trickling, "timeout"),
    "endless body": (endless, "too_large"),
    "endless head": (many(b"HTTP/1.1 200 OK\r\n", b"X: " + b"y" * 60_000 + b"\r\n"), "too_large"),
    "endless interim": (many(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500), "too_large"),
    "endless trailer": (many(CHUNKED + b"0\r\n", b"X: " + b"y" * 60_000 + b"\r\n"), "too_large"),
    "bomb": (saying(ok(gzip.compress(bytes(24 * 2**20)), b"Content-Encoding: gzip")), "too_large"),
    "cut gzip": (saying(ok(gzip.compress(HI)[:-9], b"Content-Encoding: gzip")), "bad_gzip"),
    "no gzip": (saying(ok(HI, b"Content-Encoding: gzip")), "bad_gzip"),
    "unknown encoding": (saying(ok(HI, b"Content-Encoding: br")), "unknown_encoding"),
    "packed twice": (saying(ok(HI, b"Content-Encoding: gzip, gzip")), "unknown_encoding"),
    "forbidden": (saying(ok(b"no", status=b"403 No")), "forbidden"),
    "not found": (saying(ok(b"no", b"Content-Encoding: br", status=b"404 No")), "not_found"),
    "busy": (saying(ok(b"no", status=b"503 No")), "http_503"),
    "asks who we are": (
        saying(ok(b"", b'WWW-Authenticate: Basic realm="x"', status=b"401 Who")),
        "password_missing",
    ),
}


@both
@pytest.mark.parametrize("name", WIRE)
def test_the_same_bytes_are_the_same_answer(get: Get, name: str) -> None:
    behaviour, expected = WIRE[name]
    assert outcome(get, behaviour, 0.5 if expected == "timeout" else 5.0) == expected


@both
@pytest.mark.parametrize(("place", "reason"), [(b"302 Found", "redirected"), (b"307 Go", "redirected")])
def test_a_redirect_to_another_host_is_not_followed(
    get: Get, place: bytes, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
    seen: list[bytes] = []
    with Listener(saying(ok(HI), seen=seen)) as other:
        location = b"Location: %s/" % other.url.encode()
        assert outcome(get, saying(ok(b"", location, status=place))) == reason
    assert seen == []


@both
def test_a_proxy_of_the_environment_is_not_asked(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert outcome(get, saying(ok(HI))) == {"hi": 1}


@both
def test_nobody_there(get: Get) -> None:
    with pytest.raises(Unanswered) as caught:
        get(f"http://127.0.0.1:{unused_port()}", 1.0)
    assert caught.value.reason == "connection_refused"


@both
def test_a_name_that_nobody_knows(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(Unanswered) as caught:
        get("http://gpu-7.lab", 1.0)
    assert (caught.value.reason, caught.value.detail) == ("name_unknown", "Name or service not known")


@both
def test_a_resolver_that_is_silent_does_not_hold_us(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: over.wait(5) and [])
    begin_s = time.monotonic()
    with pytest.raises(Unanswered, match="timeout"):
        get("http://gpu-7.lab", 0.2)
    assert time.monotonic() - begin_s < 1.0
    over.set()


@both
def test_an_address_that_swallows_all_leaves_time_for_the_next(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, Listener(saying(ok(HI))) as listener:
        waiting = [socket.socket() for _ in range(8)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        rows = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", at)
            for at in (full.getsockname(), ("127.0.0.1", listener.port))
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: rows)
        assert get("http://two-addresses.lab", 1.0) == {"hi": 1}
        for one in waiting:
            one.close()


@both
def test_a_server_without_tls_is_not_trusted(get: Get) -> None:
    with Listener(garbage) as listener, pytest.raises(Unanswered) as caught:
        get(listener.url.replace("http:", "https:"), 2.0)
    assert caught.value.reason == "tls_failed"
    assert caught.value.detail


@both
@pytest.mark.parametrize("path", ["/a\x01b", "/a b", "/a\x7f", "/a?b=\x1b[2J", "/a HTTP/1.1"])
def test_no_sign_of_a_path_can_end_the_request_line(get: Callable[..., Any], path: str) -> None:
    seen: list[bytes] = []
    with Listener(saying(ok(HI), seen=seen)) as listener, pytest.raises(Unanswered) as caught:
        get(listener.url, 1.0, path)
    assert caught.value.reason == "malformed_request"
    assert seen == []


@pytest.mark.parametrize("host", ["h\r\nX-Evil: 1", "h\x00", "h\tx", "h x", "h\x85"])
@pytest.mark.parametrize("kind", ["shelly", "tasmota", "homeassistant", "prometheus", "dcgm"])
def test_no_host_can_hold_a_header_field(kind: str, host: str) -> None:
    rest = {"homeassistant": "#sensor.a", "prometheus": "/metrics#a_watts"}.get(kind, "")
    with pytest.raises(InputError):
        discover([f"{kind}:http://{host}{rest}"])


@pytest.mark.parametrize(
    "rest", ['?query=a{b="c\r\nX-Evil: 1"}', '?query=a&power=b{c="\r\nX-Evil: 1"}', '/m#a{b="\x01"}']
)
def test_no_label_can_hold_a_header_field(rest: str) -> None:
    seen: list[bytes] = []
    with Listener(saying(ok(b"{}"), seen=seen)) as listener:
        (finding,) = discover([f"prometheus:{listener.url}{rest}"])
    assert finding.spec is None
    assert len(seen) == 1
    assert b"evil:" not in seen[0].lower()
    assert all(line.decode().isprintable() for line in seen[0].split(b"\r\n"))


@pytest.mark.parametrize("kind", ["shelly", "tasmota", "homeassistant", "prometheus", "dcgm"])
def test_the_doctor_outlives_a_server_that_changes_the_protocol(kind: str) -> None:
    rest = {"homeassistant": "#sensor.a", "prometheus": "/metrics#a_watts"}.get(kind, "")
    with Listener(WIRE["upgrade"][0]) as listener:
        (finding,) = discover([f"{kind}:{listener.url}{rest}"])
    assert finding.spec is None
    assert finding.why
    assert "curl" in finding.fix
