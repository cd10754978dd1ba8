"""Ollama, which is asked by its native API: only that tells tokens and durations in full."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import orjson

from joulemark.engines.kinds.identity import Flag, Identity, Native, entry_of, integer, items, mapping, text
from joulemark.engines.probe import Prober, json_object

DEFAULT_N_CTX = 8192
"""The context that is asked for, in tokens, where neither the user nor the model's Modelfile names one."""

_PARAMETER = re.compile(r"^(num_ctx|top_k|min_p|repeat_penalty)[ \t]+([0-9.]{1,20})[ \t]*$", re.MULTILINE)


async def ollama(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    """Know Ollama by its version and its tags."""
    version = await prober.json(f"{root}/api/version")
    tags = await prober.json(f"{root}/api/tags") if version is not None else None
    if version is None or tags is None or not isinstance(tags.get("models"), list):
        return None
    entry = entry_of(tags, "models", ("name", "model"), model)
    shown = json_object(await prober.post(f"{root}/api/show", orjson.dumps({"model": model}))) or {}
    details = {**mapping(entry.get("details")), **mapping(shown.get("details"))}
    digest = text(entry.get("digest"))
    pinned = _parameters(shown.get("parameters"))
    flags: dict[str, Flag] = {
        "architecture": text(details.get("family")),
        "parameter_size": text(details.get("parameter_size")),
        "format": text(details.get("format")),
        **{name: value for name, value in pinned.items() if name != "num_ctx"},
    }
    if "thinking" in items(shown.get("capabilities")):
        flags["think"] = "model default"
    return Identity(
        kind="ollama",
        version=text(version.get("version")),
        # The digest of Ollama's manifest, not of a GGUF file: the prefix keeps the two apart.
        model_digest=f"ollama:{digest.removeprefix('sha256:')}" if digest else None,
        quantization=text(details.get("quantization_level")),
        # Its prompt cache is on for every request, and nothing in its API switches it off.
        prefix_cache=True,
        flags=flags,
        native=Native("/api/chat", _wanted_n_ctx(pinned.get("num_ctx"), _trained_n_ctx(shown))),
        remote=any(text(page.get("remote_host")) is not None for page in (entry, shown)),
    )


async def ollama_loaded(prober: Prober, root: str, model: str, identity: Identity) -> Identity:
    """Return ``identity`` with the context that the loaded model really has, where Ollama says so."""
    entry = entry_of(await prober.json(f"{root}/api/ps"), "models", ("name", "model"), model)
    n_ctx = integer(entry.get("context_length"))
    if not n_ctx:
        return identity
    return replace(identity, flags={**identity.flags, "n_ctx": n_ctx})


def _parameters(value: object) -> dict[str, int | float]:
    """Read a Modelfile's parameters, a line each: those that change what a request of ours does."""
    found: dict[str, int | float] = {}
    for name, figure in _PARAMETER.findall(value if isinstance(value, str) else ""):
        try:
            found[name] = float(figure) if "." in figure else int(figure)
        except ValueError:
            continue
    return found


def _trained_n_ctx(shown: Mapping[str, object]) -> int | None:
    info = mapping(shown.get("model_info"))
    return integer(info.get(f"{info.get('general.architecture')}.context_length"))


def _wanted_n_ctx(pinned: int | float | None, trained: int | None) -> int:
    if isinstance(pinned, int) and pinned > 0:
        return pinned
    return min(DEFAULT_N_CTX, trained) if trained else DEFAULT_N_CTX
