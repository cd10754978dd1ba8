"""What waits for a moderator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, func, select

from joulemark.board.database.tables import appeals, challenges, runs, submissions
from joulemark.board.intake.audit import lines
from joulemark.board.intake.told import challenge_told
from joulemark.board.judging.rung import Rung

_MOST = 50


@dataclass(frozen=True, slots=True)
class Queue:
    """Rows for the page, at most fifty of each; ``n_held`` and ``n_appeals`` count all."""

    held: list[dict[str, Any]]
    n_held: int
    appeals: list[dict[str, Any]]
    n_appeals: int
    challenges: list[dict[str, Any]]
    latest: list[dict[str, Any]]
    log: list[dict[str, Any]]


def queue(connection: Connection) -> Queue:
    """Return what waits, the oldest first, and what was taken and done, the latest first."""
    held = submissions.c.status == "quarantined"
    waits = appeals.c.state == "open"
    wanted = select(appeals, submissions.c.status, submissions.c.grounds).join(
        submissions, submissions.c.digest == appeals.c.digest
    )
    asked = select(challenges).order_by(challenges.c.issued_at.desc()).limit(_MOST)
    return Queue(
        held=_rows(connection, _SUBMISSIONS.where(held).order_by(submissions.c.received_at)),
        n_held=connection.execute(select(func.count()).where(held)).scalar_one(),
        appeals=_rows(connection, wanted.where(waits).order_by(appeals.c.is_signed.desc(), appeals.c.at)),
        n_appeals=connection.execute(select(func.count()).where(waits)).scalar_one(),
        challenges=[challenge_told(dict(row)).model_dump() for row in connection.execute(asked).mappings()],
        latest=_rows(
            connection,
            _SUBMISSIONS.where(submissions.c.status == "accepted").order_by(submissions.c.received_at.desc()),
        ),
        log=lines(connection, limit=_MOST),
    )


_SUBMISSIONS = select(
    submissions.c.digest,
    submissions.c.received_at,
    submissions.c.signer,
    submissions.c.grounds,
    submissions.c.rung,
    runs.c.model,
    runs.c.device,
).outerjoin(runs, runs.c.digest == submissions.c.digest)


def _rows(connection: Connection, wanted: Select[Any]) -> list[dict[str, Any]]:
    found = [dict(row) for row in connection.execute(wanted.limit(_MOST)).mappings()]
    for row in found:
        if "rung" in row:
            row["rung"] = Rung(row["rung"]).title
    return found
