"""OpenAI chat and text completions, streamed or whole, and what their relatives add to them."""

from __future__ import annotations

from typing import Any

from joulemark.engines.streams.decode import Json
from joulemark.engines.streams.draft import ChoiceDraft, Draft
from joulemark.engines.streams.fault import Fault, declared_fault
from joulemark.engines.streams.llamacpp import read_timings
from joulemark.engines.streams.tally import CountSource
from joulemark.engines.streams.usage import token_count

# What says nothing of the answer. Any other object in a chunk may hide a usage object of a vendor.
_SILENT_KEYS = frozenset(("id", "object", "created", "model", "choices", "system_fingerprint", "error"))
_THOUGHTS = frozenset(("reasoning_content", "reasoning", "thinking"))
_STATS_COUNTS = ("predicted_tokens_count", "predictedTokensCount", "total_output_tokens", "completion_tokens")


def read_choices(obj: Json, draft: Draft) -> None:
    """Read a chunk or a whole answer that has ``choices``."""
    choices = obj["choices"]
    usage: Any = None
    if not isinstance(choices, list) or not choices:
        draft.hollow.add(draft.event)
    elif len(choices) > 1 or not _read_plain(choices[0], draft):
        for position, choice in enumerate(choices):
            if isinstance(choice, dict):
                usage = _read_choice(position, choice, draft) or usage
    if not _SILENT_KEYS.issuperset(obj):
        usage = _read_rest(obj, usage, draft)
    if isinstance(usage, dict):
        draft.report_usage(usage)
    elif usage is not None:
        draft.complain("usage is no object")


def _read_rest(obj: Json, usage: Any, draft: Draft) -> Any:
    """Read what a chunk says beside its choices; return the usage object to believe."""
    stated = obj.get("usage")
    for key, value in obj.items():
        if key in _SILENT_KEYS or key == "usage" or not isinstance(value, dict):
            continue
        if key == "timings":
            read_timings(value, draft)
        elif key == "media":
            draft.media_units = token_count(value.get("count"), "media.count", draft.complain)
        elif key == "stats":
            for name in _STATS_COUNTS:
                count = token_count(value.get(name), f"stats.{name}", draft.complain)
                draft.stats_count = draft.stats_count if count is None else count
        else:
            usage = _vendor(value, usage, draft)
    return usage if stated is None else stated


def _vendor(value: Json, usage: Any, draft: Draft) -> Any:
    """Return the usage object, which some vendors hide under a key of their own; see their errors too."""
    fault = declared_fault(value, b"")
    if fault is not None:
        draft.fail(fault)
    hidden = value.get("usage")
    return hidden if usage is None and isinstance(hidden, dict) else usage


def _read_plain(choice: Any, draft: Draft) -> bool:
    """Read the only choice where it is one piece of text and nothing else, as nearly all are.

    False: nothing was read, and `_read_choice`, which knows all the rest, has to.
    """
    delta = choice.get("delta") if isinstance(choice, dict) else None
    if not isinstance(delta, dict):
        return False
    text = delta.get("content")
    into = draft.choices.get(0)
    if not text or into is None or not isinstance(text, str):
        return False
    if len(delta) > 1:
        for key, value in delta.items():
            if value and key != "content" and key != "role":
                return False
    for key, value in choice.items():
        if value is not None and key != "delta" and (value or key != "index"):
            return False
    draft.add_text(into, text)
    return True


def _read_choice(position: int, choice: Json, draft: Draft) -> Any:
    """Read one choice; return the usage object that some servers put into it."""
    index = choice.get("index", position)
    into = draft.choices.get(index) if type(index) is int else None
    if into is None:
        into = draft.choice(index)
    if choice.get("error"):
        draft.fail(declared_fault(choice, b"") or Fault("error in a choice"))
    usage: Any = None
    for key, value in choice.items():
        if value is None or key == "index":
            continue
        if key == "delta":
            if isinstance(value, dict):
                _read_message(value, into, draft)
        elif key == "message":
            # Some servers repeat the whole text so far beside each delta.
            if isinstance(value, dict) and not into.texts and not isinstance(choice.get("delta"), dict):
                _read_message(value, into, draft)
        elif key == "text":
            draft.empty_text_counts = True
            draft.add_text(into, value)
        elif key == "finish_reason":
            draft.end(into, value)
        elif key == "token_ids":
            if isinstance(value, list):
                draft.tally.state(CountSource.TOKEN_IDS, draft.event, len(value))
        elif key == "logprobs":
            if isinstance(value, dict):
                _count_logprobs(value, draft)
        elif key == "usage":
            usage = value
    return usage


def _read_message(message: Json, into: ChoiceDraft, draft: Draft) -> None:
    thought: Any = None
    for key, value in message.items():
        if not value or key == "role":
            continue
        if key == "content":
            if isinstance(value, list):
                _read_parts(value, into, draft)
            else:
                draft.add_text(into, value)
        elif key in _THOUGHTS:
            # One thought under two names is one thought.
            thought = thought or value
        elif key == "refusal":
            draft.add_refusal(into, value)
        elif key == "tool_calls" and isinstance(value, list):
            for call in value:
                if isinstance(call, dict):
                    _read_call(call, into, draft)
        elif key == "function_call" and isinstance(value, dict):
            draft.add_tool(into, 0, None, value.get("name"), value.get("arguments"))
    if thought is not None:
        draft.add_reasoning(into, thought)


def _read_call(call: Json, into: ChoiceDraft, draft: Draft) -> None:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    draft.add_tool(into, call.get("index"), call.get("id"), function.get("name"), function.get("arguments"))


def _read_parts(parts: list[Any], into: ChoiceDraft, draft: Draft) -> None:
    """Read content that comes as typed parts, thinking among them."""
    for part in parts:
        if not isinstance(part, dict):
            continue
        thinking = part.get("thinking")
        if isinstance(thinking, list):
            for piece in thinking:
                draft.add_reasoning(into, piece.get("text") if isinstance(piece, dict) else piece)
        elif thinking:
            draft.add_reasoning(into, thinking)
        else:
            draft.add_text(into, part.get("text"))


def _count_logprobs(logprobs: Json, draft: Draft) -> None:
    content, tokens = logprobs.get("content"), logprobs.get("tokens")
    refusal = logprobs.get("refusal")
    if isinstance(content, list) or isinstance(refusal, list):
        count = sum(len(part) for part in (content, refusal) if isinstance(part, list))
        draft.tally.state(CountSource.LOGPROBS, draft.event, count)
    elif isinstance(tokens, list):
        draft.tally.state(CountSource.LEGACY_LOGPROBS, draft.event, len(tokens))
