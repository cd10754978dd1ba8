"""Appeals: words for a moderator, who grants or denies them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from joulemark.board.database.tables import appeals, bundles, submissions
from joulemark.board.database.times import utc_now
from joulemark.board.intake.audit import note
from joulemark.board.intake.standing_changes import set_status

MOST_OPEN = 5
"""Appeals of one submission that may wait at once: words cost a moderator's time."""


def lodge(connection: Connection, digest: str, words: str, *, is_signed: bool) -> dict[str, Any] | None:
    """Keep an appeal and return its row; null where enough of them wait already. The signer's own is kept."""
    waiting = select(func.count()).where(appeals.c.digest == digest, appeals.c.state == "open")
    waiting = waiting.where(appeals.c.is_signed == is_signed)
    if connection.execute(waiting).scalar_one() >= MOST_OPEN:
        return None
    row = {
        "id": secrets.token_hex(16),
        "digest": digest,
        "at": utc_now(),
        "words": words,
        "is_signed": is_signed,
        "state": "open",
        "decision": None,
        "decided_at": None,
    }
    connection.execute(insert(appeals).values(**row))
    note(connection, "submitter" if is_signed else "somebody", "appealed", digest, appeal=row["id"])
    return row


def appeal(connection: Connection, appeal_id: str) -> dict[str, Any] | None:
    """Return the row of an appeal, null where there is none."""
    found = connection.execute(select(appeals).where(appeals.c.id == appeal_id)).mappings().first()
    return None if found is None else dict(found)


def decide_appeal(
    connection: Connection,
    actor: str,
    row: Mapping[str, Any],
    submission: Mapping[str, Any],
    *,
    grant: bool,
    words: str,
) -> None:
    """Grant or deny an appeal.

    Granted, what was held back is accepted; what was withdrawn may be sent again, as if it were new.
    """
    digest = submission["digest"]
    values = {"state": "granted" if grant else "denied", "decision": words, "decided_at": utc_now()}
    connection.execute(update(appeals).where(appeals.c.id == row["id"]).values(**values))
    note(connection, actor, "granted" if grant else "denied", digest, appeal=row["id"], note=words)
    if not grant:
        return
    if submission["status"] == "withdrawn":
        connection.execute(delete(appeals).where(appeals.c.digest == digest))
        connection.execute(delete(submissions).where(submissions.c.digest == digest))
    elif submission["status"] != "accepted" and has_bundle(connection, digest):
        granted = {"code": "appeal_granted", "why": "a moderator granted an appeal"}
        set_status(connection, submission, "accepted", [*submission["grounds"], granted])


def has_bundle(connection: Connection, digest: str) -> bool:
    """Tell whether the bytes are still here."""
    return connection.execute(select(bundles.c.digest).where(bundles.c.digest == digest)).first() is not None
