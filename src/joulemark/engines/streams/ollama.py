"""Ollama's native API: a JSON object a line, durations in nanoseconds."""

from __future__ import annotations

from joulemark.engines.streams.decode import Json
from joulemark.engines.streams.draft import Draft
from joulemark.engines.streams.usage import Usage, measure, token_count

EVAL_COUNT = "eval_count"
_DURATIONS = (
    ("load", "load_duration"),
    ("prefill", "prompt_eval_duration"),
    ("decode", "eval_duration"),
)


def read_ollama(obj: Json, draft: Draft) -> None:
    """Read a line of ``/api/chat`` or ``/api/generate``; ``done: true`` closes."""
    choice = draft.choice(0)
    message = obj.get("message")
    source = message if isinstance(message, dict) else obj
    draft.add_text(choice, source.get("content") if source is message else obj.get("response"))
    draft.add_reasoning(choice, source.get("thinking"))
    calls = source.get("tool_calls")
    if isinstance(calls, list):
        for call in calls:
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                draft.add_tool(choice, None, call.get("id"), function.get("name"), function.get("arguments"))
    if obj.get("done") is True:
        draft.end(choice, obj.get("done_reason") or "stop")
        draft.closed = True
        completion = token_count(obj.get("eval_count"), EVAL_COUNT, draft.complain)
        # A prompt that was cached whole has no count in the answer: that is unknown, not 0.
        prompt = token_count(obj.get("prompt_eval_count"), "prompt_eval_count", draft.complain)
        cached = token_count(obj.get("prompt_eval_cached_count"), "prompt_eval_cached_count", draft.complain)
        if completion is not None or prompt is not None:
            draft.native = (EVAL_COUNT, Usage(prompt, completion, cached))
        durations = {name: measure(obj.get(key)) for name, key in _DURATIONS}
        draft.server_ns = {name: ns for name, ns in durations.items() if isinstance(ns, int)} or None
