"""LM Studio, which is asked by OpenAI's route: its own takes neither a seed nor several turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import orjson

from joulemark.engines.kinds.identity import (
    Flag,
    Identity,
    boolean,
    entry_of,
    integer,
    items,
    mapping,
    text,
)
from joulemark.engines.probe import Prober, json_object


async def lm_studio(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    """Know LM Studio by a model list of its own: ``/api/v1`` (from 0.4 on) or ``/api/v0``.

    Its unknown pages answer 200 as well, so the lists themselves decide.
    """
    return await _by_v1(prober, root, model) or await _by_v0(prober, root, model)


async def lm_studio_loaded(prober: Prober, root: str, model: str, identity: Identity) -> Identity:
    """Return ``identity`` with what only a loaded model shows: its context, and the runtime that answers."""
    loaded = await lm_studio(prober, root, model, {}) or identity
    question = {"model": model, "messages": [{"role": "user", "content": "Say OK."}], "max_tokens": 1}
    answer = json_object(await prober.post(f"{root}/api/v0/chat/completions", orjson.dumps(question)))
    runtime = mapping((answer or {}).get("runtime"))
    name = " ".join(filter(None, (text(runtime.get("name")), text(runtime.get("version")))))
    return replace(loaded, flags={**loaded.flags, "runtime": name or None})


async def _by_v1(prober: Prober, root: str, model: str) -> Identity | None:
    answer = await prober.json(f"{root}/api/v1/models")
    for entry in items((answer or {}).get("models")):
        if not isinstance(entry, dict) or "loaded_instances" not in entry:
            continue
        instances = [mapping(instance) for instance in items(entry["loaded_instances"])]
        named = next((instance for instance in instances if instance.get("id") == model), None)
        if named is None and entry.get("key") != model:
            continue
        config = mapping((named or (instances[0] if instances else {})).get("config"))
        flags: dict[str, Flag] = {
            "architecture": text(entry.get("architecture")),
            "format": text(entry.get("format")),
            "n_ctx": integer(config.get("context_length")),
            "n_parallel": integer(config.get("parallel")),
            "n_batch": integer(config.get("eval_batch_size")),
            "flash_attention": boolean(config.get("flash_attention")),
            "kv_cache_on_gpu": boolean(config.get("offload_kv_cache_to_gpu")),
        }
        quantization = text(mapping(entry.get("quantization")).get("name"))
        return Identity(kind="lm-studio", quantization=quantization, flags=flags)
    return None


async def _by_v0(prober: Prober, root: str, model: str) -> Identity | None:
    entry = entry_of(await prober.json(f"{root}/api/v0/models"), "data", ("id",), model)
    if "compatibility_type" not in entry and "arch" not in entry:
        return None
    flags: dict[str, Flag] = {
        "architecture": text(entry.get("arch")),
        "format": text(entry.get("compatibility_type")),
        "n_ctx": integer(entry.get("loaded_context_length")),
    }
    return Identity(kind="lm-studio", quantization=text(entry.get("quantization")), flags=flags)
