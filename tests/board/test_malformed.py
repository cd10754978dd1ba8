"""What a board says of a request that is malformed: words, a way out, and nothing of what was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from doubles.boards import BoardDouble, board
from joulemark.board.malformed import _PATTERNS

LINES = {"content-type": "application/x-ndjson"}
DIGEST = "a" * 64


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardDouble]:
    with board(tmp_path_factory.mktemp("board"), code_service=True) as made:
        yield made


@pytest.mark.parametrize(
    ("method", "path", "given", "told"),
    [
        ("GET", "/api/v1/submissions/82da", {}, "digest: it has to be all 64 digits"),
        ("GET", "/api/v1/leaderboard?usd_per_kwh=SENT", {}, "usd_per_kwh: it has to be a plain number"),
        ("GET", "/api/v1/pick?SENT=1", {}, "a field that is not known: it is not taken"),
        ("GET", "/api/v1/audit?limit=9999", {}, "limit: it has to be at most 500"),
        ("GET", "/api/v1/audit?limit=SENT", {}, "limit: it has to be a whole number"),
        ("GET", "/api/v1/code/leaderboard?order=SENT", {}, "order: it is asc or desc"),
        ("GET", "/api/v1/code/leaderboard?figures=SENT", {}, "figures: it is one of 'paper' or"),
        ("POST", "/api/v1/code/jobs?model=/SENT", {"headers": LINES}, "model: it begins with a letter"),
        ("POST", "/api/v1/code/jobs?model=S//T", {"headers": LINES}, "model: it has no '..' and no '//'"),
        ("POST", "/api/v1/code/jobs?model=x&SENT=1", {"headers": LINES}, "not known: it is not taken"),
        (
            "POST",
            "/api/v1/code/jobs?model=x&n_tests=SENT",
            {"headers": LINES},
            "n_tests: it has to be a whole",
        ),
        ("POST", "/api/v1/code/jobs?model=x", {"headers": LINES, "content": b'{"SENT":1}'}, "no `task_id`"),
        ("POST", f"/api/v1/submissions/{DIGEST}/appeals", {"json": {"words": "x"}}, "at least 3 characters"),
        (
            "POST",
            f"/api/v1/submissions/{DIGEST}/appeals",
            {"json": {"words": 1}},
            "words: it has to be a text",
        ),
        ("POST", f"/api/v1/submissions/{DIGEST}/appeals", {"json": "SENT"}, "the body: it has to be a JSON"),
    ],
)
def test_it_is_told_in_words_with_a_fix(
    where: BoardDouble, method: str, path: str, given: dict[str, Any], told: str
) -> None:
    answer = where.client.request(method, path, **given)
    assert answer.status_code == 422, answer.text
    said = answer.json()
    assert told in said["detail"]
    assert said["fix"]
    assert "SENT" not in answer.text
    assert not re.search(r"\^|\[0-9|String should|Input should|pattern", answer.text)


def test_a_page_says_it_too(where: BoardDouble) -> None:
    answer = where.client.get("/?usd_per_kwh=abc")
    assert answer.status_code == 422
    assert "such as 0.30" in answer.text
    assert "send it again" in answer.text


def test_every_pattern_of_the_board_has_its_sentence(where: BoardDouble) -> None:
    """One without would be told as nothing in particular."""
    found: set[str] = set()

    def look(part: object) -> None:
        if isinstance(part, dict):
            found.update(one for name, one in part.items() if name == "pattern" and isinstance(one, str))
            part = list(part.values())
        if isinstance(part, list):
            for one in part:
                look(one)

    look(where.app.openapi())
    assert len(found) > 5
    assert found <= set(_PATTERNS)
