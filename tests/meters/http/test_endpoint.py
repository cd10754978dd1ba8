"""Addresses as users type them."""

from __future__ import annotations

import pytest

from joulemark.meters.http.endpoint import Endpoint, parse_endpoint
from joulemark.record.errors import InputError


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("192.168.1.20", "http://192.168.1.20"),
        ("plug.lan:8080", "http://plug.lan:8080"),
        ("http://plug.lan:80", "http://plug.lan"),
        ("https://plug.lan", "https://plug.lan"),
        ("[fd00::7]:81", "http://[fd00::7]:81"),
        ("http://plug.lan/", "http://plug.lan"),
    ],
)
def test_an_address_is_read(text: str, url: str) -> None:
    assert parse_endpoint(text, "shelly:HOST").url == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":80",
        "plug.lan:0",
        "plug.lan:99999",
        "plug.lan:x",
        "a\tb",
        "a\n",
        "ftp://plug.lan",
        "plug.lan/x",
        "a b",
    ],
)
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_endpoint(text, "shelly:HOST")
    assert "shelly:HOST" in caught.value.fix


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    for text in ("admin:hunter2@plug.lan", "http://admin:hunter2@plug.lan"):
        with pytest.raises(InputError) as caught:
            parse_endpoint(text, "shelly:HOST")
        assert "hunter2" not in str(caught.value)


def test_a_path_is_kept_where_it_may_stand() -> None:
    assert parse_endpoint("https://home.example/ha/", "x", with_prefix=True) == Endpoint(
        "https", "home.example", 443, "/ha"
    )
    with pytest.raises(InputError):
        parse_endpoint("https://home.example/h a", "x", with_prefix=True)
