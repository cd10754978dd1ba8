"""The timeline: the readings of a run as arrays, one track a segment and source.

Numbers only, no files but the journal; parquet belongs to ``runs``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from joulemark.record.telemetry import Reading
from joulemark.telemetry.journal import JournalReader
from joulemark.telemetry.row_flags import LOST, row_flags
from joulemark.telemetry.wire import MARKER_SOURCE, SAMPLER_LOST

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Series:
    """One quantity of one source, in order of time; all arrays have one entry a reading that held it.

    The value belongs to some instant in ``[begin_ns, t_ns]`` (the read's start and end, monotonic ns).
    ``flag_bits`` has bit i set for the track's ``flag_names[i]``.
    """

    t_ns: Ints
    begin_ns: Ints
    value: Floats
    flag_bits: Ints

    def __len__(self) -> int:
        return len(self.t_ns)

    def only(self, held: Ints) -> Series:
        """Return the readings at the indices ``held``, which ascend.

        The flags of readings that are left out pass to the next one that is held, so that none is overlooked:
        a flag speaks of the time before its reading.
        """
        if len(held) == len(self):
            return self
        bits = held
        if len(held):
            starts = np.concatenate(([0], held[:-1] + 1))
            bits = np.bitwise_or.reduceat(self.flag_bits[: held[-1] + 1], starts)
        return Series(self.t_ns[held], self.begin_ns[held], self.value[held], bits)


@dataclass(frozen=True, slots=True)
class Track:
    """All readings of one source in one segment, in order of time.

    ``values`` holds NaN where a reading lacked the quantity. `row_flags` says what is in ``flag_bits``.
    """

    t_ns: Ints
    begin_ns: Ints
    values: dict[str, Floats]
    flag_bits: Ints
    flag_names: tuple[str, ...]

    def series(self, quantity: str) -> Series:
        """Return the readings that held ``quantity``; empty when none did."""
        column = self.values.get(quantity)
        if column is None:
            empty = np.empty(0, np.int64)
            return Series(empty, empty, np.empty(0), empty)
        every = Series(self.t_ns, self.begin_ns, column, self.flag_bits)
        return every.only(np.flatnonzero(~np.isnan(column)))

    def flags_of(self, bits: int) -> tuple[str, ...]:
        """Return the names of the flags in ``bits``."""
        return tuple(name for i, name in enumerate(self.flag_names) if bits >> i & 1)

    def lost_after(self, t_ns: int) -> bool:
        """Tell whether the source was reported lost at or after ``t_ns``."""
        if LOST not in self.flag_names:
            return False
        bit = 1 << self.flag_names.index(LOST)
        return bool(np.any(self.flag_bits[np.searchsorted(self.t_ns, t_ns) :] & bit))


@dataclass(slots=True)
class Timeline:
    """The tracks of a run by (segment, source name).

    ``sampler_lost_ns`` lists, a segment, when the sampler was found to have been gone. ``skipped_lines``
    counts the lines of the journal that could not be read.
    """

    tracks: dict[tuple[int, str], Track]
    sampler_lost_ns: dict[int, list[int]] = field(default_factory=dict)
    skipped_lines: int = 0
    prepared: dict[tuple[object, ...], object] = field(default_factory=dict, repr=False)

    @classmethod
    def from_readings(cls, readings: Iterable[Reading]) -> Timeline:
        """Sort readings into tracks. Order within a track is that of ``t_ns``."""
        rows: dict[tuple[int, str], list[Reading]] = {}
        lost: dict[int, list[int]] = {}
        for reading in readings:
            if reading.source != MARKER_SOURCE:
                rows.setdefault((reading.segment, reading.source), []).append(reading)
            elif SAMPLER_LOST in reading.flags:
                lost.setdefault(reading.segment, []).append(reading.t_ns)
        return cls({key: _track(track) for key, track in rows.items()}, lost)

    @classmethod
    def from_journal(cls, path: Path) -> Timeline:
        """Read a journal; torn lines are skipped and counted. Raises ``OSError``."""
        reader = JournalReader(path)
        timeline = cls.from_readings(reader)
        timeline.skipped_lines = reader.skipped
        return timeline

    def sources(self, segment: int) -> tuple[str, ...]:
        """Return the names of the sources that were read in ``segment``."""
        return tuple(name for at, name in self.tracks if at == segment)

    def track(self, segment: int, source: str) -> Track | None:
        """Return a track, null when the source was never read in ``segment``."""
        return self.tracks.get((segment, source))

    def series(self, segment: int, source: str, quantity: str) -> Series | None:
        """Return the readings of one quantity; null when there is none."""
        track = self.track(segment, source)
        series = track.series(quantity) if track is not None else None
        return series if series is not None and len(series) else None

    def sampler_lost_after(self, segment: int, t_ns: int) -> bool:
        """Tell whether the sampler was found gone at or after ``t_ns``."""
        return any(lost_ns >= t_ns for lost_ns in self.sampler_lost_ns.get(segment, ()))


def _track(rows: list[Reading]) -> Track:
    rows = sorted(rows, key=lambda row: row.t_ns)
    t_ns = np.fromiter((row.t_ns for row in rows), np.int64, len(rows))
    read_ns = np.fromiter((row.read_ns for row in rows), np.int64, len(rows))
    names: dict[str, int] = {}
    bits = np.zeros(len(rows), np.int64)
    values: dict[str, Floats] = {}
    for i, row in enumerate(rows):
        bits[i] = row_flags(row, names)
        for quantity, value in row.values.items():
            if quantity not in values:
                values[quantity] = np.full(len(rows), np.nan)
            values[quantity][i] = value
    return Track(t_ns, t_ns - read_ns, values, bits, tuple(names))
