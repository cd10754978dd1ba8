"""The database of a board, for every command that works on one: its option, and how it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from joulemark.cli.board_extra import require_board

if TYPE_CHECKING:
    from sqlalchemy import Engine

DEFAULT = "board.sqlite"
HELP = "A file of SQLite, or postgresql://user:password@host/name."

database_option = click.option(
    "--database", default=DEFAULT, show_default=True, metavar="FILE|URL", help=HELP
)


@contextmanager
def opened(database: str) -> Iterator[Engine]:
    """Open a board's database with the tables of this version; raises `InputError` where that cannot be."""
    require_board()
    from joulemark.board.database.connection import connect
    from joulemark.board.database.upgrade import upgrade

    engine = connect(database)
    try:
        upgrade(engine)
        yield engine
    finally:
        engine.dispose()
