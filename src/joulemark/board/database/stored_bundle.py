"""The bytes of a bundle in the database."""

from __future__ import annotations

from sqlalchemy import Connection, select

from joulemark.board.database.tables import bundles


def bundle_of(connection: Connection, digest: str) -> bytes | None:
    """Return a bundle's bytes, null where they are not kept."""
    data = connection.execute(select(bundles.c.data).where(bundles.c.digest == digest)).scalar()
    return None if data is None else bytes(data)
