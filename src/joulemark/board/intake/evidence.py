"""How far a submission is trusted, by what the board knows of it now."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from joulemark.board.database.tables import runs, submissions
from joulemark.board.judging.rung import Evidence, rung_of


def renew_rung(connection: Connection, digest: str) -> None:
    """Store the rung that follows from the evidence, in the caller's transaction."""
    row = connection.execute(select(submissions).where(submissions.c.digest == digest)).mappings().one()
    facts = connection.execute(select(runs.c.facts).where(runs.c.digest == digest)).scalar()
    evidence = Evidence(
        is_verified=True,
        challenge_passed=row["challenge_passed"],
        is_reproduced=row["reproduced_by"] is not None,
        tier=None if facts is None else facts["tier"],
        is_audited=row["audited"],
    )
    connection.execute(
        update(submissions).where(submissions.c.digest == digest).values(rung=int(rung_of(evidence)))
    )
