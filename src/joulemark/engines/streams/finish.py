"""Why generation ended, in one vocabulary."""

from __future__ import annotations

from typing import Any

from joulemark.engines.streams.decode import join

_NORMAL = {
    "eos_token": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "stop_token": "stop",
    "word": "stop",
    "complete": "stop",
    "completed": "stop",
    "end": "stop",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "max_new_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "limit": "length",
    "tool_use": "tool_calls",
    "tool_call": "tool_calls",
    "function_call": "tool_calls",
    "safety": "content_filter",
    "content_filtered": "content_filter",
}

BROKEN = frozenset({"error", "abort", "aborted", "cancelled", "canceled"})
"""Reasons that say the engine gave up: the reply failed."""


def finish_reason(value: Any) -> str | None:
    """Return the normalised reason; null where generation has not ended (null, an empty string)."""
    if isinstance(value, dict):
        # SGLang's native API: {"type": "length", "length": 8}
        value = value.get("type")
    if not isinstance(value, str) or not value:
        return None
    word = join([value.lower()])
    return _NORMAL.get(word, word)
