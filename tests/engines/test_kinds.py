"""What each engine says of itself, met as doubles of its pages, and how its prompt cache is kept away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.engine_server import EngineServer
from doubles.ollama_server import chat_lines, ollama_routes
from joulemark.engines.kinds.identity import at_least
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.record.manifest import Engine

STREAM = (
    'data: {"choices":[{"index":0,"delta":{"content":"OK"},"finish_reason":"stop"}]}\n\n'
    'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}\n\n'
    "data: [DONE]\n\n"
)
CHAT = "POST /v1/chat/completions"

Start = Callable[[dict[str, Any]], EngineServer]


@pytest.fixture
def engine_server() -> Iterator[Start]:
    with ExitStack() as servers:
        yield lambda routes: servers.enter_context(
            EngineServer({"GET /v1/models": {"data": [{"id": "m"}]}, CHAT: STREAM, **routes})
        )


def started(server: EngineServer) -> UrlEngine:
    engine = UrlEngine(UrlOptions(server.url))
    asyncio.run(engine.start())
    return engine


def described(server: EngineServer) -> Engine:
    return started(server).describe()


def salts(engine: UrlEngine, n: int = 3) -> list[Any]:
    return [
        orjson.loads(engine.request_body([("user", "x")], max_tokens=1)).get("cache_salt") for _ in range(n)
    ]


VLLM_MODELS = {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 8192}]}


def vllm(version: str, caching: str | None = "True") -> dict[str, Any]:
    labels = f'block_size="16",cache_dtype="fp8",enable_prefix_caching="{caching}"' if caching else ""
    return {
        "GET /v1/models": VLLM_MODELS,
        "GET /version": {"version": version},
        "GET /metrics": f"# HELP x\nvllm:cache_config_info{{{labels}}} 1.0\n",
    }


# -- vLLM ----------------------------------------------------------------------------------------------------


def test_vllm_gets_a_salt_of_its_own_for_each_request(engine_server: Start) -> None:
    server = engine_server(vllm("0.11.0"))
    engine = started(server)
    found = salts(engine)
    assert len(set(found)) == 3
    assert all(isinstance(salt, str) and len(salt) >= 16 for salt in found)
    assert server.seen[-1][2]["cache_salt"] not in found
    facts = engine.describe()
    assert facts.prefix_cache is False
    assert facts.flags["cache_salt"] == "one a request"
    assert facts.flags["kv_cache_dtype"] == "fp8"


def test_the_salt_does_not_change_the_identity_of_a_run(engine_server: Start) -> None:
    server = engine_server(vllm("0.11.0"))
    first, second = described(server), described(server)
    assert first.flags == second.flags


@pytest.mark.parametrize(
    ("version", "caching", "expected"),
    [("0.11.0", "False", False), ("0.10.2", "True", True), ("0.10.2", None, None), ("0.9.0.1", "True", True)],
)
def test_vllm_gets_no_salt_where_it_is_of_no_use(
    version: str, caching: str | None, expected: bool | None, engine_server: Start
) -> None:
    engine = started(engine_server(vllm(version, caching)))
    assert salts(engine) == [None] * 3
    assert engine.describe().prefix_cache is expected
    assert "cache_salt" not in engine.describe().flags


def test_a_salt_that_is_refused_is_left_out_and_the_cache_told_as_it_is(engine_server: Start) -> None:
    def chat(body: dict[str, Any]) -> tuple[int, Any]:
        if "cache_salt" in body:
            return 400, {"error": {"message": "Extra inputs are not permitted: cache_salt"}}
        return 200, STREAM

    engine = started(engine_server({**vllm("0.11.0"), CHAT: chat}))
    assert salts(engine) == [None] * 3
    facts = engine.describe()
    assert (facts.prefix_cache, facts.flags["cache_salt"]) == (True, "refused")


def test_running_usage_is_not_asked_for(engine_server: Start) -> None:
    body = orjson.loads(started(engine_server(vllm("0.11.0"))).request_body([], max_tokens=1))
    assert body["stream_options"] == {"include_usage": True}


# -- SGLang --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "schema", "disabled", "salted", "expected"),
    [
        ("0.5.18", '"cache_salt"', False, True, False),
        ("0.6.0", '"cache_salt"', False, True, False),
        ("0.5.18", '"extra_key"', False, False, True),
        ("0.5.9", '"cache_salt"', False, False, True),
        ("0.5.18", '"cache_salt"', True, False, False),
        ("0.5.9", '"cache_salt"', None, False, None),
    ],
)
def test_sglang_gets_a_salt_where_its_own_api_names_it(
    version: str,
    schema: str,
    disabled: bool | None,
    salted: bool,
    expected: bool | None,
    engine_server: Start,
) -> None:
    server = engine_server(
        {
            "GET /server_info": {"version": version, "disable_radix_cache": disabled, "dtype": "auto"},
            "GET /openapi.json": f"[{schema}]",
            **ollama_routes(),  # it answers as Ollama, too
            "GET /v1/models": {"data": [{"id": "m"}]},
        }
    )
    engine = started(server)
    facts = engine.describe()
    assert facts.kind == "sglang"
    assert facts.prefix_cache is expected
    assert len({salt for salt in salts(engine) if salt}) == (3 if salted else 0)


# -- LM Studio -----------------------------------------------------------------------------------------------


def lm_studio(**loaded: Any) -> dict[str, Any]:
    config = {"context_length": 16384, "flash_attention": True, "parallel": 4, **loaded}
    entry = {
        "key": "m",
        "type": "llm",
        "architecture": "llama",
        "format": "gguf",
        "quantization": {"name": "Q4_K_M", "bits_per_weight": 4},
        "loaded_instances": [{"id": "m", "config": config}] if loaded else [],
    }
    return {"GET /api/v1/models": {"models": [entry]}}


def test_lm_studio_tells_its_settings_once_the_model_is_loaded(engine_server: Start) -> None:
    seen: list[str] = []

    def models(_body: dict[str, Any]) -> tuple[int, Any]:
        seen.append("models")
        known = lm_studio(eval_batch_size=512) if len(seen) > 1 else lm_studio()
        return 200, known["GET /api/v1/models"]

    runtime = {"name": "llama.cpp-linux-x86_64-nvidia-cuda12", "version": "2.3.0"}
    server = engine_server(
        {
            "GET /api/v1/models": models,
            "POST /api/v0/chat/completions": {"choices": [], "runtime": runtime},
        }
    )
    facts = described(server)
    assert (facts.kind, facts.version, facts.quantization) == ("lm-studio", None, "Q4_K_M")
    assert facts.flags["n_ctx"] == 16384
    assert (facts.flags["n_parallel"], facts.flags["n_batch"]) == (4, 512)
    assert facts.flags["flash_attention"] is True
    assert facts.flags["runtime"] == "llama.cpp-linux-x86_64-nvidia-cuda12 2.3.0"
    assert facts.prefix_cache is None
    asked = [body for route, _, body in server.seen if route.endswith("/api/v0/chat/completions")]
    assert [body["max_tokens"] for body in asked] == [1]


def test_an_older_lm_studio_is_known_by_its_older_list(engine_server: Start) -> None:
    entry = {"id": "m", "arch": "llama", "compatibility_type": "mlx", "quantization": "4bit"}
    entry["loaded_context_length"] = "no number"
    facts = described(engine_server({"GET /api/v0/models": {"data": [entry]}}))
    assert (facts.kind, facts.quantization, facts.flags["format"]) == ("lm-studio", "4bit", "mlx")
    assert "n_ctx" not in facts.flags
    assert "runtime" not in facts.flags


class Everywhere(dict[str, Any]):
    """Routes of a server that answers 200 to every page, as LM Studio does."""

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, {"error": f"Unexpected endpoint or method. ({key})"})


@pytest.mark.parametrize(("pages", "kind"), [(lm_studio(), "lm-studio"), ({}, "openai-compatible")])
def test_a_server_that_answers_every_page_is_not_taken_for_another(pages: dict[str, Any], kind: str) -> None:
    with EngineServer(
        Everywhere({"GET /v1/models": {"data": [{"id": "m"}]}, CHAT: STREAM, **pages})
    ) as server:
        facts = described(server)
    assert facts.kind == kind


# -- the others ----------------------------------------------------------------------------------------------


def test_tgi_tells_its_limits(engine_server: Start) -> None:
    info = {"model_id": "org/m", "max_concurrent_requests": 128, "max_input_tokens": 4095, "version": "3.3.4"}
    facts = described(engine_server({"GET /info": {**info, "max_total_tokens": 4096}}))
    assert (facts.kind, facts.flags["n_ctx"], facts.flags["max_input_tokens"]) == ("tgi", 4096, 4095)
    assert facts.prefix_cache is None


LLAMA_CPP = {"default_generation_settings": {"n_ctx": 4096, "params": {"top_k": 40, "min_p": 0.05000000074}}}


def test_llama_cpp_tells_the_samplers_that_requests_leave_alone(engine_server: Start) -> None:
    props = {**LLAMA_CPP, "total_slots": 2, "build_info": "b0-unknown"}
    server = engine_server({"GET /props": props})
    facts = described(server)
    assert (facts.kind, facts.version, facts.reasons["version"]) == ("llama.cpp", None, "not_reported")
    assert (facts.flags["top_k"], facts.flags["min_p"], facts.flags["n_parallel"]) == (40, 0.05, 2)
    sent = server.seen[-1][2]
    assert (sent["cache_prompt"], facts.prefix_cache) == (False, False)
    assert "timings_per_token" not in sent


@pytest.mark.parametrize(
    ("name", "kind"),
    [("KoboldCpp", "koboldcpp"), ("TabbyAPI", "tabbyapi"), ("Aphrodite Engine", "aphrodite")],
)
def test_an_engine_that_imitates_others_is_known_by_its_own_name(
    name: str, kind: str, engine_server: Start
) -> None:
    server = engine_server(
        {
            "GET /.well-known/serviceinfo": {"software": {"name": name, "version": "1.99"}},
            "GET /props": LLAMA_CPP,
            **ollama_routes(chat_lines("x")),
            "GET /v1/models": {"data": [{"id": "m"}]},
        }
    )
    facts = described(server)
    assert (facts.kind, facts.version, facts.prefix_cache) == (kind, "1.99", None)
    assert "POST /api/chat" not in [route for route, _, _ in server.seen]


def test_local_ai_is_no_ollama(engine_server: Start) -> None:
    server = engine_server(
        {
            **ollama_routes(chat_lines("x")),
            "GET /v1/models": {"data": [{"id": "m"}]},
            "GET /v1/models/capabilities": {"data": [{"id": "m", "capabilities": ["chat"]}]},
            "GET /version": {"version": "v3.6.0"},
        }
    )
    assert (described(server).kind, described(server).version) == ("localai", "v3.6.0")


def test_text_generation_webui_is_known_by_its_loaded_model(engine_server: Start) -> None:
    info = {"model_name": "m", "lora_names": []}
    assert described(engine_server({"GET /v1/internal/model/info": info})).kind == "text-generation-webui"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PAGES = {
    "/.well-known/serviceinfo": ("software",),
    "/props": ("default_generation_settings", "build_info", "model_path"),
    "/server_info": ("disable_radix_cache", "version", "model_path"),
    "/api/version": ("version",),
    "/api/tags": ("models",),
    "/api/ps": ("models",),
    "/info": ("model_id", "max_concurrent_requests", "version"),
    "/api/v0/models": ("data",),
    "/api/v1/models": ("models",),
    "/v1/models/capabilities": ("data",),
    "/version": ("version",),
}


@settings(deadline=None, max_examples=12)
@given(st.data())
def test_no_page_of_a_server_can_break_the_look_at_it(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(PAGES)), unique=True, max_size=4))
    pages = {
        f"GET {name}": data.draw(st.fixed_dictionaries(dict.fromkeys(PAGES[name], JSON)) | JSON)
        for name in names
    }
    owner = data.draw(st.sampled_from(["vllm", "library", 7]))
    routes = {"GET /v1/models": {"data": [{"id": "m", "owned_by": owner}]}, CHAT: STREAM}
    with EngineServer({**pages, **routes}) as server:
        facts = described(server)
    assert facts.kind
    assert {name for name in ("version", "model_digest") if getattr(facts, name) is None} <= set(
        facts.reasons
    )


@pytest.mark.parametrize(
    ("version", "wanted", "expected"),
    [
        ("0.11.0", (0, 11), True),
        ("0.11.0rc2.dev5+g12", (0, 11), True),
        ("v1.0", (0, 11), True),
        ("0.9.2", (0, 11), False),
        ("0.5.9", (0, 5, 18), False),
        ("0.6", (0, 5, 18), True),
        ("1", (1, 0), True),
        ("dev", (0, 1), False),
        (None, (0, 1), False),
        ("", (0, 1), False),
    ],
)
def test_versions_are_compared_by_their_numbers(
    version: str | None, wanted: tuple[int, ...], expected: bool
) -> None:
    assert at_least(version, *wanted) is expected
