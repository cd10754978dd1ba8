"""The pages by which a client tells engines apart, each saying that the engine is simulated."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joulemark.simulate.http.profile import MARK, Profile
from joulemark.simulate.model import ModelShape

_LICENSE_DATE = "2026-01-01T00:00:00Z"
Page = Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class Facts:
    """What the pages tell: the model as it is called, its context, and how the server is set up."""

    profile: Profile
    model: ModelShape
    model_id: str
    context: int
    max_batch: int
    caches: bool
    thinks: bool
    created: int


def pages_of(facts: Facts) -> dict[str, Page]:
    """Return the pages by ``METHOD path``: JSON objects, or texts."""
    profile = facts.profile
    pages: dict[str, Page] = {
        "GET /v1/models": _model_list(facts),
        "GET /simulation": {
            "simulated": True,
            "profile": profile.name,
            "model": facts.model_id,
            "truth": "/simulation/truth",
            "meter": "/dcgm/metrics",
        },
    }
    if profile.name == "lmstudio":
        # its address ends in /v1 or not; all it serves lies below either
        pages["GET /api/v0/models"] = {"object": "list", "data": [_lm_studio_v0(facts)]}
        pages["GET /api/v1/models"] = {"models": [_lm_studio_v1(facts)]}
        return pages
    pages["GET /health"] = {"status": "ok"} if profile.name == "llamacpp" else ""
    own: dict[str, dict[str, Page]] = {
        "vllm": {"GET /version": {"version": profile.version, MARK: True}, "GET /ping": ""},
        "sglang": _sglang(facts),
        "llamacpp": {"GET /props": _llama_cpp_props(facts), "GET /models": _model_list(facts)},
        "ollama": _ollama(facts),
        "tgi": {"GET /info": _tgi_info(facts)},
    }
    return pages | own.get(profile.name, {})


def _model_list(facts: Facts) -> dict[str, Any]:
    profile = facts.profile
    entry: dict[str, Any] = {
        "id": facts.model_id,
        "object": "model",
        "created": facts.created,
        "owned_by": profile.owned_by,
        MARK: True,
    }
    if profile.name == "vllm":
        entry |= {"root": facts.model_id, "parent": None, "max_model_len": facts.context}
    elif profile.name == "sglang":
        entry |= {"root": facts.model_id, "max_model_len": facts.context}
    elif profile.name == "llamacpp":
        meta = {"n_ctx_train": facts.context, "n_params": round(facts.model.parameters)}
        entry["meta"] = meta | {"size": round(facts.model.weight_bytes)}
    elif profile.name == "gateway":
        entry |= {"name": facts.model_id, "context_length": facts.context}
    return {"object": "list", "data": [entry]}


def _sglang(facts: Facts) -> dict[str, Page]:
    info = {
        "model_path": facts.model_id,
        "version": facts.profile.version,
        "dtype": "bfloat16",
        "quantization": None,
        "tp_size": 1,
        "dp_size": 1,
        "context_length": facts.context,
        "max_running_requests": facts.max_batch,
        "disable_radix_cache": not facts.caches,
        MARK: True,
    }
    schema = {"properties": {"cache_salt": {"type": "string"}}}
    openapi = {"openapi": "3.1.0", "components": {"schemas": {"ChatCompletionRequest": schema}}}
    return {
        "GET /server_info": info,
        "GET /get_server_info": info,
        "GET /get_model_info": {"model_path": facts.model_id, "is_generation": True, MARK: True},
        "GET /openapi.json": openapi,
    }


def _llama_cpp_props(facts: Facts) -> dict[str, Any]:
    params = {"n_predict": -1, "temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05}
    return {
        "default_generation_settings": {"n_ctx": facts.context // facts.max_batch, "params": params},
        "total_slots": facts.max_batch,
        "model_path": facts.model_id,
        "build_info": facts.profile.version,
        "model_ftype": "BF16",
        MARK: True,
    }


def _ollama(facts: Facts) -> dict[str, Page]:
    details = {
        "format": "gguf",
        "family": "llama",
        "families": ["llama"],
        "parameter_size": f"{facts.model.parameters / 1e9:.2g}B",
        "quantization_level": "BF16",
    }
    entry = {
        "name": facts.model_id,
        "model": facts.model_id,
        "modified_at": _LICENSE_DATE,
        "size": round(facts.model.weight_bytes),
        "digest": hashlib.sha256(facts.model_id.encode()).hexdigest(),
        "details": details,
        MARK: True,
    }
    shown = {
        "details": details,
        "capabilities": ["completion", *(["thinking"] if facts.thinks else [])],
        "model_info": {"general.architecture": "llama", "llama.context_length": facts.context},
        "parameters": "",
        MARK: True,
    }
    loaded = {**entry, "size_vram": entry["size"], "context_length": facts.context}
    return {
        "GET /": "Ollama is running (simulated)",
        "GET /api/version": {"version": facts.profile.version, MARK: True},
        "GET /api/tags": {"models": [entry]},
        "GET /api/ps": {"models": [loaded]},
        "POST /api/show": shown,
    }


def _tgi_info(facts: Facts) -> dict[str, Any]:
    return {
        "model_id": facts.model_id,
        "model_sha": None,
        "model_dtype": "bfloat16",
        "model_pipeline_tag": "text-generation",
        "max_concurrent_requests": 4 * facts.max_batch,
        "max_input_tokens": facts.context - 1,
        "max_total_tokens": facts.context,
        "router": f"text-generation-router ({MARK})",
        "version": facts.profile.version,
        MARK: True,
    }


def _lm_studio_v0(facts: Facts) -> dict[str, Any]:
    return {
        "id": facts.model_id,
        "object": "model",
        "type": "llm",
        "publisher": MARK,
        "arch": "llama",
        "compatibility_type": "gguf",
        "quantization": "BF16",
        "state": "loaded",
        "max_context_length": facts.context,
        "loaded_context_length": facts.context,
        MARK: True,
    }


def _lm_studio_v1(facts: Facts) -> dict[str, Any]:
    config = {"context_length": facts.context, "parallel": facts.max_batch, "flash_attention": True}
    return {
        "type": "llm",
        "publisher": MARK,
        "key": facts.model_id,
        "architecture": "llama",
        "format": "gguf",
        "quantization": {"name": "BF16", "bits_per_weight": 16},
        "loaded_instances": [{"id": facts.model_id, "config": config}],
        MARK: True,
    }
