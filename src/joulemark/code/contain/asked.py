"""Calls that a program makes of functions that are not in its process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from joulemark.code.contain.ended import said
from joulemark.code.inside.plain import Plain, decode, encode

Ask = Callable[[str, tuple[Plain, ...]], Plain]
"""Answers a call that a program makes of a function that is not in its process; raises ``RuntimeError``."""


def answered(message: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Return the message that answers one of kind ``ask``, whatever it holds."""
    try:
        args = decode(message.get("args", ""))
        if not isinstance(args, tuple):
            raise ValueError("no arguments")
        return {"value": encode(ask(said(message, "name"), args))}
    except (ValueError, RuntimeError) as error:
        return {"error": str(error)[:500]}
