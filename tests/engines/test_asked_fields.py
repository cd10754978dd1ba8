"""What can be asked of an engine beside the words: an answer's length, and its prompt cache."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from doubles.engine_server import EngineServer
from doubles.ollama_server import ollama_routes
from joulemark.engines.openai_api import UrlEngine, UrlOptions

STREAM = (
    'data: {"choices":[{"index":0,"delta":{"content":"OK"},"finish_reason":"stop"}]}\n\n'
    'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}\n\n'
    "data: [DONE]\n\n"
)
VLLM = {
    "GET /v1/models": {"data": [{"id": "m", "owned_by": "vllm"}]},
    "GET /version": {"version": "0.11.0"},
    "GET /metrics": 'vllm:cache_config_info{enable_prefix_caching="True"} 1.0\n',
}
SGLANG = {"GET /server_info": {"version": "0.5.4", "disable_radix_cache": False}}
LLAMA_CPP = {"GET /props": {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 4}}
UNKNOWN: dict[str, Any] = {}


def started(routes: dict[str, Any], **options: Any) -> UrlEngine:
    base = {"GET /v1/models": {"data": [{"id": "m"}]}, "POST /v1/chat/completions": STREAM}
    with EngineServer({**base, **routes}) as server:
        engine = UrlEngine(UrlOptions(server.url, **options))
        asyncio.run(engine.start())
    return engine


def body(engine: UrlEngine, **more: Any) -> dict[str, Any]:
    written: dict[str, Any] = orjson.loads(engine.request_body([("user", "x")], max_tokens=77, **more))
    return written


@pytest.mark.parametrize("routes", [VLLM, SGLANG, LLAMA_CPP])
def test_an_answer_of_a_given_length_is_asked_for_where_it_can_be(routes: dict[str, Any]) -> None:
    engine = started(routes)
    assert engine.request_body.takes_exact_length
    assert body(engine, exact_length=True)["ignore_eos"] is True
    assert body(engine, exact_length=True)["max_tokens"] == 77
    assert "ignore_eos" not in body(engine), "a task's answers end where the model ends them"


@pytest.mark.parametrize("routes", [UNKNOWN, ollama_routes()])
def test_others_are_not_sent_a_field_they_may_refuse(routes: dict[str, Any]) -> None:
    engine = started(routes)
    assert not engine.request_body.takes_exact_length
    assert body(engine, exact_length=True) == body(engine)


def test_the_cache_is_kept_out_unless_it_is_allowed() -> None:
    out, allowed = started(VLLM), started(VLLM, allow_cache=True)
    assert "cache_salt" in body(out)
    assert "cache_salt" not in body(allowed)
    assert (out.describe().prefix_cache, allowed.describe().prefix_cache) == (False, True)
    assert out.describe().flags != allowed.describe().flags, "they are two configurations"


def test_llama_cpp_is_asked_to_use_its_cache() -> None:
    out, allowed = started(LLAMA_CPP), started(LLAMA_CPP, allow_cache=True)
    assert body(out)["cache_prompt"] is False
    assert body(allowed)["cache_prompt"] is True
    assert (out.describe().prefix_cache, allowed.describe().prefix_cache) == (False, True)
    assert (out.describe().flags["cache_prompt"], allowed.describe().flags["cache_prompt"]) == (False, True)


def test_an_unknown_engine_stays_unknown() -> None:
    assert started(UNKNOWN, allow_cache=True).describe().prefix_cache is None
