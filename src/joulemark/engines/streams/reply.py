"""A reply as it was read: what was answered, what it cost in tokens, and when each event came."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from joulemark.engines.streams.fault import Fault
from joulemark.engines.streams.tools import ToolCall
from joulemark.engines.streams.usage import Usage
from joulemark.record.item import Chunk


class Event(NamedTuple):
    """One JSON event of the stream.

    ``t_ns`` is the stamp of the read that completed it. ``coalesced``: it came in the same read as the
    event before. ``tokens`` is its exact count or null; ``output``: it carried generated output.
    """

    t_ns: int
    coalesced: bool
    tokens: int | None
    output: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """Everything that one response body says. Stamps are monotonic ns of the client; counts are tokens.

    ``text`` is the visible answer of the first choice, ``choices`` those of all where there are several.
    ``ok`` and ``error``: whether the exchange as a whole worked; ``done_marker``: ``[DONE]`` was seen.
    Event indices count JSON events from 0: ``first_token_event`` is the first with any generated token,
    ``first_output_event`` the first with answer text, a tool call or a refusal. ``tokens_per_event`` is
    null unless the stream states it exactly; ``token_source`` says where the total came from.
    ``visible_completion`` is the count without hidden thinking, where the server left that out of
    ``completion``. ``suspect`` lists disagreements, which are flagged and never repaired.
    ``media_units`` is how many pictures or videos were made, where an answer says so.
    ``t_first``/``t_first_answer`` are null where the answer was not streamed.
    """

    text: str
    reasoning: str
    tool_calls: tuple[ToolCall, ...]
    choices: tuple[str, ...]
    refusal: str | None
    finish_reason: str | None
    done_marker: bool
    ok: bool
    error: Fault | None
    usage: Usage | None
    token_source: str | None
    first_token_event: int | None
    first_output_event: int | None
    tokens_per_event: tuple[int, ...] | None
    suspect: tuple[str, ...]
    visible_completion: int | None
    timings: dict[str, float] | None
    server_ns: dict[str, int] | None
    server_s: dict[str, float] | None
    cost: float | None
    media_units: int | None
    streamed: bool
    events: tuple[Event, ...]
    t_first: int | None
    t_first_answer: int | None
    t_end: int

    @property
    def engine_ns(self) -> dict[str, int]:
        """What the engine itself says of its time in ns: ``load``, ``prefill``, ``decode``, where it does."""
        if self.server_ns is not None:
            return self.server_ns
        stated = self.timings or {}
        found = {
            part: stated.get(name) for part, name in (("prefill", "prompt_ms"), ("decode", "predicted_ms"))
        }
        return {part: round(ms * 1e6) for part, ms in found.items() if ms is not None}

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The events that carried generated output; coalesced where the chunk before has the same read."""
        chunks: list[Chunk] = []
        in_read = False
        for event in self.events:
            in_read = in_read and event.coalesced
            if event.output:
                chunks.append(Chunk(event.t_ns, event.tokens, in_read))
                in_read = True
        return tuple(chunks)

    @property
    def completion_tokens(self) -> int | None:
        """All generated tokens: the stated total, else the sum of the events' exact counts."""
        if self.usage is not None and self.usage.completion is not None:
            return self.usage.completion
        return None if self.tokens_per_event is None else sum(self.tokens_per_event)


def reply_json(reply: Reply) -> dict[str, Any]:
    """Return the reply as JSON values; fields that rarely apply are there only where they do."""
    shown: dict[str, Any] = {
        "text": reply.text,
        "reasoning": reply.reasoning,
        "tool_calls": [asdict(call) for call in reply.tool_calls],
        "finish_reason": reply.finish_reason,
        "done_marker": reply.done_marker,
        "ok": reply.ok,
        "error": None if reply.error is None else asdict(reply.error),
        "usage": None if reply.usage is None else asdict(reply.usage),
        "first_token_event": reply.first_token_event,
        "first_output_event": reply.first_output_event,
        "tokens_per_event": None if reply.tokens_per_event is None else list(reply.tokens_per_event),
        "token_source": reply.token_source,
    }
    extras = {
        "choices": list(reply.choices) or None,
        "refusal": reply.refusal,
        "timings": reply.timings,
        "server_ns": reply.server_ns,
        "server_s": reply.server_s,
        "cost": reply.cost,
        "media_units": reply.media_units,
        "visible_completion": reply.visible_completion,
        "suspect": list(reply.suspect) or None,
        "streamed": None if reply.streamed else False,
    }
    shown.update((name, value) for name, value in extras.items() if value is not None)
    return shown
