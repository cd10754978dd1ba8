"""What an engine says of itself, and how its pages are read without trusting them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Flag = str | int | float | bool | None
_MAX_TEXT = 200
IGNORE_EOS: dict[str, object] = {"ignore_eos": True}
"""The field by which vLLM, SGLang and llama.cpp go on after a token that would end the answer."""
PATH_CHARS = 4096


@dataclass(frozen=True, slots=True)
class Native:
    """An engine's own chat endpoint: its ``path`` below the root, and the context to ask for, in tokens."""

    path: str
    n_ctx: int


@dataclass(frozen=True, slots=True)
class Identity:
    """What an engine says of itself; null where it does not.

    ``model_path`` is where the engine read the model, for a digest when that is this machine.
    ``prefix_cache`` is the state that requests of ours will meet, given ``extra_body`` and a fresh salt for
    each request in ``salt_field``, where it names a field; ``cache_unsalted`` is the state without these, and
    ``cached_body`` what is sent in place of ``extra_body`` where the cache is to be used.
    ``exact_fields`` are fields of a request that make its answer go on until its limit.
    ``native`` is the engine's own chat endpoint, where that is asked instead of OpenAI's. ``remote``: the
    engine passes requests for this model on to another machine.
    """

    kind: str
    version: str | None = None
    model_digest: str | None = None
    quantization: str | None = None
    prefix_cache: bool | None = None
    model_path: str | None = None
    flags: dict[str, Flag] = field(default_factory=dict)
    extra_body: dict[str, object] = field(default_factory=dict)
    salt_field: str | None = None
    cache_unsalted: bool | None = None
    cached_body: dict[str, object] = field(default_factory=dict)
    exact_fields: dict[str, object] = field(default_factory=dict)
    native: Native | None = None
    remote: bool = False


def entry_of(
    answer: Mapping[str, object] | None, list_name: str, keys: tuple[str, ...], model: str
) -> dict[str, object]:
    """Return the entry of ``model`` in a list of models, empty when there is none."""
    for entry in items(answer.get(list_name) if answer else None):
        if isinstance(entry, dict) and any(entry.get(key) in (model, f"{model}:latest") for key in keys):
            return entry
    return {}


def items(value: object) -> list[object]:
    """Return a list as it is, and no entries for anything else."""
    return value if isinstance(value, list) else []


def mapping(value: object) -> dict[str, object]:
    """Return an object as it is, and an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text(value: object, limit: int = _MAX_TEXT) -> str | None:
    """Return a text, cut at ``limit`` characters; null for anything else and for an empty one."""
    return value[:limit] if isinstance(value, str) and value else None


def integer(value: object) -> int | None:
    """Return a whole number; null for anything else, truth values among them."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(value: object) -> int | float | None:
    """Return a number; null for anything else."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def boolean(value: object) -> bool | None:
    """Return a truth value; null for anything else."""
    return value if isinstance(value, bool) else None


def at_least(version: str | None, *wanted: int) -> bool:
    """Tell whether ``version`` begins with numbers that are no smaller than ``wanted``; unknown is no.

    A pre-release counts as its release: ``0.11.0rc1`` is at least 0.11.
    """
    found = re.match(r"v?(\d+(?:\.\d+)*)", version or "")
    if found is None:
        return False
    parts = tuple(int(part[:9]) for part in found[1].split("."))
    return parts + (0,) * (len(wanted) - len(parts)) >= wanted
