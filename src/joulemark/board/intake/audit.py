"""The audit log: what was done to what, by whom. Only ever appended to."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, insert, select

from joulemark.board.database.tables import audit_log
from joulemark.board.database.times import utc_now

BOARD = "board"
"""The actor of what nobody in particular did."""
BY_SIGNER = frozenset({"submitted", "withdrew", "opened"})
"""Actions whose actor is a public key."""
PUBLIC = BY_SIGNER | {
    "challenged",
    "appealed",
    "granted",
    "denied",
    "accept",
    "reject",
    "quarantine",
    "audit",
}
"""Actions that everybody may read of: those on submissions. Who has a key is nobody's business."""


def note(connection: Connection, actor: str, action: str, subject: str, **details: Any) -> None:
    """Append a line, in the caller's transaction."""
    connection.execute(
        insert(audit_log).values(at=utc_now(), actor=actor, action=action, subject=subject, details=details)
    )


def lines(
    connection: Connection,
    *,
    subject: str | None = None,
    before: int | None = None,
    limit: int = 100,
    public: bool = False,
) -> list[dict[str, Any]]:
    """Return the latest lines, the newest first; ``public``: of `PUBLIC` actions alone."""
    wanted = select(audit_log).order_by(audit_log.c.id.desc()).limit(limit)
    if subject is not None:
        wanted = wanted.where(audit_log.c.subject == subject)
    if before is not None:
        wanted = wanted.where(audit_log.c.id < before)
    if public:
        wanted = wanted.where(audit_log.c.action.in_(sorted(PUBLIC)))
    return [dict(row) for row in connection.execute(wanted).mappings()]
