"""The identity of a configuration: a hash of every requested setting that changes what is measured."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import orjson


def config_hash(settings: Mapping[str, object]) -> str:
    """Return the SHA-256 (hex) of ``settings`` in canonical form (sorted keys, no white space)."""
    return hashlib.sha256(orjson.dumps(settings, option=orjson.OPT_SORT_KEYS)).hexdigest()


def text_hash(text: str) -> str:
    """Return the SHA-256 (hex) of ``text`` in UTF-8; used for prompt templates."""
    return hashlib.sha256(text.encode()).hexdigest()
