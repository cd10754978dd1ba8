"""Which engine stands behind a URL, and what it says of its model.

Each engine is known by an endpoint of its own. What it does not say stays null.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import orjson

from joulemark.engines.probe import Prober, json_object
from joulemark.record.errors import InputError

Flag = str | int | float | bool | None
_MAX_TEXT = 200
_VLLM_PREFIX_CACHE = re.compile(r'enable_prefix_caching="(True|False)"')


@dataclass(frozen=True, slots=True)
class Identity:
    """What an engine says of itself; null where it does not.

    ``model_path`` is where the engine read the model, for a digest when that is this machine.
    ``prefix_cache`` is the state that requests of ours will meet; ``extra_body`` brings it about.
    """

    kind: str
    version: str | None = None
    model_digest: str | None = None
    quantization: str | None = None
    prefix_cache: bool | None = None
    model_path: str | None = None
    flags: dict[str, Flag] = field(default_factory=dict)
    extra_body: dict[str, object] = field(default_factory=dict)


UNKNOWN = Identity("openai-compatible")


async def identify(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity:
    """Return who answers below the path ``root``. ``listed`` is the model's entry in ``/v1/models``.

    Raises `InputError` where nothing identifies the engine and some page of it did not come in time: another
    kind would change the identity of the run.
    """
    for detector in _DETECTORS:
        found = await detector(prober, root, model, listed)
        if found is not None:
            return found
    if prober.timed_out:
        raise InputError(
            "the engine did not answer its own page in time",
            why="so it cannot be told which engine it is",
            fix="try again when it is idle",
        )
    return UNKNOWN


async def _llama_cpp(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    props = await prober.json(f"{root}/props")
    if props is None or "default_generation_settings" not in props:
        return None
    meta = _mapping(listed.get("meta"))
    slots = props.get("total_slots")
    return Identity(
        kind="llama.cpp",
        version=_text(props.get("build_info")),
        quantization=_text(props.get("model_ftype")) or _text(meta.get("ftype")),
        prefix_cache=False,
        model_path=_text(props.get("model_path"), 4096),
        flags={
            "n_parallel": slots if isinstance(slots, int) else None,
            "n_ctx": _integer(_mapping(props["default_generation_settings"]).get("n_ctx")),
            "parameters": _integer(meta.get("n_params")),
            "cache_prompt": False,
        },
        extra_body={"cache_prompt": False},
    )


async def _lm_studio(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    answer = await prober.json(f"{root}/api/v0/models")
    entry = _entry(answer, "data", ("id",), model)
    if "compatibility_type" not in entry and "arch" not in entry:
        return None
    return Identity(
        kind="lm-studio",
        quantization=_text(entry.get("quantization")),
        flags={
            "architecture": _text(entry.get("arch")),
            "format": _text(entry.get("compatibility_type")),
            "n_ctx": _integer(entry.get("loaded_context_length")),
        },
    )


async def _ollama(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    version = await prober.json(f"{root}/api/version")
    tags = await prober.json(f"{root}/api/tags") if version is not None else None
    if version is None or tags is None or not isinstance(tags.get("models"), list):
        return None
    entry = _entry(tags, "models", ("name", "model"), model)
    shown = json_object(await prober.post(f"{root}/api/show", orjson.dumps({"model": model}))) or {}
    details = {**_mapping(entry.get("details")), **_mapping(shown.get("details"))}
    digest = _text(entry.get("digest"))
    return Identity(
        kind="ollama",
        version=_text(version.get("version")),
        # The digest of Ollama's manifest, not of a GGUF file: the prefix keeps the two apart.
        model_digest=f"ollama:{digest.removeprefix('sha256:')}" if digest else None,
        quantization=_text(details.get("quantization_level")),
        flags={
            "architecture": _text(details.get("family")),
            "parameter_size": _text(details.get("parameter_size")),
            "format": _text(details.get("format")),
        },
    )


async def _sglang(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    for path in ("/server_info", "/get_server_info"):  # new and old name
        info = await prober.json(f"{root}{path}")
        if info is not None and "disable_radix_cache" in info:
            break
    else:
        return None
    disabled = info["disable_radix_cache"]
    return Identity(
        kind="sglang",
        version=_text(info.get("version")),
        quantization=_text(info.get("quantization")) or _text(info.get("dtype")),
        prefix_cache=not disabled if isinstance(disabled, bool) else None,
        model_path=_text(info.get("model_path"), 4096),
        flags={
            name: value
            for name in (
                "dtype",
                "kv_cache_dtype",
                "tp_size",
                "dp_size",
                "attention_backend",
                "context_length",
            )
            if isinstance(value := info.get(name), str | int)
        },
    )


async def _tgi(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    info = await prober.json(f"{root}/info")
    if info is None or "model_id" not in info or "max_concurrent_requests" not in info:
        return None
    commit = _text(info.get("model_sha"))
    return Identity(
        kind="tgi",
        version=_text(info.get("version")),
        model_digest=f"hf-commit:{commit}" if commit else None,
        quantization=_text(info.get("quantize")) or _text(info.get("model_dtype")),
        flags={"model_id": _text(info.get("model_id")), "router": _text(info.get("router"))},
    )


async def _vllm(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    # Many servers have a /version, so the owner in the model list decides.
    version = await prober.json(f"{root}/version")
    if listed.get("owned_by") != "vllm" or version is None:
        return None
    metrics = await prober.get(f"{root}/metrics")
    text = metrics.body.decode("utf-8", errors="replace") if metrics.status == 200 else ""
    caching = _VLLM_PREFIX_CACHE.search(text)
    return Identity(
        kind="vllm",
        version=_text(version.get("version")),
        prefix_cache=None if caching is None else caching[1] == "True",
        model_path=_text(listed.get("root"), 4096),
        flags={"n_ctx": _integer(listed.get("max_model_len"))},
    )


_Detector = Callable[[Prober, str, str, Mapping[str, object]], Awaitable[Identity | None]]
_DETECTORS: tuple[_Detector, ...] = (_llama_cpp, _ollama, _vllm, _sglang, _tgi, _lm_studio)


def _entry(
    answer: Mapping[str, object] | None, list_name: str, keys: tuple[str, ...], model: str
) -> dict[str, object]:
    """Return the entry of ``model`` in a list of models, empty when there is none."""
    entries = answer.get(list_name) if answer else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and any(entry.get(key) in (model, f"{model}:latest") for key in keys):
            return entry
    return {}


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object, limit: int = _MAX_TEXT) -> str | None:
    return value[:limit] if isinstance(value, str) and value else None


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
