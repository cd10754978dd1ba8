"""What happens to a submission after it was taken: always within the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, update

from joulemark.board.database.tables import bundles, challenges, runs, submissions
from joulemark.board.intake.audit import note
from joulemark.board.intake.evidence import renew_rung
from joulemark.board.intake.reproduction import find_reproduction, forget_reproduction
from joulemark.board.standing.kept import drop_run, keep_run


def set_status(
    connection: Connection, row: Mapping[str, Any], status: str, grounds: Sequence[Mapping[str, str]]
) -> None:
    """Give a submission another status and other grounds, and make what readers see follow from it."""
    digest, before = row["digest"], row["status"]
    values = {"status": status, "grounds": [dict(one) for one in grounds]}
    connection.execute(update(submissions).where(submissions.c.digest == digest).values(**values))
    if before == "accepted" and status != "accepted":
        drop_run(connection, digest)
        forget_reproduction(connection, digest)
    elif status == "accepted":
        find_reproduction(connection, digest)
        renew_rung(connection, digest)
        keep_run(connection, digest)


def set_evidence(connection: Connection, row: Mapping[str, Any], **evidence: bool) -> None:
    """Note evidence (``challenge_passed``, ``audited``) and let the rung follow."""
    digest = row["digest"]
    connection.execute(update(submissions).where(submissions.c.digest == digest).values(**evidence))
    renew_rung(connection, digest)
    if row["status"] == "accepted":
        find_reproduction(connection, digest)
        renew_rung(connection, digest)
        keep_run(connection, digest)


def withdraw(connection: Connection, row: Mapping[str, Any]) -> None:
    """Delete all that was sent and what follows from it; what is left says that it was withdrawn.

    The marks stay, sixty hashes that tell nothing but a copy: or a run could be taken back, adjusted to what
    the board had found fault with, and sent again as a new one.
    """
    digest = row["digest"]
    set_status(connection, row, "withdrawn", [])
    cleared = {"challenge_passed": False, "audited": False, "nonce_fresh": False}
    connection.execute(update(submissions).where(submissions.c.digest == digest).values(**cleared))
    for table in (bundles, runs, challenges):
        connection.execute(delete(table).where(table.c.digest == digest))
    renew_rung(connection, digest)
    note(connection, row["signer"], "withdrew", digest)
