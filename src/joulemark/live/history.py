"""What the sampler wrote, as it grows: the rows of a telemetry journal in columns, one set a source.

The journal of a run is kept; this one belongs to a process that may live for weeks. So what was read is taken
out of the file (its blocks are given back, its length stays), and `forget` drops what nobody will ask for.
"""

from __future__ import annotations

import ctypes
import math
import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from joulemark.record.telemetry import Quantity, Reading
from joulemark.telemetry.journal import decode_reading
from joulemark.telemetry.row_flags import is_lost, row_flags
from joulemark.telemetry.wire import MARKER_SOURCE, SAMPLER_LOST

if TYPE_CHECKING:
    from joulemark.telemetry.timeline import Timeline, Track

SEGMENT = 0
KEPT = frozenset(
    {
        Quantity.ENERGY_J.value,
        Quantity.POWER_W.value,
        Quantity.POWER_AVERAGE_W.value,
        Quantity.POWER_LIMIT_W.value,
        Quantity.MEMORY_USED_MIB.value,
        Quantity.CPU_TIME_NS.value,
        Quantity.RSS_MIB.value,
        Quantity.CPU_BUSY_NS.value,
        Quantity.CPU_STOLEN_NS.value,
        Quantity.CPU_COUNT.value,
    }
)
"""What is asked for of the past; of the other quantities only the last reading is held."""
_CHUNK = 1 << 20
_FIRST_PUNCH = 1 << 20  # below this it is not worth a system call
_KEEP_SIZE_PUNCH_HOLE = 0x01 | 0x02  # FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, linux/falloc.h


@dataclass(slots=True)
class _Column:
    """The rows of one source. ``values`` holds NaN where a row lacked the quantity."""

    t_ns: array[int] = field(default_factory=lambda: array("q"))
    begin_ns: array[int] = field(default_factory=lambda: array("q"))
    bits: array[int] = field(default_factory=lambda: array("q"))
    values: dict[str, array[float]] = field(default_factory=dict)
    flag_names: dict[str, int] = field(default_factory=dict)

    def add(self, row: Reading) -> None:
        held = len(self.t_ns)
        self.t_ns.append(row.t_ns)
        self.begin_ns.append(row.t_ns - row.read_ns)
        self.bits.append(row_flags(row, self.flag_names))
        for quantity in (row.values.keys() & KEPT) - self.values.keys():
            self.values[quantity] = array("d", [math.nan]) * held
        for quantity, column in self.values.items():
            column.append(row.values.get(quantity, math.nan))

    def forget(self, n: int) -> None:
        for stamps in (self.t_ns, self.begin_ns, self.bits):
            del stamps[:n]
        for column in self.values.values():
            del column[:n]


class History:
    """Reads a journal on as it grows. Not for several threads at once."""

    def __init__(self, path: Path) -> None:
        """Open ``path``, which its writer has made. Raises ``OSError``."""
        self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._offset = self._punched = 0
        self._rest = b""
        self._columns: dict[str, _Column] = {}
        self._sampler_lost_ns: list[int] = []
        self.latest: dict[str, Reading] = {}

    def refresh(self) -> None:
        """Take in what was written since; lines that are no readings are left out."""
        if self._fd < 0:
            return
        while data := os.pread(self._fd, _CHUNK, self._offset):
            self._offset += len(data)
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                self._take(line)

    def give_back(self) -> None:
        """Give the file's blocks that were read back to the system, where it can do so."""
        if self._fd >= 0 and self._offset - self._punched >= _FIRST_PUNCH:
            _punch(self._fd, self._offset)
            self._punched = self._offset

    def close(self) -> None:
        """Take in the rest and let go of the file; what was read can still be asked for."""
        self.refresh()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def forget(self, before_ns: int) -> None:
        """Drop the readings before ``before_ns``."""
        for column in self._columns.values():
            column.forget(bisect_left(column.t_ns, before_ns))
        self._sampler_lost_ns = [lost_ns for lost_ns in self._sampler_lost_ns if lost_ns >= before_ns]

    def changed_after(self, source: str, quantity: str, t_ns: int) -> bool:
        """Tell whether two reads of ``quantity`` that began at or after ``t_ns`` differ."""
        values = self._after(source, quantity, t_ns)
        return any(value != values[0] for value in values[1:])

    def last_begin_ns(self, source: str, quantity: str) -> int | None:
        """Return when the last read that gave ``quantity`` began; null where none did."""
        column = self._columns.get(source)
        if column is None or quantity not in column.values:
            return None
        values = column.values[quantity]
        return next(
            (column.begin_ns[i] for i in range(len(values) - 1, -1, -1) if not math.isnan(values[i])), None
        )

    def lost_after(self, source: str, t_ns: int) -> bool:
        """Tell whether the last row of ``source`` says after ``t_ns`` that it is lost."""
        reading = self.latest.get(source)
        return reading is not None and is_lost(reading) and reading.t_ns >= t_ns

    def timeline(self, t0_ns: int, t1_ns: int, margin_ns: Mapping[str, int]) -> Timeline:
        """Return the readings from ``t0_ns`` to ``t1_ns`` and what lies around them.

        The arithmetic needs it: how often a counter changes, what power it shows. ``margin_ns`` says how much
        of it by source; a minute for one that is not in it.
        """
        from joulemark.telemetry.timeline import Timeline

        tracks: dict[tuple[int, str], Track] = {}
        for name, column in self._columns.items():
            margin = margin_ns.get(name, 60_000_000_000)
            a, b = bisect_left(column.t_ns, t0_ns - margin), bisect_right(column.t_ns, t1_ns + margin)
            if a < b:
                tracks[(SEGMENT, name)] = _track(column, a, b)
        return Timeline(tracks, {SEGMENT: list(self._sampler_lost_ns)} if self._sampler_lost_ns else {})

    def _take(self, line: bytes) -> None:
        try:
            row = decode_reading(line)
        except ValueError:
            return
        if row.source == MARKER_SOURCE:
            if SAMPLER_LOST in row.flags:
                self._sampler_lost_ns.append(row.t_ns)
            return
        self._columns.setdefault(row.source, _Column()).add(row)
        self.latest[row.source] = row

    def _after(self, source: str, quantity: str, t_ns: int) -> list[float]:
        column = self._columns.get(source)
        if column is None or quantity not in column.values:
            return []
        values = column.values[quantity]
        first = bisect_left(column.t_ns, t_ns)
        return [
            values[i]
            for i in range(first, len(values))
            if column.begin_ns[i] >= t_ns and not math.isnan(values[i])
        ]


def _track(column: _Column, a: int, b: int) -> Track:
    """Return rows ``a`` to ``b`` in order of time, as arrays of their own."""
    import numpy as np

    from joulemark.telemetry.timeline import Track

    t_ns = np.frombuffer(column.t_ns[a:b], np.int64)
    begin_ns, bits = (np.frombuffer(part[a:b], np.int64) for part in (column.begin_ns, column.bits))
    values = {name: np.frombuffer(part[a:b], np.float64) for name, part in column.values.items()}
    if bool(np.any(np.diff(t_ns) < 0)):
        order = np.argsort(t_ns, kind="stable")
        t_ns, begin_ns, bits = t_ns[order], begin_ns[order], bits[order]
        values = {name: part[order] for name, part in values.items()}
    return Track(t_ns, begin_ns, values, bits, tuple(column.flag_names))


def _punch(fd: int, length: int) -> None:
    """Make the first ``length`` bytes of a file a hole; of no effect where the system cannot."""
    try:
        fallocate = ctypes.CDLL(None, use_errno=True).fallocate
    except (OSError, AttributeError):
        return
    fallocate(fd, _KEEP_SIZE_PUNCH_HOLE, ctypes.c_int64(0), ctypes.c_int64(length))
