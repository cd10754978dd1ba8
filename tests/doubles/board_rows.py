"""What a board has stored."""

from __future__ import annotations

from sqlalchemy import Engine, func, select

from joulemark.board.database import tables


def counts(engine: Engine) -> dict[str, int]:
    """Return how many rows each table has, and the version that readers see."""
    with engine.connect() as connection:
        found = {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in tables.metadata.tables.items()
        }
        found["version"] = connection.execute(select(tables.board_state.c.version)).scalar_one()
    return found
