"""Requests that no client of ours makes: a clear answer below 500, nothing stored, nothing repeated."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from doubles.board_rows import counts
from doubles.boards import MODERATOR_KEY, BoardDouble, board, bundle

JSON = {"Content-Type": "application/json"}
DIGEST = "0" * 64
BODIES = {
    "deep": b"[" * 100_000,
    "deep objects": b'{"task":' * 20_000,
    "a number of many digits": b'{"task": ' + b"1" * 10_000 + b"}",
    "NaN": b'{"task": NaN}',
    "infinite": b'{"task": 1e999}',
    "no text": b"\xff\xfe\x00",
    "half a letter": b'{"task": "\\ud800"}',
    "a zero": b'{"task": "quick\\u0000"}',
    "empty": b"",
    "null": b"null",
    "twice": b'{"task": "quick", "task": {"$ne": 1}}',
    "SQL": b'{"task": "quick\'; DROP TABLE runs; --"}',
    "markup": b'{"task": "<script>alert(1)</script>"}',
}
PLACES = (
    "/api/v1/nonces",
    f"/api/v1/submissions/{DIGEST}/withdrawals",
    f"/api/v1/submissions/{DIGEST}/appeals",
    f"/api/v1/submissions/{DIGEST}/challenges",
    f"/api/v1/submissions/{DIGEST}/decisions",
    f"/api/v1/challenges/{'0' * 32}/openings",
    f"/api/v1/appeals/{'0' * 32}/decisions",
)


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardDouble]:
    """A board with one that is held back."""
    with board(tmp_path_factory.mktemp("board"), [bundle(watts=5.0).data]) as made:
        yield made


def _require_refused(where: BoardDouble, answer: object, before: dict[str, int]) -> None:
    status, text = answer.status_code, answer.text  # type: ignore[attr-defined]
    assert 400 <= status < 500, (status, text[:300])
    assert "<script>" not in text
    assert "DROP TABLE" not in text
    assert "Traceback" not in text
    assert counts(where.engine) == before


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_is_none(where: BoardDouble, place: str, name: str) -> None:
    before = counts(where.engine)
    headers = {**JSON, "Authorization": f"Bearer {MODERATOR_KEY}"}
    answer = where.client.post(place, content=BODIES[name], headers=headers)
    _require_refused(where, answer, before)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=", b"--\r\n"),
        ("multipart/form-data; boundary=a", b"--a\r\nContent-Disposition: form-data\r\n\r\nx\r\n--a--"),
        ("multipart/form-data; boundary=a", b"--a\r\n" * 10_000),
        ("application/x-www-form-urlencoded", b"&".join(b"a%d=1" % n for n in range(20_000))),
        ("application/x-www-form-urlencoded", b"agreed=yes&bundle=text"),
        ("application/x-www-form-urlencoded", b"%ff%fe=%00&agreed=%"),
        ("text/plain", b"agreed=yes"),
        ("", b"x"),
        ("\xff/\xfe", b"x"),
    ],
)
@pytest.mark.parametrize("place", ["/submit", "/moderation/login", f"/submissions/{DIGEST}/appeals"])
def test_a_form_that_is_none(where: BoardDouble, place: str, kind: str, body: bytes) -> None:
    before = counts(where.engine)
    answer = where.client.post(place, content=body, headers={"Content-Type": kind.encode("latin-1")})
    _require_refused(where, answer, before)


@pytest.mark.parametrize(
    "path",
    [
        "/submissions/%00",
        "/submissions/..%2f..%2fetc%2fpasswd",
        "/submissions/<script>alert(1)<%2fscript>",
        f"/submissions/{DIGEST[:-1]}%0a",
        "/static/..%2f..%2fsettings.py",
        "/static/%2e%2e/%2e%2e/settings.py",
        "/api/v1/submissions/' OR 1=1 --",
        "/api/v1/audit?subject=<script>",
        "/api/v1/audit?before=99999999999999999999",
        "/api/v1/audit?limit=-1",
        "/%ff%fe",
    ],
)
def test_a_path_that_is_none(where: BoardDouble, path: str) -> None:
    _require_refused(where, where.client.get(path), counts(where.engine))


@pytest.mark.parametrize(
    "cookie", ["board_session=", "board_session=x; board_session=y", "board_session=\xff", "=;=;" * 500]
)
def test_a_cookie_that_is_none_signs_nobody_in(where: BoardDouble, cookie: str) -> None:
    answer = where.client.get("/moderation", headers={"Cookie": cookie.encode("latin-1")})
    assert answer.status_code in (200, 401)
    assert "Sign in" in answer.text
