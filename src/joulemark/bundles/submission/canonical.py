"""JSON with one spelling (RFC 8785), so that the same values always have the same bytes and hash."""

from __future__ import annotations

import math
from typing import Any

import orjson
import rfc8785

MAX_DEPTH = 6
_EXACT = 2**53 - 1  # RFC 8785 is for numbers that every reader keeps
_HUGE = 10**21  # ECMAScript spells none from here on without an exponent
_PLAIN = (1e-3, 1e15)  # between these orjson spells a number as ECMAScript does

_OPENING, _CLOSING = b"[{", b"]}"
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _OPENING + _CLOSING)


def canonical(value: Any) -> bytes:
    """Return the RFC 8785 form. Raises ``ValueError`` for what has none: NaN, a too large whole number.

    Done by orjson where that writes the same, for a run has hundreds of thousands of lines.
    """
    try:
        return orjson.dumps(_prepared(value), option=orjson.OPT_SORT_KEYS)
    except TypeError as error:  # orjson's name for a lone surrogate among others
        raise ValueError(str(error)) from error


def parse(data: bytes, *, max_depth: int = MAX_DEPTH) -> Any:
    """Return the value of canonical JSON.

    Raises ``ValueError`` where it is nested more than ``max_depth`` deep or not in the one spelling: a key
    that stands twice, white space, a number spelled otherwise.
    """
    if _is_deeper(data, max_depth):
        raise ValueError(f"it is nested more than {max_depth} deep")
    value = orjson.loads(data)
    if canonical(value) != data:
        raise ValueError("it is not in canonical form (RFC 8785)")
    return value


def _is_deeper(data: bytes, most: int) -> bool:
    """Tell without parsing whether brackets are open more than ``most`` deep, those within texts too."""
    depth = 0
    for byte in data.translate(None, _NO_BRACKETS):
        depth += 1 if byte in _OPENING else -1
        if depth > most:
            return True
    return False


def _prepared(value: Any) -> Any:
    kind = type(value)
    if kind is float:
        return _number(value)
    if kind is int:
        if abs(value) <= _EXACT:
            return value
        # so is a real number of this size spelled, and read as a whole one
        if abs(value) < _HUGE and (spelled := rfc8785.dumps(float(value))) == str(value).encode():
            return orjson.Fragment(spelled)
        raise ValueError(f"{str(value)[:20]}… is a number that not every reader keeps")
    if kind is dict:
        if not all(type(key) is str and key.isascii() for key in value):
            raise ValueError("a key is no plain word")
        return {key: _prepared(one) for key, one in value.items()}
    if kind in (list, tuple):
        return [_prepared(one) for one in value]
    if value is None or kind in (str, bool):
        return value
    raise ValueError(f"{kind.__name__} is nothing that JSON has")


def _number(value: float) -> Any:
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number")
    if value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    if _PLAIN[0] <= abs(value) < _PLAIN[1]:
        return value
    return orjson.Fragment(rfc8785.dumps(value))
