"""The code-efficiency leaderboard: a table for what may be ranked together, ranks as ranges within it.

Rows rank only where problems, limits, tests, procedure and machine are the same: a time belongs to a machine.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import orjson
from sqlalchemy import Connection, Engine, func, select

from joulemark.board.code_service.figures import LARGER_IS_BETTER, NO_ORDER, OF_WALL, WITHIN_BAND, View
from joulemark.board.code_service.job_state import JobState
from joulemark.board.database.tables import code_jobs
from joulemark.board.standing.board_row import Figure
from joulemark.board.standing.ranks import Rank, rank_ranges

_kept: WeakKeyDictionary[Engine, tuple[tuple[Any, ...], tuple[Standing, ...]]] = WeakKeyDictionary()
_lock = threading.Lock()
MOST_ROWS = 5000
NEVER_MEASURED = "It was not measured: programs were graded only, or other figures were asked for."


@dataclass(frozen=True, slots=True)
class Standing:
    """A finished evaluation. ``table`` names what it may be ranked with; ``is_whole``: whether programs were
    held by the whole containment. ``busy``: sentences that say which figures are the machine's load.
    ``figures`` by the names of `joulemark.metrics`.
    """

    job_id: str
    model: str
    finished_at: str
    dataset: str
    environment_id: str
    environment: str
    is_whole: bool
    busy: tuple[str, ...]
    settings: Mapping[str, Any]
    counts: Mapping[str, int]
    figures: Mapping[str, Figure]
    table: str

    def figure(self, name: str) -> Figure:
        """Return a figure; one that was not asked for is null with its reason."""
        found = self.figures.get(name)
        return found or Figure(None, "1", reason="not_measured", detail=NEVER_MEASURED)


@dataclass(frozen=True, slots=True)
class Query:
    """What a reader asks for: ``model`` is part of a name, null filters nothing."""

    dataset: str | None = None
    environment: str | None = None
    model: str | None = None
    view: View = View.PAPER
    sort: str = "pass_at_1"
    descending: bool | None = None

    @property
    def is_descending(self) -> bool:
        """Whether large values come first: where they are better, unless it was asked for."""
        return self.sort in LARGER_IS_BETTER if self.descending is None else self.descending


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row with its rank by the figure that is sorted by; null where it has none, with the reason."""

    row: Standing
    rank: Rank | None
    why_unranked: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that may be ranked together, in order; ``n_rows`` are all of the table, filtered or not."""

    table: str
    rows: tuple[Ranked, ...]
    n_rows: int

    @property
    def first(self) -> Standing:
        """A row that says what all have in common."""
        return self.rows[0].row


def standings(engine: Engine) -> Sequence[Standing]:
    """Return every finished evaluation, the latest first; they are read again only when there are others."""
    done = code_jobs.c.state == JobState.DONE
    asked = select(func.count(), func.max(code_jobs.c.finished_at)).where(done)
    with engine.connect() as connection:
        version = tuple(connection.execute(asked).one())
        with _lock:
            kept = _kept.get(engine)
        if kept is None or kept[0] != version:
            kept = version, _read(connection)
            with _lock:
                _kept[engine] = kept
        return kept[1]


def _read(connection: Connection) -> tuple[Standing, ...]:
    columns = (
        code_jobs.c.id,
        code_jobs.c.model,
        code_jobs.c.finished_at,
        code_jobs.c.standing,
    )
    rows = connection.execute(
        select(*columns)
        .where(code_jobs.c.state == JobState.DONE)
        .order_by(code_jobs.c.finished_at.desc(), code_jobs.c.id)
        .limit(MOST_ROWS)
    )
    return tuple(_of(row.id, row.model, row.finished_at, row.standing) for row in rows)


def _of(job_id: str, model: str, finished_at: str, kept: Mapping[str, Any]) -> Standing:
    common = {
        name: kept[name] for name in ("dataset", "problems_digest", "environment_id", "procedure", "settings")
    }
    table = hashlib.sha256(orjson.dumps(common, option=orjson.OPT_SORT_KEYS)).hexdigest()[:12]
    return Standing(
        job_id=job_id,
        model=model,
        finished_at=finished_at,
        dataset=kept["dataset"],
        environment_id=kept["environment_id"],
        environment=kept["environment"],
        is_whole=kept["is_whole"],
        busy=tuple(kept["busy"]),
        settings=kept["settings"],
        counts=kept["counts"],
        figures={name: Figure(**figure) for name, figure in kept["figures"].items()},
        table=table,
    )


def tables(rows: Sequence[Standing], query: Query) -> list[Table]:
    """Return the tables that hold what is asked for, the largest first. Filters change no rank."""
    by_table: dict[str, list[Standing]] = {}
    for row in rows:
        by_table.setdefault(row.table, []).append(row)
    made = []
    for name, mine in by_table.items():
        shown = [one for one in _ranked(mine, query) if _is_wanted(one.row, query)]
        if shown:
            made.append(Table(name, tuple(shown), len(mine)))
    return sorted(made, key=lambda one: (-one.n_rows, one.first.dataset, one.table))


def _is_wanted(row: Standing, query: Query) -> bool:
    return (
        query.dataset in (None, row.dataset)
        and query.environment in (None, row.environment_id)
        and (query.model is None or query.model.lower() in row.model.lower())
    )


def _ranked(rows: Sequence[Standing], query: Query) -> list[Ranked]:
    """Return rows in order, what is not known last; two share ranks where their intervals meet.

    What may not be ranked takes no place from others. Ratios of CPU time are wider by their A/A band.
    """
    name = query.sort
    found = [row.figure(name) for row in rows]
    whys = [_why_unranked(row, name) for row in rows]
    value, lo, hi = (
        np.array([np.nan if (x := getattr(one, end)) is None else x for one in found], np.float64)
        for end in ("value", "lo", "hi")
    )
    if name in WITHIN_BAND:
        bands = np.array([row.figure("aa_band").value or 0.0 for row in rows], np.float64)
        lo = np.where(np.isfinite(lo), lo, value) * (1 - bands)
        hi = np.where(np.isfinite(hi), hi, value) * (1 + bands)
    ranked = np.where([why == "" for why in whys], value, np.nan)
    best, worst = rank_ranges(ranked, lo, hi, larger=name in LARGER_IS_BETTER)
    sign = -1.0 if query.is_descending else 1.0
    known = np.isfinite(value)
    order = sorted(range(len(rows)), key=lambda k: (not known[k], sign * value[k] if known[k] else 0.0))
    return [Ranked(rows[k], None if whys[k] else Rank(int(best[k]), int(worst[k])), whys[k]) for k in order]


def _why_unranked(row: Standing, name: str) -> str:
    """Return why a row has no rank by a figure; nothing where it has one."""
    if name in NO_ORDER:
        return "Less of this figure is not better: it says how far two equal runs differ."
    if row.figure(name).value is None:
        return row.figure(name).detail or NEVER_MEASURED
    if row.figure(name).lo is None and row.figure(name).detail:
        return f"It has no interval: {row.figure(name).detail}"
    if not row.is_whole:
        return "Its programs were held by less than the whole containment."
    return " ".join(row.busy) if name in OF_WALL else ""
