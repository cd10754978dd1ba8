"""Whether an exchange worked. HTTP 200 says little: errors come inside streams, and streams break off."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.engines.streams.draft import Draft
from joulemark.engines.streams.fault import Fault

CUT = "stream cut"
NO_TOKEN = "stream without a token"
NO_STREAM = "not an event stream"
EMPTY = "empty response body"

_TRANSPORT = {
    "cut": CUT,
    "reset": "connection reset",
    "refused": "connection refused",
    "stall": "stream stalled",
    "timeout": "timed out",
    "too_large": "response too large",
    "tls": "TLS failed",
    "dns": "host name not found",
    "bad_http": "not valid HTTP",
}
_SHOWN_BYTES = 200


@dataclass(frozen=True, slots=True)
class Ending:
    """How the exchange ended, apart from what its events say.

    ``cut``: the last event is a part of one; ``blank``: there were no bytes but white space; ``head``: the
    first bytes, to show where nothing could be read.
    """

    status: int | None
    transport_error: str | None
    done: bool
    cut: bool
    blank: bool
    head: bytes


def judge(draft: Draft, ending: Ending, *, n_events: int, streamed: bool) -> Fault | None:
    """Return why the exchange failed; null where it did not."""
    status = ending.status
    refused = status is not None and status >= 400
    if draft.fault is not None:
        if refused and draft.fault.code is None:
            return Fault(draft.fault.message, status)
        return draft.fault
    if refused:
        shown = ending.head[:_SHOWN_BYTES].decode(errors="replace").strip()
        return Fault(f"HTTP {status}: {shown}" if shown else f"HTTP {status}", status)
    finished = bool(draft.choices) and all(c.finish is not None for c in draft.choices.values())
    complete = ending.done or draft.closed or (finished and not ending.cut)
    if ending.transport_error is not None:
        if not complete:
            code = ending.transport_error
            return Fault(_TRANSPORT.get(code, code), code)
        draft.complain(f"transport error after the answer: {ending.transport_error}")
    if not streamed:
        broken = CUT if ending.cut else "no answer in the response body"
        return None if draft.outputs or finished else Fault(broken)
    if not complete:
        return _incomplete(ending, n_events)
    if not draft.outputs and not finished:
        return Fault(NO_TOKEN)
    return None


def _incomplete(ending: Ending, n_events: int) -> Fault:
    if ending.blank:
        return Fault(EMPTY)
    return Fault(CUT if n_events or ending.cut else NO_STREAM)
