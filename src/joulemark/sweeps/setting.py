"""A value of a setting: what an axis takes, an option is given and a record keeps."""

from __future__ import annotations

from dataclasses import fields

from joulemark.metrics.setup import Setting
from joulemark.rates.declared import DeclaredRates
from joulemark.record.errors import InputError

__all__ = ["RATES", "BadOption", "Setting", "setting_text", "typed"]

RATES = frozenset(one.name for one in fields(DeclaredRates) if one.name != "label")
"""Settings that price a measurement and change nothing of it."""


class BadOption(InputError):
    """A value that an option cannot have, at whatever point."""


def typed(text: str) -> Setting:
    """Return what a word of a command line means: a whole number, a number, true, false, or itself."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def setting_text(value: Setting) -> str:
    """Return a value as it is written in a grid."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
