"""An answer as a line of a bundle. Stamps are nanoseconds from the start of the answer's segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any

from pydantic import TypeAdapter

from joulemark.bundles.submission.canonical import canonical, parse
from joulemark.record.item import Attempt, Chunk, Item, ItemRow

_STAMPS = ("t_sent", "t_end", "t_scheduled", "t_first", "t_first_answer")
_ITEM = TypeAdapter(Item)
_CHUNKS = TypeAdapter(list[tuple[int, int | None, bool]])
_NEEDED = {one.name for one in fields(Item) if one.default is one.default_factory is MISSING}
_DEFAULTS = asdict(Item("", 0, 0, 0, "", 0, 0))


def item_line(row: ItemRow, starts: Mapping[int, int]) -> bytes:
    """Return the line; ``starts``: each segment's first stamp. What is at its default is left out.

    A chunk is ``[ns since the one before, tokens, coalesced]``. Raises ``ValueError`` for numbers that no
    bundle can hold, ``KeyError`` for a segment that there is not.
    """
    start = starts[row.item.segment]
    line: dict[str, Any] = {
        name: value for name, value in asdict(row.item).items() if name in _NEEDED or value != _DEFAULTS[name]
    }
    for name in _STAMPS:
        if name in line:
            line[name] -= start
    if row.item.attempts:
        line["attempts"] = [_attempt(one, start) for one in row.item.attempts]
    if row.item.verdict is not None:
        line["verdict"] = row.item.verdict.value
    if row.chunks:
        before, chunks = row.item.t_sent, []
        for chunk in row.chunks:
            chunks.append([chunk.t_ns - before, chunk.tokens, chunk.coalesced])
            before = chunk.t_ns
        line["chunks"] = chunks
    return canonical(line)


def row_of(line: bytes, starts: Mapping[int, int]) -> ItemRow:
    """Return the answer of a line. Raises ``ValueError``, ``KeyError`` or ``TypeError`` where it is none."""
    found = parse(line)
    if not isinstance(found, dict):
        raise ValueError("a line is an object")
    chunks = _CHUNKS.validate_python(found.pop("chunks", []))
    start = starts[_integer(found["segment"])]
    for name in _STAMPS:
        if name in found:
            found[name] = _integer(found[name]) + start
    for one in found.get("attempts", ()):
        one["t_sent"], one["t_end"] = _integer(one["t_sent"]) + start, _integer(one["t_end"]) + start
    item = _ITEM.validate_python(found)
    at, read = item.t_sent, []
    for since_ns, tokens, coalesced in chunks:
        at += since_ns
        read.append(Chunk(at, tokens, coalesced))
    return ItemRow(item, tuple(read))


def _attempt(one: Attempt, start: int) -> dict[str, Any]:
    told: dict[str, Any] = {"t_sent": one.t_sent - start, "t_end": one.t_end - start}
    if one.error is not None:
        told["error"] = one.error
    if one.tokens is not None:
        told["tokens"] = one.tokens
    return told


def _integer(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is no integer")
    return value
