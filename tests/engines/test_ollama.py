"""Ollama by its native API: how it is asked, what it says of itself, and how its answers end."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import orjson
import pytest

from doubles.engine_server import EngineServer
from doubles.listeners import Listener
from doubles.ollama_server import CONTEXT, MODEL, chat_lines, ollama_routes
from joulemark.engines.ask import Asked, ask
from joulemark.engines.client import StreamClient
from joulemark.engines.exchange import Endpoint
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.record.errors import InputError

OPENAI_STREAM = (
    'data: {"choices":[{"index":0,"delta":{"content":"OK"},"finish_reason":"stop"}]}\n\n'
    'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}\n\n'
    "data: [DONE]\n\n"
)
NATIVE, OPENAI = "POST /api/chat", "POST /v1/chat/completions"

Start = Callable[[dict[str, Any]], EngineServer]


@pytest.fixture
def engine_server() -> Iterator[Start]:
    with ExitStack() as servers:
        yield lambda routes: servers.enter_context(EngineServer(routes))


def started(url: str, **options: Any) -> UrlEngine:
    engine = UrlEngine(UrlOptions(url, **options))
    asyncio.run(engine.start())
    return engine


def asked(engine: UrlEngine, **choices: Any) -> Asked:
    async def run() -> Asked:
        async with StreamClient(engine.endpoint) as client:
            return await ask(client, engine.request_body([("user", "Why?")], max_tokens=50, **choices))

    return asyncio.run(run())


def test_the_native_endpoint_is_asked_and_told_everything(engine_server: Start) -> None:
    server = engine_server(ollama_routes(chat_lines("Be", "cause", ".")))
    engine = started(server.url)
    answer = asked(engine, temperature=0.5, top_p=0.9, seed=7)
    assert engine.endpoint.path == "/api/chat"
    routes = [route for route, _, _ in server.seen]
    assert routes.count(NATIVE) == 2
    assert OPENAI not in routes
    assert server.seen[-1][2] == {
        "model": MODEL,
        "messages": [{"role": "user", "content": "Why?"}],
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {"num_ctx": 8192, "num_predict": 50, "temperature": 0.5, "top_p": 0.9, "seed": 7},
    }
    assert answer.reply.text == "Because."
    assert answer.reply.usage is not None
    assert (answer.reply.usage.prompt, answer.reply.usage.completion) == (29, 3)
    assert answer.reply.engine_ns == {"load": 30_000_000, "prefill": 110_000_000, "decode": 70_000_000}
    assert answer.reply.token_source == "eval_count"
    assert answer.reply.t_first is not None


def test_no_seed_is_sent_where_none_is_wanted(engine_server: Start) -> None:
    engine = started(engine_server(ollama_routes(chat_lines("x"))).url)
    assert "seed" not in orjson.loads(engine.request_body([], max_tokens=1))["options"]


def test_it_says_of_itself_what_makes_a_run(engine_server: Start) -> None:
    server = engine_server(ollama_routes(chat_lines("x"), loaded={"context_length": 8192}))
    facts = started(server.url).describe()
    assert (facts.kind, facts.version, facts.model) == ("ollama", "0.33.3", MODEL)
    assert (facts.model_digest, facts.quantization) == ("ollama:a80c4f17acd5", "Q4_K_M")
    assert facts.prefix_cache is True
    assert facts.flags == {
        "api": "ollama",
        "architecture": "llama",
        "format": "gguf",
        "parameter_size": "1.2B",
        "top_k": 20,
        "n_ctx": 8192,
        "n_ctx_asked": 8192,
        "truncate": False,
    }
    assert facts.local is True


@pytest.mark.parametrize(
    ("show", "options", "asks_for"),
    [
        ({}, {}, 8192),
        ({"model_info": {"general.architecture": "llama", "llama.context_length": 2048}}, {}, 2048),
        ({"parameters": "num_ctx                        16384"}, {}, 16384),
        ({"parameters": "num_ctx 16384"}, {"n_ctx": 4096}, 4096),
        ({"model_info": None, "parameters": None}, {}, 8192),
        ({"model_info": {"general.architecture": ["x"]}, "parameters": "num_ctx 1.2.3\nnum_ctx 0"}, {}, 8192),
    ],
)
def test_the_context_is_asked_for(
    show: dict[str, Any], options: dict[str, Any], asks_for: int, engine_server: Start
) -> None:
    engine = started(engine_server(ollama_routes(chat_lines("x"), show=show)).url, **options)
    assert orjson.loads(engine.request_body([], max_tokens=1))["options"]["num_ctx"] == asks_for
    assert engine.describe().flags["n_ctx_asked"] == asks_for


def test_a_context_that_was_not_had_is_told(engine_server: Start) -> None:
    loaded = {"context_length": CONTEXT}
    engine = started(engine_server(ollama_routes(chat_lines("x"), loaded=loaded)).url, n_ctx=131072)
    flags = engine.describe().flags
    assert (flags["n_ctx_asked"], flags["n_ctx"]) == (131072, CONTEXT)


def test_a_context_for_an_engine_that_has_its_own_is_refused(engine_server: Start) -> None:
    server = engine_server({"GET /v1/models": {"data": [{"id": "m"}]}, OPENAI: OPENAI_STREAM})
    with pytest.raises(InputError, match="context") as caught:
        started(server.url, n_ctx=4096)
    assert "--n-ctx" in caught.value.fix


def test_a_prompt_that_does_not_fit_is_a_failed_request(engine_server: Start) -> None:
    def chat(body: dict[str, Any]) -> tuple[int, Any]:
        if body["messages"][0]["content"] == "Why?":
            return 400, {"error": "the prompt is longer than the context length"}
        return 200, chat_lines("x")

    answer = asked(started(engine_server(ollama_routes(chat)).url))
    assert answer.attempts[-1].error == "http_400"
    assert "longer than the context" in answer.sentences[0]


def test_without_the_native_endpoint_the_other_one_is_asked(engine_server: Start) -> None:
    server = engine_server({**ollama_routes(), OPENAI: OPENAI_STREAM})
    engine = started(server.url)
    assert engine.endpoint.path == "/v1/chat/completions"
    assert asked(engine).reply.text == "OK"
    flags = engine.describe().flags
    assert (flags["api"], flags["stream_usage"]) == ("openai", True)
    assert "n_ctx_asked" not in flags


def test_a_model_that_is_gone_is_no_missing_endpoint(engine_server: Start) -> None:
    missing = (404, {"error": f"model '{MODEL}' not found"})
    server = engine_server({**ollama_routes(lambda _body: missing), OPENAI: OPENAI_STREAM})
    with pytest.raises(InputError, match="refuses") as caught:
        started(server.url)
    assert "not found" in caught.value.why
    assert OPENAI not in [route for route, _, _ in server.seen]


@pytest.mark.parametrize("place", ["tag", "show"])
def test_a_model_that_runs_elsewhere_is_not_of_this_machine(place: str, engine_server: Start) -> None:
    elsewhere = {"remote_host": "https://models.example:443", "remote_model": "large"}
    facts = started(engine_server(ollama_routes(chat_lines("x"), **{place: elsewhere})).url).describe()
    assert (facts.local, facts.pid, facts.reasons["pid"]) == (False, None, "not_local")


def test_thinking_is_told_apart_and_named(engine_server: Start) -> None:
    routes = ollama_routes(chat_lines("4", thinking="2+2"), show={"capabilities": ["completion", "thinking"]})
    engine = started(engine_server(routes).url)
    reply = asked(engine).reply
    assert (reply.text, reply.reasoning) == ("4", "2+2")
    assert (reply.first_token_event, reply.first_output_event) == (0, 1)
    assert engine.describe().flags["think"] == "model default"


@pytest.mark.parametrize(
    ("last", "prompt", "cached"),
    [
        ({}, 29, None),
        ({"prompt_eval_cached_count": 24}, 29, 24),
        ({"prompt_eval_cached_count": 0}, 29, 0),
        ({"prompt_eval_count": None}, None, None),
        ({"prompt_eval_count": 0}, None, None),
        ({"prompt_eval_cached_count": -1}, 29, None),
    ],
)
def test_a_cached_prompt_is_counted_or_unknown_but_never_nothing(
    last: dict[str, Any], prompt: int | None, cached: int | None, engine_server: Start
) -> None:
    usage = asked(started(engine_server(ollama_routes(chat_lines("x", **last))).url)).reply.usage
    assert usage is not None
    assert (usage.prompt, usage.cached, usage.completion) == (prompt, cached, 3)


def test_an_error_line_within_a_stream_fails_the_answer(engine_server: Start) -> None:
    lines = chat_lines("Be").splitlines(keepends=True)[0] + '{"error":"out of memory"}\n'
    replies = iter([chat_lines("x"), lines])
    answer = asked(started(engine_server(ollama_routes(lambda _body: (200, next(replies)))).url))
    assert (answer.reply.ok, answer.reply.text) == (False, "Be")
    assert answer.attempts[-1].error == "answer"


def test_the_answer_is_over_with_its_last_line_though_the_server_goes_on() -> None:
    """No length, no last chunk, an open connection: only ``done`` tells."""

    def serve(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n")
        connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
        for line in chat_lines('say "done": true', " now").encode().splitlines(keepends=True):
            half = len(line) // 2
            for piece in (line[:half], line[half:]):
                connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
                time.sleep(0.01)
        over.wait()

    async def run(port: int) -> Asked:
        client = StreamClient(Endpoint("http", "127.0.0.1", port, "/api/chat"), stall_timeout_s=5)
        async with client:
            return await ask(client, b"{}")

    with Listener(serve) as listener:
        answer = asyncio.run(run(listener.port))
    assert answer.exchange.error is None
    assert answer.reply.ok
    assert answer.reply.text == 'say "done": true now'
    assert (answer.exchange.t_end - answer.exchange.t_sent) / 1e9 < 4
