"""The URL engine against a real llama.cpp server: the embedded one, looked at from outside."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from joulemark.engines.ask import ask
from joulemark.engines.client import StreamClient
from joulemark.engines.embedded import EmbeddedEngine, EmbeddedOptions
from joulemark.engines.openai_api import UrlEngine, UrlOptions

pytest.importorskip("xllamacpp", reason="the extra [embedded] is not installed")


def test_a_running_llama_cpp_is_recognised(built_in_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        inside = EmbeddedEngine(EmbeddedOptions(threads=1, n_ctx=512))
        await inside.start()
        try:
            key = inside.endpoint.headers["Authorization"].removeprefix("Bearer ")
            monkeypatch.setenv("JM_TEST_KEY", key)
            outside = UrlEngine(UrlOptions(inside.endpoint.origin, api_key_env="JM_TEST_KEY"))
            await outside.start()
            facts = outside.describe()
            assert facts.kind == "llama.cpp"
            assert facts.model == built_in_model.stem
            assert facts.model_digest == inside.describe().model_digest
            assert facts.quantization == "Q4_1"
            assert (facts.local, facts.pid) == (True, inside.pid())
            assert facts.prefix_cache is False
            async with StreamClient(outside.endpoint) as client:
                body = outside.request_body([("user", "Say hello.")], max_tokens=8)
                answers = [await ask(client, body) for _ in range(2)]
            assert b"timings_per_token" not in body
            for answer in answers:
                reply, exchange = answer.reply, answer.exchange
                assert reply.usage is not None
                assert reply.usage.cached == 0
                # the closing chunk tells the engine's own times, which lie within ours
                assert set(reply.engine_ns) == {"prefill", "decode"}
                assert min(reply.engine_ns.values()) > 0
                assert sum(reply.engine_ns.values()) <= exchange.t_end - exchange.t_sent
                assert reply.tokens_per_event is None
            await outside.stop()
            assert inside.pid() is not None
            await inside.stop()
            assert outside.died()
        finally:
            await inside.stop()

    asyncio.run(run())
