"""The journal of items: append-only JSON lines, synced to disk before an item counts as done.

A process killed at any moment leaves a valid shorter journal: at worst the last line is torn, and a torn
line is skipped by every reader.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter

from joulemark.record.errors import InputError
from joulemark.record.item import Chunk, Item, ItemRow, LocalTexts, Verdict
from joulemark.runs.layout import permissions
from joulemark.telemetry.line_file import LineFile

_LAST_NS = 2**62
_ITEM = TypeAdapter(Item)
_TEXTS = TypeAdapter(LocalTexts)
_CHUNKS = TypeAdapter(list[tuple[int, int | None, bool]])


class ItemJournal:
    """Appends item rows to a file. `append` and `extend` return after the rows are on the disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._lines = LineFile(path, permissions=permissions(path))
        except OSError as error:
            raise self._refused(error) from error

    def append(self, row: ItemRow) -> None:
        """Write one row; raises `InputError` when the disk is full (rows before it are safe)."""
        self.extend([row])

    def extend(self, rows: Sequence[ItemRow]) -> None:
        """Write rows and wait for the disk once; raises as `append` does, and then none of them counts."""
        try:
            for row in rows:
                self._lines.append(orjson.dumps(_encode(row), option=orjson.OPT_APPEND_NEWLINE))
            self._lines.sync()
        except OSError as error:
            self._lines.give_up()  # a row whose loss was reported must not turn up later
            raise self._refused(error) from error

    def close(self) -> None:
        """Close the file."""
        # Every row was synced when it was appended; what fails now is the end of a row that was given up.
        with contextlib.suppress(OSError):
            self._lines.close()

    def _refused(self, error: OSError) -> InputError:
        return InputError(
            f"{self._path} cannot be written",
            why=error.strerror or str(error),
            fix="free some space, then run the same command again: it goes on after the last stored item",
        )


def read_items(path: Path) -> tuple[list[ItemRow], int]:
    """Return the rows of a journal and the number of lines that could not be read.

    Raises `InputError` for an answer whose verdict and correctness contradict each other.
    """
    rows: list[ItemRow] = []
    unreadable = 0
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return [], 0
    for line in data.split(b"\n"):
        if not line:
            continue
        try:
            rows.append(_decode(orjson.loads(line)))
        except (ValueError, TypeError, KeyError):
            unreadable += 1
    return rows, unreadable


def _encode(row: ItemRow) -> dict[str, Any]:
    item = asdict(row.item)
    chunks = [[chunk.t_ns, chunk.tokens, chunk.coalesced] for chunk in row.chunks]
    return {"item": item, "chunks": chunks, "texts": asdict(row.texts) if row.texts else None}


def _decode(line: dict[str, Any]) -> ItemRow:
    """Return the row of a line; raises ``ValueError``, ``TypeError`` or ``KeyError`` where it is none."""
    item = _ITEM.validate_python(line["item"])
    chunks = tuple(Chunk(*chunk) for chunk in _CHUNKS.validate_python(line["chunks"]))
    _require_plausible(item, chunks)
    _require_one_verdict(item)
    texts = None if line["texts"] is None else _TEXTS.validate_python(line["texts"])
    return ItemRow(item, chunks, texts)


def _require_one_verdict(item: Item) -> None:
    """Raise `InputError` where an answer is graded twice: leaving it out would change the accuracy too."""
    correct = item.verdict is Verdict.CORRECT
    if item.verdict is None or item.correct is None or item.correct is correct:
        return
    raise InputError(
        "the journal of answers contradicts itself",
        why=f"{item.item_id!r} has the verdict {item.verdict.value!r} and is "
        f"{'' if item.correct else 'not '}correct, which no run writes",
        fix="the journal was edited; measure again into another directory with --out DIR",
    )


def _require_plausible(item: Item, chunks: Sequence[Chunk]) -> None:
    stamps = [t for t in (item.t_sent, item.t_end, item.t_first, item.t_first_answer) if t is not None]
    if not all(0 <= t <= _LAST_NS for t in stamps) or item.t_end < item.t_begin or item.segment < 0:
        raise ValueError("stamps out of range or out of order")
    counts = (item.prompt_tokens, item.cached_tokens, item.reasoning_tokens, item.completion_tokens)
    if any(count is not None and count < 0 for count in counts):
        raise ValueError("a negative number of tokens")
    if any(chunk.tokens is not None and chunk.tokens < 0 for chunk in chunks):
        raise ValueError("a negative number of tokens")
