"""How often an address may ask, who it is, and how large a body may be."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.boards import board
from joulemark.board.intake.addresses import address_of
from joulemark.board.intake.rate import Rate


@given(
    n=st.integers(1, 20),
    steps=st.lists(st.floats(0, 30, allow_nan=False), min_size=1, max_size=100),
)
def test_never_more_than_the_bucket_and_its_refill(n: int, steps: list[float]) -> None:
    rate, now, passed = Rate(n, 60.0), 0.0, []
    for step in steps:
        now += step
        wait = rate.wait_s("a", now)
        if wait == 0:
            passed.append(now)
        else:
            assert rate.wait_s("a", now) > 0
            assert Rate(n, 60.0).wait_s("a", now) == 0  # another one is not kept out
    for at in passed:
        assert sum(at - 60 < one <= at for one in passed) <= 2 * n


def test_who_waits_as_told_is_let_in() -> None:
    rate = Rate(2, 60.0)
    assert [rate.wait_s("a", 0.0) for _ in range(2)] == [0, 0]
    wait = rate.wait_s("a", 0.0)
    assert wait == pytest.approx(30.0)
    assert rate.wait_s("a", wait + 1e-6) == 0
    assert rate.wait_s("b", 0.0) == 0


@pytest.mark.parametrize(
    ("client", "told", "proxy", "expected"),
    [
        ("192.0.2.7", [], False, "192.0.2.7"),
        ("192.0.2.7", ["198.51.100.1"], False, "192.0.2.7"),  # anybody may write that
        ("192.0.2.7", ["203.0.113.9, 198.51.100.1"], True, "198.51.100.1"),
        ("192.0.2.7", ["203.0.113.9", "198.51.100.2"], True, "198.51.100.2"),
        ("192.0.2.7", ["<script>"], True, "unknown"),
        ("192.0.2.7", [], True, "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", [], False, "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", [], False, "192.0.2.7"),
        ("testclient", [], False, "testclient"),
        (None, [], False, "unknown"),
    ],
)
def test_who_asks(client: str | None, told: list[str], proxy: bool, expected: str) -> None:
    scope = {
        "client": None if client is None else (client, 5),
        "headers": [(b"x-forwarded-for", one.encode()) for one in told],
    }
    assert address_of(scope, behind_proxy=proxy) == expected


def test_too_many_requests_are_told_when_to_come_again(boards: ExitStack, tmp_path: Path) -> None:
    where = boards.enter_context(board(tmp_path, requests_per_minute=5))
    answers = [where.client.get("/submit") for _ in range(7)]
    assert [one.status_code for one in answers] == [200] * 5 + [429] * 2
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert answers[-1].headers["content-type"].startswith("text/html")
    assert where.client.get("/api/v1/audit").json()["what"] == "too many requests"
    assert where.client.get("/static/board.css").status_code == 200


def test_behind_a_proxy_each_client_has_its_own(boards: ExitStack, tmp_path: Path) -> None:
    where = boards.enter_context(board(tmp_path, requests_per_minute=2, behind_proxy=True))
    one, other = ({"X-Forwarded-For": f"8.8.8.8, 192.0.2.{n}"} for n in (1, 2))
    assert [where.client.get("/submit", headers=one).status_code for _ in range(3)] == [200, 200, 429]
    assert where.client.get("/submit", headers=other).status_code == 200


@pytest.mark.parametrize(
    "path", ["/api/v1/nonces", "/submissions/x/appeals", "/api/v1/submissions", "/submit"]
)
def test_a_large_body_is_refused_before_anything_looks_at_it(
    boards: ExitStack, tmp_path: Path, path: str
) -> None:
    where = boards.enter_context(board(tmp_path))
    answer = where.client.post(path, content=b"x" * (9 * 2**20))
    assert answer.status_code == 413
    assert answer.headers["connection"] == "close"


def test_every_answer_has_its_headers(boards: ExitStack, tmp_path: Path) -> None:
    where = boards.enter_context(board(tmp_path))
    for path in ("/submit", "/no-such-page", "/api/v1/no-such", "/moderation"):
        headers = where.client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
