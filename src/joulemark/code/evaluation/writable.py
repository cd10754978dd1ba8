"""Text that a file can hold: programs and their messages may have halves of characters in them."""

from __future__ import annotations

from typing import Any


def writable(value: Any) -> Any:
    r"""Return plain values with lone surrogates in their texts as they are escaped, such as ``\\ud800``."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {writable(key): writable(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(writable, value))
    return value
