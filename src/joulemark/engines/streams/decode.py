"""Lenient decoding of what engines call JSON."""

from __future__ import annotations

import json
from typing import Any

import orjson

Json = dict[str, Any]
"""A decoded JSON object; its values may be of any type, whatever the schema says."""


class Undecodable(ValueError):
    """The bytes are no JSON."""


def decode(data: bytes) -> Any:
    """Decode JSON; accept what real engines send beyond it. Raises `Undecodable`.

    Beyond the standard: ``NaN`` and ``Infinity`` (as log probabilities), half surrogates (a character cut
    between two tokens), control characters in a text and bytes that are no UTF-8.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(data.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        raise Undecodable(str(error)) from None


def join(pieces: list[str]) -> str:
    """Join text pieces; halves of a surrogate pair that came in two pieces become their character."""
    text = "".join(pieces)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
