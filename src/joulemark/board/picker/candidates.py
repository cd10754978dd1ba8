"""The candidates of a board in memory, as of one version: what every question of the picker is answered from.

A version that has not changed costs one small query; one that has, the rows that changed.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Text, cast, select

from joulemark.board.database.tables import configurations, published_rows
from joulemark.board.database.version import board_version
from joulemark.board.picker.candidate_json import of_text
from joulemark.metrics.picking import Candidate, Columns, columns, published_candidate
from joulemark.metrics.picking.draws import Variates
from joulemark.metrics.published_points import published_point
from joulemark.record.manifest import Rates
from joulemark.record.published import PublishedRow

_BATCH = 500
MOST_BYTES = 96 << 20  # of draws that are kept: those of some two thousand rows
_log = logging.getLogger(__name__)


class KeptDraws(MutableMapping[int, Variates]):
    """Draws of the rows that were asked for, up to `MOST_BYTES`; the longest kept are given up first."""

    def __init__(self) -> None:
        self._kept: dict[int, Variates] = {}
        self._size = 0
        self._lock = threading.Lock()

    def __getitem__(self, place: int) -> Variates:
        return self._kept[place]

    def __setitem__(self, place: int, drawn: Variates) -> None:
        with self._lock:
            self._size += drawn.size_bytes
            if (before := self._kept.pop(place, None)) is not None:
                self._size -= before.size_bytes
            self._kept[place] = drawn
            while self._size > MOST_BYTES:
                self._size -= self._kept.pop(next(iter(self._kept))).size_bytes

    def __delitem__(self, place: int) -> None:
        with self._lock:
            self._size -= self._kept.pop(place).size_bytes

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._kept))

    def __len__(self) -> int:
        return len(self._kept)


@dataclass(frozen=True, slots=True)
class Among:
    """Candidates of one rung of trust and above. ``ids`` are their configurations by row, ``rungs`` by id."""

    columns: Columns
    ids: tuple[str, ...]
    rungs: Mapping[str, int]
    draws: KeptDraws = field(default_factory=KeptDraws)

    def values(self, name: str) -> list[str]:
        """Return what the candidates have for ``hardware``, ``model`` or ``task``, sorted."""
        return sorted({text for text in self.columns.named[name].distinct if text})


@dataclass(frozen=True, slots=True)
class Candidates:
    """All candidates of a version with the rung and the time of each; `among` chooses by the rung."""

    version: int
    by_id: Mapping[str, Candidate] = field(default_factory=dict)
    rungs: Mapping[str, int] = field(default_factory=dict)
    updated_at: Mapping[str, str] = field(default_factory=dict)
    _among: dict[int, Among] = field(default_factory=dict)
    _earlier: Mapping[int, Among] = field(default_factory=dict)

    @property
    def latest(self) -> Mapping[int, Among]:
        """What was made of this version, by rung."""
        return dict(self._among)

    def among(self, rung: int = 0) -> Among:
        """Return the candidates of a rung and above; two threads that make the same make it alike."""
        found = self._among.get(rung)
        if found is None:
            ids = tuple(sorted(one for one in self.by_id if self.rungs[one] >= rung))
            found = Among(columns([self.by_id[one] for one in ids]), ids, self.rungs)
            if (earlier := self._earlier.get(rung)) is not None:
                _carry(earlier, found)
            self._among[rung] = found
        return found


def _carry(earlier: Among, to: Among) -> None:
    """Keep the draws of rows that are as they were: they cost more than all else of an answer."""
    places = {one: place for place, one in enumerate(to.ids)}
    for before in earlier.draws:
        place = places.get(earlier.ids[before])
        if place is None:
            continue
        old, new = earlier.columns.candidates[before], to.columns.candidates[place]
        same = old.model is new.model and old.point.accuracy is new.point.accuracy
        if same and old.point.label == new.point.label and (own := earlier.draws.get(before)) is not None:
            to.draws[place] = own


_kept: WeakKeyDictionary[Engine, Candidates] = WeakKeyDictionary()
_lock = threading.Lock()


def candidates(engine: Engine) -> Candidates:
    """Return the candidates as they are now; what was read before is kept as long as nothing changed."""
    with engine.connect() as connection:
        version = board_version(connection)
        known = _kept.get(engine)
        if known is not None and known.version == version:
            return known
        with _lock:  # one thread reads, the others wait for what it finds
            known = _kept.get(engine) or Candidates(-1)
            if known.version < version:
                known = _read(connection, known)
                _kept[engine] = known
            return known


def _read(connection: Connection, known: Candidates) -> Candidates:
    # first the version: rows may be newer than it, and are then read once more the next time
    version = board_version(connection)
    stamped = connection.execute(select(configurations.c.id, configurations.c.updated_at)).all()
    stamps = {row.id: row.updated_at for row in stamped}
    changed = [one for one, at in stamps.items() if known.updated_at.get(one) != at]
    by_id = {one: made for one, made in known.by_id.items() if one in stamps}
    rungs = dict(known.rungs)
    rung = configurations.c.row["rung"].as_integer()
    for start in range(0, len(changed), _BATCH):
        some = changed[start : start + _BATCH]
        asked = select(
            configurations.c.id,
            rung,
            cast(configurations.c.candidate, Text),
            cast(published_rows.c.row, Text),
        ).outerjoin(published_rows, published_rows.c.id == configurations.c.id)
        for one, stands_at, candidate, published in connection.execute(
            asked.where(configurations.c.id.in_(some))
        ):
            by_id.pop(one, None)
            rungs[one] = stands_at or 0
            found = _candidate(candidate, published)
            if found is not None:  # by this name it is called apart from others, and linked
                point = replace(found.point, origin=one[:12], config_hash=one)
                by_id[one] = replace(found, point=point)
    return Candidates(version, by_id, {one: rungs[one] for one in by_id}, stamps, {}, known.latest)


def _candidate(candidate: str | None, published: str | None) -> Candidate | None:
    if candidate is not None and candidate != "null":
        try:
            return of_text(candidate)
        except ValueError:  # kept by another version; `board rebuild --from-bundles` makes it anew
            _log.warning("a candidate cannot be read and is passed over")
            return None
    if published is None:
        return None
    rates = Rates()  # whoever asks names theirs
    return published_candidate(published_point(PublishedRow.model_validate_json(published), rates), rates)
