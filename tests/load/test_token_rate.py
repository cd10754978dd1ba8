"""How many tokens an engine makes of a word is asked of the engine."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from doubles.engine_server import EngineServer
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.load.token_rate import TokenRate, token_rate
from joulemark.record.errors import InputError

PER_WORD, TEMPLATE = 1.5, 21


def server(count: Any, status: int = 200) -> EngineServer:
    """An engine that says it counted ``count(words)`` tokens, null: nothing."""

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        words = body["messages"][-1]["content"].split()
        if status != 200 and len(words) > 5:
            return status, {"error": {"message": "too long for me"}}
        events: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {"content": "a"}}]}]
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
        if (n := count(len(words))) is not None:
            events.append({"choices": [], "usage": {"prompt_tokens": n, "completion_tokens": 1}})
        return 200, "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"

    models = {"object": "list", "data": [{"id": "m", "object": "model"}]}
    return EngineServer({"GET /v1/models": models, "POST /v1/chat/completions": answer})


def found(count: Any, status: int = 200) -> tuple[TokenRate, int]:
    async def ask(url: str) -> TokenRate:
        engine = UrlEngine(UrlOptions(url))
        await engine.start()
        return await token_rate(engine)

    with server(count, status) as engine:
        rate = asyncio.run(ask(engine.url))
        return rate, sum(route.startswith("POST") for route, _, _ in engine.seen)


def test_two_prompts_tell_the_words_from_the_template() -> None:
    rate, n_posts = found(lambda words: round(TEMPLATE + PER_WORD * words))
    assert rate.observed
    assert rate.per_word == pytest.approx(PER_WORD, rel=0.01)
    assert rate.overhead_tokens == pytest.approx(TEMPLATE, abs=0.6)
    assert n_posts == 3  # one tries the engine out
    assert rate.words(TEMPLATE + 300) == pytest.approx(200, abs=1)
    assert rate.words(512, overhead=False) == pytest.approx(341, abs=1)
    assert rate.words(3) == 1, "a prompt has a word, however short it should be"


@pytest.mark.parametrize("count", [lambda words: None, lambda words: 10, lambda words: 500 * words])
def test_an_engine_that_does_not_count_words_leaves_the_rate_unobserved(count: Any) -> None:
    rate, _ = found(count)
    assert rate == TokenRate()
    assert not rate.observed
    assert rate.words(512) == 512


def test_an_engine_that_refuses_is_told() -> None:
    with pytest.raises(InputError, match="too long for me"):
        found(lambda words: 1, status=400)
