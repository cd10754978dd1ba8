"""The journal of items: append-only JSON lines, synced to disk before an item counts as done.

A process killed at any moment leaves a valid shorter journal: at worst the last line is torn, and a torn
line is skipped by every reader.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from joulemark.record.errors import InputError
from joulemark.record.item import Attempt, Chunk, Item, ItemRow, LocalTexts, Verdict


class ItemJournal:
    """Appends item rows to a file. `append` returns after the row is on the disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
        except OSError as error:
            raise self._refused(error) from error
        self._end_torn_line()

    def append(self, row: ItemRow) -> None:
        """Write one row; raises `InputError` when the disk is full (rows before it are safe)."""
        line = orjson.dumps(_encode(row)) + b"\n"
        try:
            written = os.write(self._fd, line)
            if written != len(line):
                os.write(self._fd, b"\n")
                raise OSError(28, os.strerror(28))
            os.fsync(self._fd)
        except OSError as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)

    def _end_torn_line(self) -> None:
        size = os.fstat(self._fd).st_size
        if size and os.pread(self._fd, 1, size - 1) != b"\n":
            os.write(self._fd, b"\n")

    def _refused(self, error: OSError) -> InputError:
        return InputError(
            f"{self._path} cannot be written",
            why=error.strerror or str(error),
            fix="free some space, then run the same command again: it goes on after the last stored item",
        )


def read_items(path: Path) -> tuple[list[ItemRow], int]:
    """Return the rows of a journal and the number of lines that could not be read."""
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
    fields = dict(line["item"])
    fields["attempts"] = tuple(Attempt(**attempt) for attempt in fields["attempts"])
    fields["verdict"] = Verdict(fields["verdict"]) if fields["verdict"] else None
    fields["span"] = tuple(fields["span"]) if fields["span"] else None
    fields["suspect"] = tuple(fields["suspect"])
    chunks = tuple(Chunk(t, tokens, coalesced) for t, tokens, coalesced in line["chunks"])
    texts = LocalTexts(**line["texts"]) if line["texts"] else None
    return ItemRow(Item(**fields), chunks, texts)
