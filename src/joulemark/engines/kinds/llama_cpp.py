"""llama.cpp's own server, ``llama-server`` (llamafile is one too)."""

from __future__ import annotations

from collections.abc import Mapping

from joulemark.engines.kinds.identity import (
    IGNORE_EOS,
    PATH_CHARS,
    Flag,
    Identity,
    integer,
    mapping,
    number,
    text,
)
from joulemark.engines.probe import Prober

_NO_BUILD = "b0-unknown"  # what a build says that was made outside its repository


async def llama_cpp(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    """Know llama.cpp by ``/props``; its prompt cache is switched off a request."""
    props = await prober.json(f"{root}/props")
    if props is None or "default_generation_settings" not in props:
        return None
    meta = mapping(listed.get("meta"))
    settings = mapping(props["default_generation_settings"])
    samplers = mapping(settings.get("params")) or settings  # older servers had no ``params``
    build = text(props.get("build_info"))
    flags: dict[str, Flag] = {
        "n_parallel": integer(props.get("total_slots")),
        "n_ctx": integer(settings.get("n_ctx")),
        "parameters": integer(meta.get("n_params")),
        "top_k": integer(samplers.get("top_k")),
        "min_p": _rounded(samplers.get("min_p")),
        "cache_prompt": False,
    }
    return Identity(
        kind="llama.cpp",
        version=None if build == _NO_BUILD else build,
        quantization=text(props.get("model_ftype")) or text(meta.get("ftype")),
        prefix_cache=False,
        model_path=text(props.get("model_path"), PATH_CHARS),
        flags=flags,
        extra_body={"cache_prompt": False},
        cache_unsalted=True,
        cached_body={"cache_prompt": True},
        exact_fields=IGNORE_EOS,
    )


def _rounded(value: object) -> float | None:
    """Return a figure that the server keeps in single precision, without the tail that this leaves."""
    found = number(value)
    return None if found is None else round(float(found), 6)
