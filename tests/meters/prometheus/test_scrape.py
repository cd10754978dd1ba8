"""One GET against servers that behave, and that do not."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable

import pytest

from doubles.prometheus import EPOCH_S, PageServer, RawServer, Reply, unused_port
from joulemark.meters.prometheus import scrape
from joulemark.meters.prometheus.answer import ScrapeFailed
from joulemark.meters.prometheus.scrape import TOKEN_VARIABLE, checked_url, get, get_page, token_headers
from joulemark.record.errors import InputError

PAGE = "power_watts 100\n" * 100


def always(reply: Reply) -> Callable[[str, str], Reply]:
    return lambda _path, _query: reply


def failure(url: str, timeout_s: float = 1.0, limit_bytes: int = 10_000) -> ScrapeFailed:
    with pytest.raises(ScrapeFailed) as caught:
        get(url, timeout_s, limit_bytes)
    return caught.value


def test_a_page_comes_with_the_servers_clock() -> None:
    with PageServer(always(Reply(PAGE)), lambda: 42.5) as server:
        page = get_page(f"{server.url}/metrics?collect=rapl")
        assert page.body.decode() == PAGE
        assert page.content_type.startswith("text/plain")
        assert page.date_s == EPOCH_S + 42
        path, headers = server.requests[0]
        assert path == "/metrics?collect=rapl"
        assert headers["accept-encoding"] == "gzip"
        assert "authorization" not in headers


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na 1\nb\r\n3\r\n 2\n\r\n0\r\n\r\n",
            b"a 1\nb 2\n",
        ),
        (b"HTTP/1.0 200 OK\r\n\r\na 1\n", b"a 1\n"),
        (b"HTTP/1.1 200 OK\r\nDate: yesterday\r\nContent-Length: 4\r\n\r\na 1\n", b"a 1\n"),
    ],
)
def test_every_way_to_end_a_body_is_understood(answer: bytes, body: bytes) -> None:
    with RawServer(answer) as server:
        page = get_page(server.url)
    assert page.body == body
    assert page.date_s is None


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na 1\n", "cut"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na 1\nb\r\n", "cut"),
        (b"", "cut"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "no_http"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\na 1\n", "bad_gzip"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\na 1\n", "unknown_encoding"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n", "http_302"),
        (b"HTTP/1.1 503 No\r\nContent-Length: 4\r\n\r\nbusy", "http_503"),
    ],
)
def test_a_bad_answer_is_named(answer: bytes, reason: str) -> None:
    with RawServer(answer) as server:
        assert failure(server.url).reason == reason


def test_a_cut_gzip_stream_is_no_page() -> None:
    packed = gzip.compress(PAGE.encode())[:-9]
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n"
    with RawServer(head.encode() + packed) as server:
        assert failure(server.url).reason == "bad_gzip"


def test_a_page_that_is_too_large_ends_it() -> None:
    with PageServer(always(Reply("x" * 400))) as server:
        assert get(server.url, 1.0, 400)
        assert failure(server.url, limit_bytes=399).reason == "too_large"
    # 100 kB that arrive as a few hundred bytes
    with PageServer(always(Reply("x" * 100_000))) as server:
        assert failure(server.url).reason == "too_large"


def test_a_server_that_sends_a_byte_now_and_then_does_not_hold_us() -> None:
    with PageServer(always(Reply("a 1\n" * 50, drip_s=0.05))) as server:
        begin_s = time.monotonic()
        assert failure(server.url, timeout_s=0.4).reason == "timeout"
        assert time.monotonic() - begin_s < 1.5


def test_a_server_that_says_nothing_does_not_hold_us() -> None:
    with RawServer(b"HTTP/1.1 200 OK\r\n", keeps_open=True) as server:
        begin_s = time.monotonic()
        assert failure(server.url, timeout_s=0.3).reason == "timeout"
        assert time.monotonic() - begin_s < 1.5


def test_a_name_server_that_is_silent_does_not_hold_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scrape.socket, "getaddrinfo", lambda *_a, **_k: time.sleep(1.2) or [])
    begin_s = time.monotonic()
    assert failure("http://gpu-7.lab:9400/metrics", timeout_s=0.2).reason == "timeout"
    assert time.monotonic() - begin_s < 1.0


def test_nobody_there() -> None:
    assert failure(f"http://127.0.0.1:{unused_port()}/").reason == "connection_refused"
    assert failure("http://no-such-host.invalid/").reason in ("name_not_known", "timeout")


def test_a_server_that_speaks_no_tls_is_not_trusted() -> None:
    with PageServer(always(Reply(PAGE))) as server:
        assert failure(server.url.replace("http:", "https:")).reason in ("tls_failed", "unreachable")


def test_localhost_is_found_by_name() -> None:
    with PageServer(always(Reply(PAGE))) as server:
        assert get(f"http://localhost:{server.port}/metrics").decode() == PAGE


def test_a_token_goes_with_the_request_and_never_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert token_headers() == {}
    monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
    with PageServer(always(Reply("x", 307, headers={"Location": "/other"}))) as server:
        with pytest.raises(ScrapeFailed, match="http_307"):
            get(server.url, headers=token_headers())
        assert [headers["authorization"] for _, headers in server.requests] == ["Bearer s3cret"]
    monkeypatch.setenv(TOKEN_VARIABLE, "two\r\nlines")
    with pytest.raises(InputError, match=TOKEN_VARIABLE):
        token_headers()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ftp://host/metrics",
        "http://",
        "http://host:port/",
        "http://host:99999/",
        "http://a b/",
        "http://h/\n",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_url(text)
    assert caught.value.fix


def test_an_address_may_lack_the_scheme_but_not_hold_a_password() -> None:
    assert checked_url("127.0.0.1:9400/metrics") == "http://127.0.0.1:9400/metrics"
    with pytest.raises(InputError, match="user name") as caught:
        checked_url("http://me:pass@host/metrics")
    assert TOKEN_VARIABLE in caught.value.fix
    assert "pass@" not in str(caught.value)
