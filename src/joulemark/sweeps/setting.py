"""A value of a setting: what an axis takes, an option is given and a record keeps."""

from __future__ import annotations

from joulemark.metrics.setup import Setting

__all__ = ["Setting", "setting_text", "typed"]


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
