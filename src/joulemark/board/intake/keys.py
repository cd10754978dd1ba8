"""Keys of a board: who may moderate, and who may submit more than a stranger. Only their hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any, Literal

from sqlalchemy import Connection, insert, select, update

from joulemark.board.database.tables import access_keys
from joulemark.board.database.times import utc_now
from joulemark.board.intake.audit import note
from joulemark.board.settings import BoardSettings

Role = Literal["moderator", "submitter"]
ROLES: tuple[Role, ...] = ("moderator", "submitter")
OPERATOR = "operator"
"""The actor of who holds the key that the board was started with."""
_MOST = 200  # letters of a key that are looked at


def new_key(connection: Connection, name: str, role: Role) -> str:
    """Make a key and return it; it cannot be read again."""
    key = f"jmk_{secrets.token_urlsafe(32)}"
    connection.execute(
        insert(access_keys).values(
            id=secrets.token_hex(16), name=name, role=role, key_hash=hash_of(key), created_at=utc_now()
        )
    )
    note(connection, OPERATOR, "added a key", name, role=role)
    return key


def holder(connection: Connection, settings: BoardSettings, key: str) -> tuple[str, Role] | None:
    """Return the name and role of who holds a key; null for one that is not known or was revoked."""
    if not key or len(key) > _MOST:
        return None
    return holder_of(connection, settings, hash_of(key))


def holder_of(connection: Connection, settings: BoardSettings, key_hash: str) -> tuple[str, Role] | None:
    """Return the name and role of who holds the key with this hash now, as `holder` does."""
    ours = settings.moderator_key
    if ours and hmac.compare_digest(key_hash, hash_of(ours)):
        return OPERATOR, "moderator"
    wanted = select(access_keys.c.name, access_keys.c.role).where(
        access_keys.c.key_hash == key_hash, access_keys.c.revoked_at.is_(None)
    )
    found = connection.execute(wanted).first()
    return None if found is None else (found.name, found.role)


def revoke(connection: Connection, key_id: str) -> bool:
    """Revoke a key by its id; returns whether there was one."""
    wanted = update(access_keys).where(access_keys.c.id == key_id, access_keys.c.revoked_at.is_(None))
    known = connection.execute(wanted.values(revoked_at=utc_now())).rowcount > 0
    if known:
        note(connection, OPERATOR, "revoked a key", key_id)
    return known


def all_keys(connection: Connection) -> list[dict[str, Any]]:
    """Return every key without what opens it, the oldest first."""
    columns = [one for one in access_keys.c if one.name != "key_hash"]
    found = connection.execute(select(*columns).order_by(access_keys.c.created_at)).mappings()
    return [{str(name): value for name, value in row.items()} for row in found]


def hash_of(key: str) -> str:
    """Return what is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
