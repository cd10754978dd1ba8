"""Transactions that write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, select

from joulemark.board.database.tables import board_state


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that will write, whole or not at all: on SQLite it has the lock from its begin."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that lets one writer in at a time and ends when the block does, whole or not at all.

    What is judged by what is stored must not meet another that is just being stored: SQLite locks the file,
    PostgreSQL the row of `board_state`.
    """
    with transaction(engine) as connection:
        connection.execute(select(board_state.c.version).where(board_state.c.id == 1).with_for_update())
        yield connection
