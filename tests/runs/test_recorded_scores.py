"""What a row says of an answer's score, and that the tests' own rows say the same."""

from __future__ import annotations

import json

import pytest

from doubles import run_views
from joulemark.engines.ask import Asked, read_reply
from joulemark.engines.exchange import Exchange
from joulemark.record.item import Attempt, Item, Verdict
from joulemark.runs.observe import Place, Recorder
from joulemark.tasks.kinds import scorer_of
from joulemark.tasks.task import Question


def recorded(said: str, *, status: int = 200, kind: str = "numeric", gold: str = "4") -> Item:
    """Return the row of a question that was answered with ``said``."""
    choice = {"index": 0, "message": {"content": said}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice]}).encode()
    exchange = Exchange(10, 20, status, {"content-type": "application/json"}, ((20, body),))
    asked = Asked(exchange, read_reply(exchange), (Attempt(10, 20),))
    recorder = Recorder(scorer_of(kind), b"key", lambda text: text)
    question = Question("q0", (("user", "2 + 2?"),), gold, kind)
    return recorder.row(question, Place(0, 0, 0, "measure"), asked, 64).item


@pytest.mark.parametrize(
    ("said", "status", "verdict"),
    [
        ("The answer is 4", 200, Verdict.CORRECT),
        ("The answer is 5", 200, Verdict.WRONG),
        ("I cannot help with that.", 200, Verdict.REFUSED),
        ("The answer is 4", 500, Verdict.FAILED),
    ],
)
def test_the_rows_of_the_tests_are_those_of_the_recorder(said: str, status: int, verdict: Verdict) -> None:
    row = recorded(said, status=status)
    double = run_views.item(verdict=verdict)
    assert row.verdict is verdict
    assert (row.correct, row.score) == (double.correct, double.score)


def test_a_failed_request_has_no_score_and_says_why() -> None:
    for kind, gold in (("numeric", "4"), ("rouge_l", "a cat sat")):
        row = recorded("a cat sat", status=500, kind=kind, gold=gold)
        assert (row.verdict, row.correct, row.score) == (Verdict.FAILED, False, None)
        assert row.reasons["score"] == "request_failed"
    assert recorded("a cat sat", kind="rouge_l", gold="a cat sat").score == 1.0
