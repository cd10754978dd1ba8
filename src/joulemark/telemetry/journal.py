"""The telemetry journal: append-only JSON lines, one a `Reading`, that survive a killed writer.

The writer only ever appends whole lines; after a failed write (full disk) it keeps the rest in memory and
goes on at the same byte, so what was written before stays readable and no line is torn. The reader skips
what it cannot parse and counts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from joulemark.record.telemetry import Reading
from joulemark.telemetry.line_file import LineFile

MAX_PENDING_BYTES = 16 * 1024 * 1024
"""How much is kept in memory while the disk takes nothing; rows beyond it are dropped and counted."""


def encode_reading(reading: Reading) -> bytes:
    """Return the line of ``reading`` with its newline; fields at their default are left out."""
    row: dict[str, object] = {
        "segment": reading.segment,
        "t_ns": reading.t_ns,
        "source": reading.source,
        "scope": reading.scope,
    }
    if reading.values:
        row["values"] = reading.values
    if reading.read_ns:
        row["read_ns"] = reading.read_ns
    if reading.t_driver_ns is not None:
        row["t_driver_ns"] = reading.t_driver_ns
    if reading.flags:
        row["flags"] = reading.flags
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def decode_reading(line: bytes) -> Reading:
    """Return the reading of a line. Raises ``ValueError`` for anything that is not one."""
    row = orjson.loads(line)
    if not isinstance(row, dict):
        raise ValueError("a telemetry line is an object")
    values, flags, t_driver_ns = row.get("values", {}), row.get("flags", []), row.get("t_driver_ns")
    if not (isinstance(values, dict) and isinstance(flags, list) and isinstance(t_driver_ns, int | None)):
        raise ValueError("a telemetry line of another shape")
    try:
        return Reading(
            segment=_integer(row["segment"]),
            t_ns=_integer(row["t_ns"]),
            source=_text(row["source"]),
            scope=_text(row["scope"]),
            values={name: float(value) for name, value in values.items()},
            read_ns=_integer(row.get("read_ns", 0)),
            t_driver_ns=t_driver_ns,
            flags=tuple(_text(flag) for flag in flags),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"a telemetry line of another shape: {error}") from error


def _integer(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is no integer")
    return value


def _text(value: object) -> str:
    if type(value) is not str:
        raise TypeError(f"{value!r} is no text")
    return value


class TelemetryJournal:
    """The writing end. One process, one thread of it. An edge read must not wait for a disk, see `sync_soon`.

    ``dropped`` counts the rows that neither disk nor memory took.
    """

    def __init__(self, path: Path) -> None:
        """Open or go on with ``path``. Raises ``OSError``."""
        self._lines = LineFile(path)
        self.dropped = 0

    def append(self, readings: Iterable[Reading]) -> None:
        """Write the rows in one go. Raises ``OSError`` when the disk is full; they are kept for later."""
        lines = bytearray()
        for reading in readings:
            line = encode_reading(reading)
            if self._lines.pending_bytes + len(lines) + len(line) > MAX_PENDING_BYTES:
                self.dropped += 1
            else:
                lines += line
        self._lines.append(lines)

    def sync_soon(self) -> None:
        """Have what was written forced to the disk, without waiting."""
        self._lines.sync_soon()

    def close(self) -> None:
        """Write and force everything, then close. Raises ``OSError`` after closing when that failed."""
        self._lines.close()


@dataclass(slots=True)
class JournalReader:
    """Iterates over the readings of a journal; ``skipped`` counts the lines that were none."""

    path: Path
    skipped: int = field(default=0, init=False)

    def __iter__(self) -> Iterator[Reading]:
        self.skipped = 0
        with self.path.open("rb") as lines:
            for line in lines:
                if line == b"\n":
                    continue
                try:
                    yield decode_reading(line)
                except ValueError:
                    self.skipped += 1
