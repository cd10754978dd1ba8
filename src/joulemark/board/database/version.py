"""The version of what readers see: counted up by whoever changes it, asked for by who keeps a copy."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from joulemark.board.database.tables import board_state


def board_version(connection: Connection) -> int:
    """Return the version, 0 where nothing was ever shown."""
    found = connection.execute(select(board_state.c.version).where(board_state.c.id == 1)).scalar()
    return 0 if found is None else int(found)


def bump(connection: Connection) -> None:
    """Count the version up: what readers see changes with this transaction."""
    counted = update(board_state).where(board_state.c.id == 1).values(version=board_state.c.version + 1)
    if not connection.execute(counted).rowcount:
        connection.execute(insert(board_state).values(id=1, version=1))
