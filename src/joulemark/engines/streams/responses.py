"""OpenAI's Responses API: typed events, of which only the deltas add text."""

from __future__ import annotations

from joulemark.engines.streams.decode import Json
from joulemark.engines.streams.draft import ChoiceDraft, Draft
from joulemark.engines.streams.fault import Fault, declared_fault

_ENDED = frozenset({"response.completed", "response.incomplete", "response.failed"})


def read_event(obj: Json, draft: Draft) -> None:
    """Read one ``response.…`` event. The ``….done`` events repeat what the deltas said."""
    choice = draft.choice(0)
    kind: str = obj["type"]
    match kind:
        case "response.output_text.delta":
            draft.add_text(choice, obj.get("delta"))
        case (
            "response.reasoning_text.delta"
            | "response.reasoning_summary_text.delta"
            | "response.reasoning.delta"
            | "response.reasoning_summary.delta"
        ):
            draft.add_reasoning(choice, obj.get("delta"))
        case "response.refusal.delta":
            draft.add_refusal(choice, obj.get("delta"))
        case "response.output_item.added":
            item = obj.get("item")
            if isinstance(item, dict) and item.get("type") == "function_call":
                index, name = obj.get("output_index"), item.get("name")
                draft.add_tool(choice, index, item.get("call_id"), name, item.get("arguments"))
        case "response.function_call_arguments.delta":
            draft.add_tool(choice, obj.get("output_index"), None, None, obj.get("delta"))
        case "response.error":
            draft.fail(declared_fault(obj, b"error") or Fault("error event"))
    if kind in _ENDED:
        draft.closed = True
        response = obj.get("response")
        _end(response if isinstance(response, dict) else {}, kind, choice, draft)


def read_response(obj: Json, draft: Draft) -> None:
    """Read a whole answer (``object: response``)."""
    choice = draft.choice(0)
    _read_output(obj, choice, draft)
    status = obj.get("status")
    _end(obj, f"response.{status if isinstance(status, str) else 'completed'}", choice, draft)


def _read_output(response: Json, choice: ChoiceDraft, draft: Draft) -> None:
    output = response.get("output")
    for index, item in enumerate(output if isinstance(output, list) else ()):
        if not isinstance(item, dict):
            continue
        if item.get("type") == "function_call":
            draft.add_tool(choice, index, item.get("call_id"), item.get("name"), item.get("arguments"))
        thinking = item.get("type") == "reasoning"
        for key in ("summary", "content"):
            parts = item.get(key)
            for part in parts if isinstance(parts, list) else ():
                if not isinstance(part, dict):
                    continue
                if thinking:
                    draft.add_reasoning(choice, part.get("text"))
                else:
                    draft.add_text(choice, part.get("text"))
                    draft.add_refusal(choice, part.get("refusal"))


def _end(response: Json, kind: str, choice: ChoiceDraft, draft: Draft) -> None:
    usage = response.get("usage")
    if isinstance(usage, dict):
        draft.report_usage(usage)
    elif usage is not None:
        draft.complain("usage is no object")
    if kind == "response.failed":
        draft.fail(declared_fault(response, b"") or Fault("the response failed"))
        return
    if not draft.outputs:
        # A proxy that swallowed the deltas: the text is known, though not when it came.
        _read_output(response, choice, draft)
    if kind == "response.incomplete":
        details = response.get("incomplete_details")
        draft.end(choice, (details.get("reason") if isinstance(details, dict) else None) or "incomplete")
    elif kind == "response.completed":
        draft.end(choice, "tool_calls" if choice.tools is not None else "stop")
    else:
        draft.end(choice, kind.removeprefix("response."))
