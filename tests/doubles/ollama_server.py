"""Ollama's native API, as far as a client of ours sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

MODEL = "tiny:1b"
CONTEXT = 40960
LAST = {
    "done": True,
    "done_reason": "stop",
    "total_duration": 910_000_000,
    "load_duration": 30_000_000,
    "prompt_eval_count": 29,
    "prompt_eval_duration": 110_000_000,
    "eval_count": 3,
    "eval_duration": 70_000_000,
}


def chat_lines(*pieces: str, thinking: str = "", **last: Any) -> str:
    """The lines of an answer in pieces; ``last`` changes the last line, null takes a field away."""
    parts: list[dict[str, Any]] = [{"content": "", "thinking": thinking}] if thinking else []
    parts += [{"content": piece} for piece in pieces]
    rows: list[dict[str, Any]] = [
        {"model": MODEL, "message": {"role": "assistant", **part}, "done": False} for part in parts
    ]
    end = {name: value for name, value in {**LAST, **last}.items() if value is not None}
    rows.append({"model": MODEL, "message": {"role": "assistant", "content": ""}, **end})
    return "".join(json.dumps(row) + "\n" for row in rows)


def ollama_routes(
    chat: str | Callable[[dict[str, Any]], tuple[int, Any]] | None = None,
    *,
    show: dict[str, Any] | None = None,
    loaded: dict[str, Any] | None = None,
    tag: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Routes for an `EngineServer`; ``chat`` null: the native chat endpoint is not there."""
    details = {"family": "llama", "format": "gguf", "quantization_level": "Q4_K_M", "parameter_size": "1.2B"}
    shown = {
        "details": details,
        "capabilities": ["completion"],
        "model_info": {"general.architecture": "llama", "llama.context_length": CONTEXT},
        "parameters": 'stop                           "<|im_end|>"\ntop_k                          20\n',
    }
    entry = {"name": MODEL, "model": MODEL, "digest": "a80c4f17acd5", "details": details, **(tag or {})}
    routes: dict[str, Any] = {
        "GET /v1/models": {"object": "list", "data": [{"id": MODEL, "owned_by": "library"}]},
        "GET /api/version": {"version": "0.33.3"},
        "GET /api/tags": {"models": [entry]},
        "POST /api/show": {**shown, **(show or {})},
        "GET /api/ps": {"models": [{"name": MODEL, "model": MODEL, **(loaded or {})}]},
    }
    return routes if chat is None else {**routes, "POST /api/chat": chat}
