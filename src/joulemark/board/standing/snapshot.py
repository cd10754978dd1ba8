"""All rows of the leaderboard in memory, as of one version of the board: what readers are served from.

A version that has not changed costs one small query. One that has costs that of the rows that changed.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, select

from joulemark.board.database.tables import configurations
from joulemark.board.database.version import board_version
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.row_json import row_of_json

if TYPE_CHECKING:
    from joulemark.board.standing.ranks import Rank
    from joulemark.board.standing.repriced import OwnRates

_BATCH = 500
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``rows`` in the order of their ids; ``updated_at`` by id.

    Columns, tables, ``choices`` and ``ranks`` (by table and figure) are made when first asked for, by
    `joulemark.board.standing.listing` and ``ranks``; two threads that make the same one make the same.
    ``comparable`` are figures that all rows have at one rate (`joulemark.board.standing.repriced`).
    """

    version: int
    rows: tuple[BoardRow, ...]
    updated_at: Mapping[str, str] = field(default_factory=dict)
    ranks: dict[tuple[str, str], dict[int, Rank]] = field(default_factory=dict)
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    comparable: frozenset[str] = frozenset()
    repriced: dict[OwnRates, Snapshot] = field(default_factory=dict)
    _numbers: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    _places: dict[str, int] = field(default_factory=dict)
    _tables: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def column(self, figure: str) -> NDArray[np.float64]:
        """Return the values of a figure, one a row; NaN where it is not known."""
        return self._column(figure, "value")

    def bounds(self, figure: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the ends of a figure's intervals; NaN where there are none."""
        return self._column(figure, "lo"), self._column(figure, "hi")

    def row(self, row_id: str) -> BoardRow | None:
        """Return a row by its id."""
        if not self._places:
            self._places.update({row.id: place for place, row in enumerate(self.rows)})
        place = self._places.get(row_id)
        return None if place is None else self.rows[place]

    def tables(self) -> Mapping[str, tuple[int, ...]]:
        """Return the places of the rows of each table."""
        if not self._tables and self.rows:
            found: dict[str, list[int]] = {}
            for place, row in enumerate(self.rows):
                found.setdefault(row.table, []).append(place)
            self._tables.update({name: tuple(places) for name, places in found.items()})
        return self._tables

    def _column(self, figure: str, part: str) -> NDArray[np.float64]:
        key = f"{figure}.{part}"
        found = self._numbers.get(key)
        if found is None:
            told = (row.figures.get(figure) for row in self.rows)
            values = [None if one is None else getattr(one, part) for one in told]
            found = np.array([np.nan if one is None else one for one in values], dtype=np.float64)
            self._numbers[key] = found
        return found


EMPTY = Snapshot(0, ())
_kept: WeakKeyDictionary[Engine, Snapshot] = WeakKeyDictionary()
_locks: WeakKeyDictionary[Engine, threading.Lock] = WeakKeyDictionary()
_first = threading.Lock()


def snapshot(engine: Engine) -> Snapshot:
    """Return the rows as they are now; what was read before is kept as long as nothing changed."""
    with engine.connect() as connection:
        version = board_version(connection)
        known = _kept.get(engine, EMPTY)
        if known.version == version:
            return known
        with _first:
            lock = _locks.setdefault(engine, threading.Lock())
        with lock:  # one thread reads, the others wait for what it finds
            known = _kept.get(engine, EMPTY)
            if known.version < version:
                known = _read(connection, known)
                _kept[engine] = known
            return known


def _read(connection: Connection, known: Snapshot) -> Snapshot:
    # first the version: rows may be newer than it, and are then read once more the next time
    version = board_version(connection)
    asked = select(configurations.c.id, configurations.c.updated_at)
    stamps: dict[str, str] = {one.id: one.updated_at for one in connection.execute(asked)}
    before = {row.id: row for row in known.rows}
    changed = [row_id for row_id, at in stamps.items() if known.updated_at.get(row_id) != at]
    for start in range(0, len(changed), _BATCH):
        some = changed[start : start + _BATCH]
        of_them = select(configurations.c.id, configurations.c.row).where(configurations.c.id.in_(some))
        for one in connection.execute(of_them):
            try:
                before[one.id] = row_of_json(one.row)
            except (KeyError, TypeError, ValueError):  # one row of another version must not hide all others
                _log.warning("the row of configuration %s cannot be read: rebuild the board's rows", one.id)
                before.pop(one.id, None)
    rows = tuple(before[row_id] for row_id in sorted(stamps) if row_id in before)
    return Snapshot(version, rows, stamps)
