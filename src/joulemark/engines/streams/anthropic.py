"""Anthropic's Messages API: typed events, counts that are cumulative."""

from __future__ import annotations

from typing import Any

from joulemark.engines.streams.decode import Json
from joulemark.engines.streams.draft import ChoiceDraft, Draft
from joulemark.engines.streams.usage import anthropic_usage

EVENTS = frozenset(
    (
        *("message", "message_start", "message_delta", "message_stop", "ping"),
        *("content_block_start", "content_block_delta", "content_block_stop"),
    )
)


def read_anthropic(obj: Json, draft: Draft) -> None:
    """Read one event, or a whole message (``type: message``)."""
    choice = draft.choice(0)
    match obj["type"]:
        case "content_block_delta":
            if isinstance(delta := obj.get("delta"), dict):
                _read_block(delta, obj.get("index"), choice, draft)
        case "content_block_start":
            if isinstance(block := obj.get("content_block"), dict):
                _read_block(block, obj.get("index"), choice, draft)
        case "message_start":
            if isinstance(message := obj.get("message"), dict):
                _read_usage(message, draft)
        case "message_delta":
            if isinstance(delta := obj.get("delta"), dict):
                draft.end(choice, delta.get("stop_reason"))
            _read_usage(obj, draft)
        case "message_stop":
            draft.closed = True
        case "message":
            blocks = obj.get("content")
            for index, block in enumerate(blocks if isinstance(blocks, list) else ()):
                if isinstance(block, dict):
                    _read_block(block, index, choice, draft)
            draft.end(choice, obj.get("stop_reason"))
            _read_usage(obj, draft)


def _read_block(block: Json, index: Any, choice: ChoiceDraft, draft: Draft) -> None:
    match block.get("type"):
        case "text" | "text_delta":
            draft.add_text(choice, block.get("text"))
        case "thinking" | "thinking_delta":
            draft.add_reasoning(choice, block.get("thinking"))
        case "tool_use":
            # The opening event has an empty input; the arguments follow in parts.
            draft.add_tool(choice, index, block.get("id"), block.get("name"), block.get("input") or None)
        case "input_json_delta":
            draft.add_tool(choice, index, None, None, block.get("partial_json"))


def _read_usage(holder: Json, draft: Draft) -> None:
    usage = holder.get("usage")
    if isinstance(usage, dict):
        draft.usage = anthropic_usage(usage, draft.usage, draft.complain)
    elif usage is not None:
        draft.complain("usage is no object")
