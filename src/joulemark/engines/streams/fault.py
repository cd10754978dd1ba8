"""Error objects in the shapes that servers send inside a stream or as a whole body."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from joulemark.engines.streams.decode import Json, join
from joulemark.engines.streams.frame import Frame

_MESSAGE_KEYS = ("message", "detail", "error", "msg", "description", "reason", "title")
_CODE_KEYS = ("code", "status_code", "error_code", "status")
_SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a reply failed. ``code`` is the server's own (a number or a word) or that of the transport."""

    message: str
    code: int | str | None = None


def declared_fault(obj: Json, event: bytes) -> Fault | None:
    """Return the error that ``obj`` declares by a key, its type or the name of its event."""
    if error := obj.get("error"):
        return _read(obj if error is True else error, obj)
    if event == b"error" or obj.get("object") == "error" or obj.get("type") == "error":
        return _read(obj, obj)
    if (errors := obj.get("errors")) and isinstance(errors, list):
        return _read(errors[0], obj)
    return None


def implied_fault(obj: Json, *, whole_body: bool) -> Fault | None:
    """Return the error in an object that nothing else explains.

    ``{"detail": …}`` is one, and so is a message beside a code; a bare message only as a whole body.
    """
    if obj.get("detail"):
        return _read(obj, obj)
    if isinstance(obj.get("message"), str) and obj["message"]:
        code = _code(obj)
        if whole_body or (code is not None and code not in (0, 200)):
            return _read(obj, obj)
    return None


def bare_fault(obj: Any, frame: Frame) -> Fault | None:
    """Return the error in a payload that came without a data field; anything else there says nothing."""
    if isinstance(obj, dict):
        return declared_fault(obj, frame.event) or implied_fault(obj, whole_body=False)
    return text_fault(frame.data) if frame.event == b"error" else None


def text_fault(data: bytes) -> Fault:
    """Return the fault of an error event whose payload is plain text."""
    return Fault(data.decode(errors="replace").strip()[:_SHOWN_CHARS] or "error event")


def _read(error: Any, outer: Json) -> Fault:
    code = _code(error) if isinstance(error, dict) else None
    try:
        message = join([_message(error)])
    except RecursionError:
        message = "error"
    return Fault(message, code if code is not None else _code(outer))


def _message(error: Any) -> str:
    if isinstance(error, dict):
        for key in _MESSAGE_KEYS:
            value = error.get(key)
            if value and value is not True:
                return _message(value)
    return _words(error)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(v, dict) and "msg" in v for v in value):
        # FastAPI's validation errors: where, and what.
        return "; ".join(
            ".".join(str(p) for p in v["loc"]) + f": {v['msg']}"
            if isinstance(v.get("loc"), list)
            else str(v["msg"])
            for v in value
        )
    return json.dumps(value)[:_SHOWN_CHARS]


def _code(obj: Json) -> int | str | None:
    for key in _CODE_KEYS:
        value = obj.get(key)
        if isinstance(value, str) and value and key != "status":
            return join([value])
        if type(value) is int and abs(value) < 2**31:
            return value
    return None
