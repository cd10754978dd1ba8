"""The database of a board, for every command that works on one: its option, and how it is opened."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from joulemark.cli.board_extra import require_board
from joulemark.record.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Engine

DEFAULT = "board.sqlite"
HELP = "A file of SQLite, or postgresql://user:password@host/name."

database_option = click.option(
    "--database", default=DEFAULT, show_default=True, metavar="FILE|URL", help=HELP
)


def named(database: str) -> str:
    """Return what names the database in a command that is shown, without its password; nothing by default."""
    if database == DEFAULT:
        return ""
    if "://" in database:
        from joulemark.board.database.connection import read_url

        database = read_url(database).set(drivername=database.partition("://")[0]).render_as_string()
    return f" --database {shlex.quote(database)}"


def is_there(database: str) -> bool:
    """Tell whether a database is there: whether its file is; of a server's that is for the server to say."""
    from joulemark.board.database.connection import read_url, sqlite_file

    file = sqlite_file(read_url(database))
    return file is None or file.exists()


@contextmanager
def opened(database: str, *, may_make: bool = False) -> Iterator[Engine]:
    """Open a board's database with the tables of this version; ``may_make``: a file may be a new one.

    Raises `InputError` where that cannot be.
    """
    require_board()
    from joulemark.board.database.connection import connect
    from joulemark.board.database.upgrade import upgrade

    if not may_make and not is_there(database):
        raise InputError(
            f"there is no database {database}",
            why="a name that is misspelt would make an empty board",
            fix="name the board's own with --database FILE|URL; "
            f"`joulemark board serve{named(database)}` makes a new one",
        )
    engine = connect(database)
    try:
        upgrade(engine)
        yield engine
    finally:
        engine.dispose()
