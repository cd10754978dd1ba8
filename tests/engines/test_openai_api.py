from __future__ import annotations

import asyncio
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson
import pytest

from doubles.engine_server import EngineServer
from joulemark.engines.base_url import parse_base_url
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.record.errors import InputError
from joulemark.record.manifest import Engine

STREAM = (
    'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"OK"},"finish_reason":null}]}\n\n'
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\n'
    "data: [DONE]\n\n"
)
CHAT = "POST /v1/chat/completions"

Start = Callable[[dict[str, Any]], EngineServer]


@pytest.fixture
def engine_server() -> Iterator[Start]:
    with ExitStack() as servers:
        yield lambda routes: servers.enter_context(EngineServer(routes))


def models(*names: str, **fields: object) -> dict[str, object]:
    return {"object": "list", "data": [{"id": name, "object": "model", **fields} for name in names]}


def started(url: str, **options: Any) -> UrlEngine:
    engine = UrlEngine(UrlOptions(url, **options))
    asyncio.run(engine.start())
    return engine


def described(url: str, **options: Any) -> Engine:
    return started(url, **options).describe()


def refused(url: str, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        started(url, **options)
    assert caught.value.fix
    return caught.value


# -- the address ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "paths"),
    [
        ("http://h:8000", ("/v1",)),
        ("http://h:8000/", ("/v1",)),
        ("http://h:8000/v1", ("/v1",)),
        ("http://h:8000/v1/", ("/v1",)),
        ("http://h:8000/v1/chat/completions", ("/v1",)),
        ("http://h/api", ("/api/v1", "/api")),
        ("http://h/openrouter/api/v1", ("/openrouter/api/v1",)),
        ("http://h/v1beta/openai/", ("/v1beta/openai",)),
    ],
)
def test_an_address_is_read_with_and_without_v1(url: str, paths: tuple[str, ...]) -> None:
    assert parse_base_url(url).api_paths == paths


def test_ports_and_hosts_are_read() -> None:
    assert (parse_base_url("https://h").port, parse_base_url("http://h").port) == (443, 80)
    assert parse_base_url("http://[::1]:8080").host == "::1"
    assert parse_base_url("http://[::1]:8080").text == "http://[::1]:8080"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("localhost:8000", "--engine http://localhost:8000"),
        ("ftp://h", "http://"),
        ("http://", "host"),
        ("http://h:99999", "ort"),
        ("http://h:port", "ort"),
        ("http://me:secret@h", "--api-key-env"),
        ("http://h/v1?key=secret", "query"),
        ("", "http://"),
    ],
)
def test_what_is_no_address_is_refused(url: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        UrlEngine(UrlOptions(url))
    assert says in str(caught.value)
    assert caught.value.fix


# -- finding the model ---------------------------------------------------------------------------------------


def test_nobody_there_is_said_with_the_command_that_helps() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        error = refused(f"http://127.0.0.1:{held.getsockname()[1]}")
    assert "No engine answers at" in error.what
    assert "llama-server" in error.fix


def test_a_host_that_does_not_exist_is_said() -> None:
    assert "No engine answers" in refused("http://no-such-host.invalid:8000").what


def test_something_that_is_not_http_is_said(tmp_path: Path) -> None:
    async def run() -> InputError:
        async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 mail ready\r\n")
            await writer.drain()
            await reader.read(100)
            writer.close()

        server = await asyncio.start_server(babble, "127.0.0.1", 0)
        async with server:
            engine = UrlEngine(UrlOptions(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"))
            with pytest.raises(InputError) as caught:
                await engine.start()
            return caught.value

    assert "check the port" in asyncio.run(run()).fix


def test_the_only_model_is_taken_and_asked_once(engine_server: Start) -> None:
    server = engine_server({"GET /v1/models": models("m"), CHAT: STREAM})
    engine = started(server.url)
    facts = engine.describe()
    assert (facts.kind, facts.model, facts.version) == ("openai-compatible", "m", None)
    assert facts.reasons["version"] == facts.reasons["model_digest"] == "engine_unknown"
    trials = [body for name, _, body in server.seen if name == CHAT]
    assert len(trials) == 1
    assert trials[0]["stream_options"] == {"include_usage": True}
    assert "cache_prompt" not in trials[0]
    assert engine.endpoint.path == "/v1/chat/completions"


def test_several_models_want_a_choice(engine_server: Start) -> None:
    server = engine_server({"GET /v1/models": models("small", "large"), CHAT: STREAM})
    error = refused(server.url)
    assert "small, large" in error.why
    assert error.fix == "add --model small"
    assert described(server.url, model="large").model == "large"


def test_a_wrong_name_is_told_the_near_ones(engine_server: Start) -> None:
    server = engine_server({"GET /v1/models": models("llama-3.2-1b", "qwen3-8b"), CHAT: STREAM})
    error = refused(server.url, model="llama-3.1-1b")
    assert "llama-3.2-1b" in error.why
    assert error.fix == "use --model llama-3.2-1b"
    assert CHAT not in [name for name, _, _ in server.seen]


def test_an_engine_without_a_list_wants_a_name(engine_server: Start) -> None:
    server = engine_server({CHAT: STREAM})
    assert "--model" in refused(server.url).fix
    assert described(server.url, model="m").model == "m"


def test_an_api_below_another_path_is_found(engine_server: Start) -> None:
    server = engine_server({"GET /api/models": models("m"), "POST /api/chat/completions": STREAM})
    assert started(f"{server.url}/api").endpoint.path == "/api/chat/completions"


# -- the key -------------------------------------------------------------------------------------------------


def test_a_missing_key_variable_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JM_TEST_KEY", raising=False)
    with pytest.raises(InputError, match="JM_TEST_KEY") as caught:
        UrlEngine(UrlOptions("http://127.0.0.1:1", api_key_env="JM_TEST_KEY"))
    assert "export JM_TEST_KEY" in caught.value.fix


def test_the_key_is_sent_and_never_described(engine_server: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JM_TEST_KEY", "sesame-1234")
    server = engine_server({"GET /v1/models": models("m"), CHAT: STREAM})
    engine = started(server.url, api_key_env="JM_TEST_KEY")
    assert {headers.get("authorization") for _, headers, _ in server.seen} == {"Bearer sesame-1234"}
    assert "sesame" not in engine.describe().model_dump_json() + repr(engine.endpoint)


@pytest.mark.parametrize("place", ["GET /v1/models", CHAT])
def test_an_engine_that_wants_a_key_says_how(
    place: str, engine_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    routes: dict[str, object] = {"GET /v1/models": models("m"), CHAT: STREAM}
    server = engine_server({**routes, place: (401, {"error": {"message": "bad key"}})})
    assert "--api-key-env" in refused(server.url).fix
    monkeypatch.setenv("JM_TEST_KEY", "wrong")
    error = refused(server.url, api_key_env="JM_TEST_KEY")
    assert "refuses the API key" in error.what
    assert error.why == "bad key"


# -- the dialect ---------------------------------------------------------------------------------------------


def picky(*unknown: str) -> Callable[[dict[str, object]], tuple[int, object]]:
    def answer(body: dict[str, object]) -> tuple[int, object]:
        for name in unknown:
            if name in body:
                hint = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
                return 400, {"error": {"message": f"Unsupported parameter: '{name}'.{hint}"}}
        return 200, STREAM

    return answer


def test_what_an_engine_refuses_by_name_is_left_out_for_good(engine_server: Start) -> None:
    server = engine_server(
        {"GET /v1/models": models("m"), CHAT: picky("stream_options", "seed", "max_tokens")}
    )
    engine = started(server.url)
    body = orjson.loads(engine.request_body([("user", "x")], max_tokens=5, seed=3))
    assert body["max_completion_tokens"] == 5
    assert not {"stream_options", "seed", "max_tokens"} & set(body)
    facts = engine.describe()
    assert (facts.flags["stream_usage"], facts.flags["seed_accepted"]) == (False, False)


def test_a_refusal_of_something_else_is_told(engine_server: Start) -> None:
    server = engine_server({"GET /v1/models": models("m"), CHAT: picky("temperature")})
    error = refused(server.url)
    assert "temperature" in error.why
    assert "400" in error.what


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((404, {"detail": "Not Found"}), "Not Found"),
        ((503, {"error": "loading model"}), "loading model"),
        ((200, 'data: {"error":{"message":"out of memory"}}\n\n'), "out of memory"),
    ],
)
def test_an_engine_that_cannot_answer_is_found_out_before_the_run(
    answer: tuple[int, object], says: str, engine_server: Start
) -> None:
    server = engine_server({"GET /v1/models": models("m"), CHAT: answer})
    assert says in refused(server.url).why


# -- the kinds -----------------------------------------------------------------------------------------------


def test_ollama_is_known_with_digest_and_quantization(engine_server: Start) -> None:
    tag = {"name": "llama3.2:latest", "model": "llama3.2:latest", "digest": "a80c4f17acd5", "details": {}}
    server = engine_server(
        {
            "GET /v1/models": models("llama3.2:latest", owned_by="library"),
            "GET /api/version": {"version": "0.12.6"},
            "GET /api/tags": {"models": [tag]},
            "POST /api/show": lambda body: (
                200,
                {"details": {"quantization_level": "Q4_K_M", "family": "llama", "format": "gguf"}}
                if body == {"model": "llama3.2:latest"}
                else {},
            ),
            CHAT: STREAM,
        }
    )
    facts = described(server.url, model="llama3.2")
    assert (facts.kind, facts.version, facts.model) == ("ollama", "0.12.6", "llama3.2:latest")
    assert (facts.model_digest, facts.quantization) == ("ollama:a80c4f17acd5", "Q4_K_M")
    assert facts.prefix_cache is True
    assert not [name for name, _, _ in server.seen if "pull" in name]


@pytest.mark.parametrize(("state", "expected"), [("True", True), ("False", False), (None, None)])
def test_vllm_is_known_with_its_prefix_cache(
    state: str | None, expected: bool | None, engine_server: Start
) -> None:
    metrics = "" if state is None else f'vllm:cache_config_info{{enable_prefix_caching="{state}"}} 1.0\n'
    server = engine_server(
        {
            "GET /v1/models": models("m", owned_by="vllm", max_model_len=8192, root="org/m"),
            "GET /version": {"version": "0.10.2"},
            "GET /metrics": metrics,
            CHAT: STREAM,
        }
    )
    facts = described(server.url)
    assert (facts.kind, facts.version, facts.flags["n_ctx"]) == ("vllm", "0.10.2", 8192)
    assert facts.prefix_cache is expected
    assert "cache_salt" not in server.seen[-1][2]


@pytest.mark.parametrize("path", ["/server_info", "/get_server_info"])
def test_sglang_is_known_by_both_names_of_its_page(path: str, engine_server: Start) -> None:
    info = {
        "version": "0.5.3",
        "disable_radix_cache": True,
        "quantization": "fp8",
        "tp_size": 2,
        "dtype": "auto",
    }
    server = engine_server({"GET /v1/models": models("m"), f"GET {path}": info, CHAT: STREAM})
    facts = described(server.url)
    assert (facts.kind, facts.version, facts.quantization) == ("sglang", "0.5.3", "fp8")
    assert facts.prefix_cache is False
    assert facts.flags["tp_size"] == 2


def test_tgi_is_known_with_the_models_commit(engine_server: Start) -> None:
    info = {"model_id": "org/m", "model_sha": "abc123", "model_dtype": "float16", "version": "3.3.4"}
    server = engine_server(
        {"GET /v1/models": models("m"), "GET /info": {**info, "max_concurrent_requests": 128}, CHAT: STREAM}
    )
    facts = described(server.url)
    assert (facts.kind, facts.model_digest, facts.quantization) == ("tgi", "hf-commit:abc123", "float16")


def test_lm_studio_is_known_with_its_quantization(engine_server: Start) -> None:
    entry = {"id": "m", "arch": "llama", "compatibility_type": "gguf", "quantization": "Q4_K_M"}
    server = engine_server(
        {"GET /v1/models": models("m"), "GET /api/v0/models": {"data": [entry]}, CHAT: STREAM}
    )
    facts = described(server.url)
    assert (facts.kind, facts.version, facts.quantization) == ("lm-studio", None, "Q4_K_M")


def test_no_folder_of_the_machine_gets_into_a_description(engine_server: Start) -> None:
    path = "/home/mia/models/qwen3-8b.gguf"
    info = {"model_id": "/data/mia/m", "version": "3.3.4", "max_concurrent_requests": 1}
    server = engine_server({"GET /v1/models": models(path), "GET /info": info, CHAT: STREAM})
    engine = started(server.url)
    facts = engine.describe()
    assert (facts.model, facts.flags["model_id"]) == ("qwen3-8b.gguf", "m")
    assert "mia" not in facts.model_dump_json()
    sent = [body["model"] for name, _, body in server.seen if name == CHAT]
    assert sent == [path]
    assert orjson.loads(engine.request_body([("user", "x")], max_tokens=1))["model"] == path


LLAMA_CPP = {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 1, "build_info": "b1-abc"}


def slow_pages(seconds: float, times: int, page: object) -> Callable[[dict[str, object]], tuple[int, object]]:
    """A page that keeps its first ``times`` callers waiting."""
    left = [seconds] * times

    def answer(_body: dict[str, object]) -> tuple[int, object]:
        time.sleep(left.pop() if left else 0)
        return 200, page

    return answer


def test_a_busy_engine_is_asked_once_more_with_more_patience(engine_server: Start) -> None:
    server = engine_server(
        {"GET /v1/models": models("m"), "GET /props": slow_pages(0.5, 1, LLAMA_CPP), CHAT: STREAM}
    )
    assert described(server.url, probe_timeout_s=0.25).kind == "llama.cpp"
    assert [name for name, _, _ in server.seen].count("GET /props") == 2


def test_an_engine_too_busy_to_say_who_it_is_is_no_other_engine(engine_server: Start) -> None:
    server = engine_server(
        {"GET /v1/models": models("m"), "GET /props": slow_pages(1.2, 9, LLAMA_CPP), CHAT: STREAM}
    )
    error = refused(server.url, probe_timeout_s=0.2)
    assert error.what == "the engine did not answer its own page in time"
    assert error.fix == "try again when it is idle"


def test_a_slow_page_of_another_kind_does_not_matter_to_one_that_is_known(engine_server: Start) -> None:
    server = engine_server(
        {
            "GET /v1/models": models("m", owned_by="vllm"),
            "GET /props": slow_pages(1.2, 9, {}),
            "GET /version": {"version": "0.11.0"},
            CHAT: STREAM,
        }
    )
    assert described(server.url, probe_timeout_s=0.2).kind == "vllm"


@pytest.mark.parametrize("junk", ["<html></html>", [], {"version": 5, "models": 7, "data": "x"}, "null"])
def test_pages_full_of_junk_leave_the_kind_unknown(junk: object, engine_server: Start) -> None:
    paths = ("/props", "/api/version", "/api/tags", "/version", "/server_info", "/info", "/api/v0/models")
    server = engine_server({"GET /v1/models": models("m"), CHAT: STREAM, **{f"GET {p}": junk for p in paths}})
    assert described(server.url).kind == "openai-compatible"


def test_every_null_of_a_description_has_its_reason(engine_server: Start) -> None:
    facts = described(engine_server({"GET /v1/models": models("m"), CHAT: STREAM}).url)
    nulls = {name for name, value in facts.model_dump().items() if value is None}
    assert nulls - {"endpoint_hash"} <= set(facts.reasons)  # the run fills that one


def test_the_process_behind_the_port_is_found(engine_server: Start) -> None:
    engine = started(engine_server({"GET /v1/models": models("m"), CHAT: STREAM}).url)
    assert engine.pid() == os.getpid()
    assert engine.describe().local is True
    assert not engine.died()
    asyncio.run(engine.stop())
    assert engine.pid() == os.getpid()


def test_nothing_is_described_before_the_start() -> None:
    engine = UrlEngine(UrlOptions("http://127.0.0.1:1"))
    with pytest.raises(RuntimeError, match=re.escape("call start first")):
        engine.describe()
    assert engine.pid() is None
