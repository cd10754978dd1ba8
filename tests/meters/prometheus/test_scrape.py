"""An address as it was typed, a token, and the page that comes of them; `meters/http` has the GET itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from doubles.prometheus import EPOCH_S, PageServer, Reply
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.prometheus.scrape import TOKEN_VARIABLE, checked_url, get_page, token_headers
from joulemark.record.errors import InputError

PAGE = "power_watts 100\n" * 100


def always(reply: Reply) -> Callable[[str, str], Reply]:
    return lambda _path, _query: reply


def failure(url: str, limit_bytes: int = 10_000) -> Unanswered:
    with pytest.raises(Unanswered) as caught:
        get_page(url, 1.0, limit_bytes, headers=token_headers())
    return caught.value


def test_a_page_comes_with_the_servers_clock() -> None:
    with PageServer(always(Reply(PAGE)), lambda: 42.5) as server:
        page = get_page(f"{server.url}/metrics?collect=rapl")
        assert page.body.decode() == PAGE
        assert page.headers["content-type"].startswith("text/plain")
        assert page.date_s == EPOCH_S + 42
        path, headers = server.requests[0]
        assert path == "/metrics?collect=rapl"
        assert headers["accept-encoding"] == "gzip"
        assert headers["connection"] == "close"
        assert headers["accept"].startswith("text/plain")
        assert "authorization" not in headers


def test_an_address_without_a_path_and_one_beyond_ascii() -> None:
    with PageServer(always(Reply(PAGE))) as server:
        get_page(server.url)
        get_page(f"{server.url}/mätrics?a=%41&b=ö")
        assert [path for path, _ in server.requests] == ["/", "/m%C3%A4trics?a=%41&b=%C3%B6"]


def test_a_page_that_is_too_large_ends_it() -> None:
    with PageServer(always(Reply("x" * 400))) as server:
        assert get_page(server.url, 1.0, 400).body
        assert failure(server.url, limit_bytes=399).reason == "too_large"
    # 100 kB that arrive as a few hundred bytes
    with PageServer(always(Reply("x" * 100_000))) as server:
        assert failure(server.url).reason == "too_large"
        assert len(get_page(server.url).body) == 100_000


def test_what_a_server_says_of_its_refusal_is_kept() -> None:
    for body, said in (('{"error": "no\\n such"}', "no such"), ("busy", "busy"), ("<html>no", "")):
        with PageServer(always(Reply(body, 503))) as server:
            error = failure(server.url)
        assert (error.reason, error.detail) == ("http_503", said)


def test_localhost_is_found_by_name() -> None:
    with PageServer(always(Reply(PAGE))) as server:
        assert get_page(f"http://localhost:{server.port}/metrics").body.decode() == PAGE


def test_a_token_goes_with_the_request_and_never_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert token_headers() == {}
    monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
    with PageServer(always(Reply("x", 307, headers={"Location": "/other"}))) as server:
        assert failure(server.url).reason == "redirected"
        assert [headers["authorization"] for _, headers in server.requests] == ["Bearer s3cret"]
    monkeypatch.setenv(TOKEN_VARIABLE, "two\r\nlines")
    with pytest.raises(InputError, match=TOKEN_VARIABLE):
        token_headers()


def test_a_token_that_is_wanted_and_one_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with PageServer(always(Reply("", 401))) as server:
        assert failure(server.url).reason == "password_missing"
        monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
        assert failure(server.url).reason == "password_refused"


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
        "http://hö/",
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
