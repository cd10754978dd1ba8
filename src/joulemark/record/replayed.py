"""How a source that plays back a recorded trace is told from one that measures now: by its kind and name."""

from __future__ import annotations

REPLAY = "replay"
"""The kind of such a source, and the first part of its name."""


def trace_name(name: str) -> str:
    """Return the name of the source that plays ``name``."""
    return f"{REPLAY}:{name}"


def is_trace_name(source: str) -> bool:
    """Tell whether the source of an energy is a recorded trace, or was joined (``a+b``) with one."""
    return any(part.startswith(f"{REPLAY}:") for part in source.split("+"))
