"""Store what was examined: one transaction, all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, func, insert, select

from joulemark.board.database.tables import bundles, run_marks, runs, submissions
from joulemark.board.database.times import utc_in, utc_now
from joulemark.board.database.writing import writing
from joulemark.board.intake.audit import note
from joulemark.board.intake.evidence import renew_rung
from joulemark.board.intake.examined import Examined
from joulemark.board.intake.judged import judged
from joulemark.board.intake.nonces import use_nonce
from joulemark.board.judging.rung import Rung
from joulemark.board.standing.kept import keep_run

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Stored:
    """A submission as it stands. ``is_new``: it was stored just now."""

    row: Mapping[str, Any]
    is_new: bool


class TooMany(Exception):
    """A signer has submitted as many as it may in a day."""


def submission(connection: Connection, digest: str) -> dict[str, Any] | None:
    """Return the row of a submission, null where there is none."""
    found = connection.execute(select(submissions).where(submissions.c.digest == digest)).mappings().first()
    return None if found is None else dict(found)


def ingest(engine: Engine, examined: Examined, data: bytes, *, most_a_day: int) -> Stored:
    """Judge and store a bundle; of one that is known, return what is stored. Raises `TooMany`.

    When this returns it is on the disk; a kill at any moment before leaves nothing of it.
    """
    with writing(engine) as connection:
        known = submission(connection, examined.digest)
        if known is not None:
            return Stored(known, False)
        if _today(connection, examined.facts.signer) >= most_a_day:
            raise TooMany
        _store(connection, examined, data)
        row = submission(connection, examined.digest)
        assert row is not None
        return Stored(row, True)


def _store(connection: Connection, examined: Examined, data: bytes) -> None:
    facts, digest = examined.facts, examined.digest
    judgement = judged(connection, examined)
    grounds = [{"code": str(one.code), "why": one.why} for one in judgement.grounds]
    connection.execute(
        insert(submissions).values(
            digest=digest,
            received_at=utc_now(),
            signer=facts.signer,
            run_id=facts.run_id[:64],
            status=judgement.status,
            rung=int(Rung.RECOMPUTED),
            grounds=grounds,
            size_bytes=len(data),
            joulemark_version=None if examined.joulemark_version is None else examined.joulemark_version[:32],
            nonce_fresh=use_nonce(connection, facts, examined.order),
        )
    )
    connection.execute(insert(bundles).values(digest=digest, data=data))
    connection.execute(insert(runs).values(digest=digest, **run_values(examined)))
    store_marks(connection, examined)
    codes = [one["code"] for one in grounds]
    told = {"status": judgement.status, "grounds": codes, "notes": list(judgement.notes)}
    note(connection, facts.signer, "submitted", digest, **told)
    renew_rung(connection, digest)
    if judgement.status == "accepted":
        keep_run(connection, digest)


def run_values(examined: Examined) -> dict[str, Any]:
    """Return the columns of `runs` but its key: all that is derived of a bundle, marks apart."""
    columns = examined.columns
    return {
        "configuration": columns.configuration,
        "device": columns.device,
        "model": columns.model,
        "measured_at": columns.measured_at,
        "facts": examined.facts.to_json(),
        "figures": columns.figures,
        "candidate": examined.candidate,
    }


def store_marks(connection: Connection, examined: Examined) -> None:
    """Store the marks of a run that has none stored."""
    marks = [{"digest": examined.digest, "mark": mark} for mark in sorted(set(examined.marks))]
    if marks:
        connection.execute(insert(run_marks), marks)


def _today(connection: Connection, signer: str) -> int:
    wanted = select(func.count()).where(
        submissions.c.signer == signer, submissions.c.received_at > utc_in(-DAY_S)
    )
    return connection.execute(wanted).scalar_one()
