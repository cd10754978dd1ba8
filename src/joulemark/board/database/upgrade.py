"""Bring a database to the tables of this version: on start, in one transaction."""

from __future__ import annotations

import os
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from joulemark.board.database.connection import sqlite_file
from joulemark.board.database.writing import transaction
from joulemark.record.errors import InputError

_LOCK = 8765  # any number that nobody else locks in this database
_SCRIPTS = Path(__file__).parent / "migrations"


def upgrade(engine: Engine) -> None:
    """Apply what migrations are missing.

    Raises `InputError` for a database of a newer version, and for one that does not answer.
    """
    try:
        _upgrade(engine)
    except (SQLAlchemyError, OSError) as error:
        name = sqlite_file(engine.url) or engine.url.render_as_string(hide_password=True)
        told = str(getattr(error, "orig", None) or error).splitlines()[:1]
        raise InputError(
            f"the database {name} cannot be used",
            why=told[0][:200] if told else type(error).__name__,
            fix=_fix(engine),
        ) from error


def _fix(engine: Engine) -> str:
    file = sqlite_file(engine.url)
    if file is None:
        return "see that its server runs and lets this user in, or name a file: --database board.sqlite"
    if file.is_dir():
        return f"that is a folder: name a file in it, --database {file / 'board.sqlite'}"
    if file.exists() and not (os.access(file, os.R_OK | os.W_OK) and os.access(file.parent, os.W_OK)):
        return "make the file and its folder writable for this user, or name another: --database board.sqlite"
    if file.exists():
        return "name the board's own file of SQLite, or a new one: --database board.sqlite"
    return "see that its folder is writable for this user, or name another file: --database board.sqlite"


def _upgrade(engine: Engine) -> None:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    with transaction(engine) as connection:
        if engine.dialect.name == "postgresql":  # two that start at once make the tables one after the other
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        found = MigrationContext.configure(connection).get_current_revision()
        if found is not None and found not in known:
            raise InputError(
                f"the database is of a newer version of Joulemark (its revision is {found})",
                why="this version does not know its tables",
                fix="install the newer version, or name another database",
            )
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise InputError("the database cannot be brought up to date", why=str(error)) from error
