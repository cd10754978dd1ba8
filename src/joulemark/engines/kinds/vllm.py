"""vLLM."""

from __future__ import annotations

import re
from collections.abc import Mapping

from joulemark.engines.kinds.identity import IGNORE_EOS, PATH_CHARS, Identity, at_least, integer, text
from joulemark.engines.probe import Prober

_CACHE_LABELS = re.compile(r"^vllm:cache_config_info\{(.{0,4000})\}", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]{0,100})"')
# The field came with 0.9, but the old engine (V0) does not know it, and gpt-oss models overlooked it at
# first. From this version on neither is there any more.
_SALT_SINCE = (0, 11)


async def vllm(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    """Know vLLM by the owner in its model list: many servers have a ``/version``."""
    if listed.get("owned_by") != "vllm":
        return None
    page = await prober.json(f"{root}/version")
    if page is None:
        return None
    version = text(page.get("version"))
    metrics = await prober.get(f"{root}/metrics")
    lines = metrics.body.decode("utf-8", errors="replace") if metrics.status == 200 else ""
    found = _CACHE_LABELS.search(lines)
    labels = dict(_LABEL.findall(found[1])) if found else {}
    caching = {"True": True, "False": False}.get(labels.get("enable_prefix_caching", ""))
    salted = caching is not False and at_least(version, *_SALT_SINCE)
    return Identity(
        kind="vllm",
        version=version,
        prefix_cache=False if salted else caching,
        model_path=text(listed.get("root"), PATH_CHARS),
        flags={
            "n_ctx": integer(listed.get("max_model_len")),
            "kv_cache_dtype": text(labels.get("cache_dtype")),
        },
        salt_field="cache_salt" if salted else None,
        cache_unsalted=caching,
        exact_fields=IGNORE_EOS,
    )
