"""Rows of requests whose connection broke: held back until an answer shows that the engine is there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from doubles.engine_server import EngineServer
from doubles.loaded import Exact
from joulemark.engines.exchange import Exchange
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.record.item import Verdict
from joulemark.runs.journal import ItemJournal, read_items
from joulemark.runs.observe import Place, Recorder
from joulemark.runs.observer import Observer
from joulemark.runs.storing import EngineGone, Request, Storing
from joulemark.tasks.task import Question

CHAT = "POST /v1/chat/completions"
MODELS = {"object": "list", "data": [{"id": "m", "object": "model"}]}
ANSWER = {"choices": [{"index": 0, "message": {"content": "ok"}, "finish_reason": "stop"}]}


def request(name: str, t_begin: int, t_end: int, error: str | None = None) -> Request:
    """Return a request that was answered, or whose connection broke."""
    question = Question(name, (("user", "say ok"),), "ok", "text")
    exchange = Exchange(
        t_sent=t_begin,
        t_end=t_end,
        status=None if error else 200,
        headers={"content-type": "application/json"},
        reads=() if error else ((t_end, json.dumps(ANSWER).encode()),),
        error=error,
    )
    return Request(question, Place(0, 0, 0, "measure"), t_begin, 16, (exchange,))


def stored(path: Path, steps: Callable[[Storing], Awaitable[None]]) -> dict[str, bool]:
    """Return the rows that are on the disk after ``steps``, and whether each failed.

    The engine is gone before the first of them.
    """

    async def run() -> None:
        with EngineServer({"GET /v1/models": MODELS, CHAT: ANSWER}) as server:
            engine = UrlEngine(UrlOptions(server.url))
            await engine.start()
        recorder = Recorder(Exact(), b"key", lambda text: text)
        storing = Storing(engine, ItemJournal(path), recorder, Observer(), [])
        try:
            await steps(storing)
        finally:
            storing.close(10_000, overlapped=False)

    asyncio.run(run())
    rows, unreadable = read_items(path)
    assert unreadable == 0
    return {row.item.item_id: row.item.verdict is Verdict.FAILED for row in rows}


BROKEN = request("broken", 100, 200, "reset")
SENT_BEFORE = request("sent before", 150, 400)
SENT_AFTER = request("sent after", 250, 300)


def test_an_answer_to_a_request_that_was_in_flight_already_releases_nothing(tmp_path: Path) -> None:
    """The engine may have gone with the connection: what broke is asked again and is no answer."""

    async def steps(storing: Storing) -> None:
        for one in (BROKEN, SENT_BEFORE):
            await storing.store([one])
        with pytest.raises(EngineGone):
            await storing.finish()

    assert stored(tmp_path / "items.jsonl", steps) == {"sent before": False}


def test_an_answer_to_a_request_that_was_sent_afterwards_releases_what_broke(tmp_path: Path) -> None:
    async def steps(storing: Storing) -> None:
        for one in (BROKEN, SENT_BEFORE, SENT_AFTER):
            await storing.store([one])
        await storing.finish()

    rows = stored(tmp_path / "items.jsonl", steps)
    assert rows == {"sent before": False, "broken": True, "sent after": False}
