"""SGLang."""

from __future__ import annotations

from collections.abc import Mapping

from joulemark.engines.kinds.identity import IGNORE_EOS, PATH_CHARS, Identity, at_least, boolean, text
from joulemark.engines.probe import Prober

_PAGES = ("/server_info", "/get_server_info")  # new and old name
_FLAGS = ("dtype", "kv_cache_dtype", "tp_size", "dp_size", "attention_backend", "context_length")
# Earlier releases took the field and lost it on the way to the scheduler.
_SALT_SINCE = (0, 5, 18)


async def sglang(prober: Prober, root: str, model: str, listed: Mapping[str, object]) -> Identity | None:
    """Know SGLang by its page with the state of the radix cache."""
    for page in _PAGES:
        info = await prober.json(f"{root}{page}")
        if info is not None and "disable_radix_cache" in info:
            break
    else:
        return None
    version = text(info.get("version"))
    disabled = boolean(info["disable_radix_cache"])
    caching = None if disabled is None else not disabled
    salted = caching is not False and at_least(version, *_SALT_SINCE) and await _takes_salt(prober, root)
    return Identity(
        kind="sglang",
        version=version,
        quantization=text(info.get("quantization")) or text(info.get("dtype")),
        prefix_cache=False if salted else caching,
        model_path=text(info.get("model_path"), PATH_CHARS),
        flags={name: value for name in _FLAGS if isinstance(value := info.get(name), str | int)},
        salt_field="cache_salt" if salted else None,
        cache_unsalted=caching,
        exact_fields=IGNORE_EOS,
    )


async def _takes_salt(prober: Prober, root: str) -> bool:
    """Tell whether the server's own description of its API names the field."""
    page = await prober.get(f"{root}/openapi.json")
    return page.status == 200 and b'"cache_salt"' in page.body
