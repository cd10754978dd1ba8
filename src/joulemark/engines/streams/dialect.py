"""Which API an event belongs to, told by its keys; every event is looked at for itself."""

from __future__ import annotations

from typing import Any

from joulemark.engines.streams.anthropic import EVENTS as ANTHROPIC_EVENTS
from joulemark.engines.streams.anthropic import read_anthropic
from joulemark.engines.streams.chat import read_choices
from joulemark.engines.streams.decode import Json
from joulemark.engines.streams.draft import Draft
from joulemark.engines.streams.fault import declared_fault, implied_fault
from joulemark.engines.streams.llamacpp import read_native
from joulemark.engines.streams.ollama import read_ollama
from joulemark.engines.streams.responses import read_event, read_response
from joulemark.engines.streams.tgi import read_tgi


def read_object(obj: Any, event: bytes, draft: Draft, *, whole_body: bool = False) -> None:
    """Read one decoded event into ``draft``; what is no object says nothing."""
    if isinstance(obj, dict):
        if "choices" in obj and "error" not in obj and not event:
            read_choices(obj, draft)  # nearly every event of nearly every stream
            return
    elif whole_body and isinstance(obj, list) and obj and isinstance(obj[0], dict):
        obj = obj[0]  # TGI's compatibility route answers with a list of one
    else:
        return
    fault = declared_fault(obj, event)
    if not _read(obj, draft) and fault is None:
        fault = implied_fault(obj, whole_body=whole_body)
    if fault is not None:
        draft.fail(fault)


def _read(obj: Json, draft: Draft) -> bool:
    kind = obj.get("type")
    if "choices" in obj:
        read_choices(obj, draft)
    elif isinstance(kind, str) and kind.startswith("response."):
        read_event(obj, draft)
    elif isinstance(kind, str) and kind in ANTHROPIC_EVENTS:
        read_anthropic(obj, draft)
    elif obj.get("object") == "response":
        read_response(obj, draft)
    elif "token" in obj or "generated_text" in obj:
        read_tgi(obj, draft)
    elif isinstance(obj.get("message"), dict) or "done" in obj or isinstance(obj.get("response"), str):
        read_ollama(obj, draft)
    elif "content" in obj and ("stop" in obj or "tokens_predicted" in obj):
        read_native(obj, draft)
    else:
        return _usage_alone(obj, draft)
    return True


def _usage_alone(obj: Json, draft: Draft) -> bool:
    """Read a closing chunk that dropped its empty ``choices``."""
    usage = obj.get("usage")
    if isinstance(usage, dict):
        draft.hollow.add(draft.event)
        draft.report_usage(usage)
        return True
    return False
