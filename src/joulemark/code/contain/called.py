"""What was seen of a call, and the message that tells its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joulemark.code.contain.ended import said
from joulemark.code.inside.plain import MAX_PARTS, MAX_RESULT_DEPTH, Plain, decode
from joulemark.code.inside.wire import MAX_MESSAGE_BYTES
from joulemark.record.code_run import Outcome
from joulemark.record.reason import Reason

Result = tuple[Outcome, tuple[Plain, ...], str]


@dataclass(frozen=True, slots=True)
class Called:
    """What was seen of one call, or of several in one go.

    ``values``: what was returned, by call, up to the first exception; ``outcome`` is that of the last.
    ``cpu_ns``, ``wall_ns``: between start and end, from outside; ``cpu_inside_ns``: as the process says.
    ``cpu_around_ns``: CPU time of the process outside its calls, from its start or from what the call before
    told. ``queued_ns``: how long it, or the one that waited for it, was ready to run and had no processor.
    ``cpu_before_ns``: from being sent its inputs to the start; ``cpu_after_ns``, ``wall_after_ns``,
    ``queued_after_ns``, ``peak_after_bytes``: from the end to the result. Bytes and instructions as in
    `CodeRun`; ``no_instructions`` says why there are none.
    ``memory``: readings of the resident memory meanwhile (monotonic ns, bytes); ``began_ns``: the start then.
    ``flags`` say under what the program ran, as in `CodeRun`.
    """

    outcome: Outcome
    values: tuple[Plain, ...]
    detail: str
    cpu_ns: int
    cpu_inside_ns: int | None
    cpu_around_ns: int
    wall_ns: int
    resident_bytes: int
    peak_bytes: int | None
    n_threads: int
    cpu_before_ns: int | None = None
    cpu_after_ns: int | None = None
    wall_after_ns: int | None = None
    queued_after_ns: int | None = None
    peak_before_bytes: int | None = None
    ended_bytes: int | None = None
    peak_after_bytes: int | None = None
    loaded_bytes: int | None = None
    queued_ns: int | None = None
    instructions: int | None = None
    no_instructions: Reason | None = None
    memory: tuple[tuple[int, int], ...] = ()
    began_ns: int | None = None
    flags: tuple[str, ...] = ()


def announced_sizes(message: Mapping[str, Any], n_calls: int) -> list[int] | None:
    """Return the sizes of results that follow a message as bytes, null where it announces none."""
    sizes = message.get("sizes")
    if message.get("kind") != "returned" or not isinstance(sizes, list) or len(sizes) != n_calls:
        return None
    if any(type(size) is not int or not 0 <= size <= MAX_MESSAGE_BYTES for size in sizes):
        return None
    return sizes if sum(sizes) <= MAX_MESSAGE_BYTES else None


def result_of(message: Mapping[str, Any], n_calls: int) -> Result:
    """Return outcome, values and detail of the message with a result. Never raises, whatever it holds."""
    kind, detail, texts = message.get("kind"), said(message, "detail"), message.get("values")
    if kind == "over_output":
        return Outcome.OVER_OUTPUT, (), detail
    if kind not in ("returned", "raised") or not isinstance(texts, list):
        return Outcome.BROKE_PROTOCOL, (), f"it sent {said(message, 'kind')[:40]!r} in place of its result"
    if len(texts) != n_calls if kind == "returned" else len(texts) > n_calls:
        return Outcome.BROKE_PROTOCOL, (), f"it sent {len(texts)} results of {n_calls}"
    try:
        values = tuple(_value(text) for text in texts)
    except ValueError:
        return Outcome.BROKE_PROTOCOL, (), "its result is no value"
    if kind == "returned":
        return Outcome.RETURNED, values, ""
    return outcome_of(message, Outcome.RAISED), values, detail


def outcome_of(message: Mapping[str, Any], usual: Outcome) -> Outcome:
    """Return the outcome that the type of a raised exception stands for, else ``usual``."""
    raised = message.get("type")
    if raised == "MemoryError":
        return Outcome.OVER_MEMORY
    return Outcome.EXITED if raised in ("SystemExit", "KeyboardInterrupt") else usual


def _value(text: Any) -> Plain:
    if not isinstance(text, str) or not text.isascii():  # honest text is: a wide character makes all wide
        raise ValueError("no text of a value")
    return decode(text, max_parts=MAX_PARTS, max_depth=MAX_RESULT_DEPTH)
