"""Runs of others that came to the same: found when a run is taken or challenged, and undone when one goes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select, update

from joulemark.board.database.tables import runs, submissions
from joulemark.board.intake.evidence import renew_rung
from joulemark.board.judging.facts import facts_of_json
from joulemark.board.judging.likeness import reproduces
from joulemark.board.standing.kept import keep_run

_MOST = 200


def find_reproduction(connection: Connection, digest: str) -> None:
    """Look for a run of another signer that reproduces this one, and note it at both."""
    mine = _accepted(connection, digest)
    if mine is None:
        return
    facts = facts_of_json(mine.facts)
    for other in _others(connection, mine):
        if not reproduces(facts, facts_of_json(other.facts)):
            continue
        for one, by in ((mine, other), (other, mine)):
            if one.reproduced_by is None:
                _set(connection, one.digest, by.digest)
        return


def forget_reproduction(connection: Connection, digest: str) -> None:
    """Undo what a run that is no longer accepted reproduced; each such run may have another witness."""
    rows = connection.execute(select(submissions.c.digest).where(submissions.c.reproduced_by == digest))
    _set_row(connection, digest, None)
    for (one,) in rows.all():
        _set(connection, one, None)
        find_reproduction(connection, one)


def _set(connection: Connection, digest: str, by: str | None) -> None:
    _set_row(connection, digest, by)
    renew_rung(connection, digest)
    keep_run(connection, digest)


def _set_row(connection: Connection, digest: str, by: str | None) -> None:
    connection.execute(update(submissions).where(submissions.c.digest == digest).values(reproduced_by=by))


_COLUMNS = (
    submissions.c.digest,
    submissions.c.signer,
    submissions.c.reproduced_by,
    runs.c.configuration,
    runs.c.facts,
)
# A key is free, so a run that nobody challenged is no witness.
_WITNESSES = (
    select(*_COLUMNS)
    .join(runs, runs.c.digest == submissions.c.digest)
    .where(submissions.c.status == "accepted", submissions.c.challenge_passed)
)


def _accepted(connection: Connection, digest: str) -> Any:
    return connection.execute(_WITNESSES.where(submissions.c.digest == digest)).first()


def _others(connection: Connection, mine: Any) -> list[Any]:
    wanted = _WITNESSES.where(runs.c.configuration == mine.configuration, submissions.c.signer != mine.signer)
    return list(connection.execute(wanted.order_by(submissions.c.received_at).limit(_MOST)).all())
