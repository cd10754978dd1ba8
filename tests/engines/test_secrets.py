"""A server that echoes what it was sent does not put a key on the screen or into a record."""

from __future__ import annotations

import asyncio

import pytest

from doubles.engine_server import EngineServer
from joulemark.engines.exchange import Endpoint
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.record.errors import InputError
from joulemark.record.manifest import Engine

KEY = "sk-very-secret-0123456789"


def test_an_echoed_key_is_concealed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_MINE", KEY)
    refusal = (500, {"error": {"message": f"who sent Authorization: Bearer {KEY}?"}})
    routes = {"GET /v1/models": {"data": [{"id": "m"}]}, "POST /v1/chat/completions": refusal}
    with EngineServer(routes) as server, pytest.raises(InputError) as raised:
        asyncio.run(UrlEngine(UrlOptions(server.url, api_key_env="KEY_OF_MINE")).start())
    assert KEY not in str(raised.value)
    assert "[key]" in str(raised.value)


def test_an_echoed_key_is_not_in_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_MINE", KEY)
    answer = {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "usage": None}
    routes = {
        "GET /v1/models": {"data": [{"id": f"m {KEY}", "owned_by": "vllm"}]},
        "GET /version": {"version": f"1.0 for Bearer {KEY}"},
        "POST /v1/chat/completions": answer,
    }

    async def described() -> Engine:
        engine = UrlEngine(UrlOptions(server.url, api_key_env="KEY_OF_MINE"))
        await engine.start()
        return engine.describe()

    with EngineServer(routes) as server:
        entry = asyncio.run(described())
    assert entry.version == "1.0 for [key]"
    assert entry.model == "m [key]"
    assert KEY not in entry.model_dump_json()


def test_only_secrets_are_concealed() -> None:
    endpoint = Endpoint("http", "127.0.0.1", 1, headers={"Authorization": f"Bearer {KEY}", "X-Short": "a"})
    assert endpoint.conceal(f"a bad key {KEY}") == "a bad key [key]"
    assert KEY not in repr(endpoint)
