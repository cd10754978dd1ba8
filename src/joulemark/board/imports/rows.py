"""Take rows that others published into a board: each once, all of a call in one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import rfc8785
from sqlalchemy import Engine, insert, select

from joulemark.board.database.tables import published_rows
from joulemark.board.database.times import utc_now
from joulemark.board.database.writing import writing
from joulemark.board.standing.kept import keep_all_published
from joulemark.metrics.published_points import published_point
from joulemark.record.manifest import Rates
from joulemark.record.published import PublishedRow

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Taken:
    """How many rows are new, and how many the board had; ``implausible`` are shown without a rank."""

    n_new: int
    n_known: int
    implausible: tuple[str, ...] = ()


def row_id(row: PublishedRow) -> str:
    """Return the id of a row: the digest of its canonical JSON (RFC 8785)."""
    return hashlib.sha256(rfc8785.dumps(row.model_dump(mode="json"))).hexdigest()


def take_rows(engine: Engine, rows: Iterable[PublishedRow]) -> Taken:
    """Store rows and show them on the leaderboard; those that are there already change nothing."""
    by_id = {row_id(row): row for row in rows}
    with writing(engine) as connection:
        known: set[str] = set()
        ids = list(by_id)
        for start in range(0, len(ids), _BATCH):
            some = ids[start : start + _BATCH]
            known |= set(
                connection.execute(select(published_rows.c.id).where(published_rows.c.id.in_(some))).scalars()
            )
        new = [one for one in ids if one not in known]
        now = utc_now()
        for start in range(0, len(new), _BATCH):
            connection.execute(
                insert(published_rows),
                [
                    {
                        "id": one,
                        "imported_at": now,
                        "source": by_id[one].source,
                        "row": by_id[one].model_dump(mode="json"),
                    }
                    for one in new[start : start + _BATCH]
                ],
            )
        if new:
            keep_all_published(connection, new)
    doubted = tuple(
        f"{by_id[one].model} on {by_id[one].device}: {why}"
        for one in new
        if (why := published_point(by_id[one], Rates()).implausible)
    )
    return Taken(len(new), len(known), doubted)
