"""Bring a database to the tables of this version: on start, in one transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

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
        told = str(getattr(error, "orig", None) or error).splitlines()[:1]
        raise InputError(
            f"the database {engine.url.render_as_string(hide_password=True)} cannot be used",
            why=told[0][:200] if told else type(error).__name__,
            fix="see that its server runs and lets this user in, or name a file: --database board.sqlite",
        ) from error


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
