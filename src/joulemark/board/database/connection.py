"""Connections to a board's database: SQLite in a file by default, PostgreSQL by its URL."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from joulemark.record.errors import InputError

_DRIVERS = {"postgresql": "postgresql+pg8000", "postgres": "postgresql+pg8000", "sqlite": "sqlite+pysqlite"}
_BUSY_MS = 30_000
_PATIENCE_S = 30
_POOL = 20  # a request holds one connection at most; a server has some forty threads that answer


def read_url(text: str) -> URL:
    """Return the address of a database; raises `InputError` for what is none.

    A path stands for a file of SQLite; ``postgresql://`` means our driver.
    """
    if "://" not in text:
        text = f"sqlite:///{Path(text).absolute()}"
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:  # a port that is no number
        raise _no_database(text.partition("://")[0] + "://…") from error
    scheme = _DRIVERS.get(url.drivername, url.drivername)
    if scheme not in _DRIVERS.values():
        raise _no_database(url.render_as_string(hide_password=True))
    return url.set(drivername=scheme)


def sqlite_file(url: URL) -> Path | None:
    """Return the file of a database; null where it is none, but a server's or held in memory."""
    if not url.drivername.startswith("sqlite") or not url.database or url.database == ":memory:":
        return None
    return Path(url.database)


def shown_option(text: str) -> str:
    """Return how a page names the database of a board: by its file's name, and of a server nothing at all."""
    return "--database URL" if "://" in text else f"--database {shlex.quote(Path(text).name)}"


def connect(text: str) -> Engine:
    """Return an engine whose connections never wait for ever and never lose what was committed."""
    url = read_url(text)
    if url.drivername.startswith("sqlite"):
        if (file := sqlite_file(url)) is not None:
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"the folder of the database, {file.parent}, cannot be made",
                    why=error.strerror or str(error),
                    fix="name a file in a folder that is there and writable: --database board.sqlite",
                ) from error
        engine = create_engine(url, connect_args={"timeout": _BUSY_MS / 1000})
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    return create_engine(
        url,
        connect_args={"timeout": _PATIENCE_S},
        pool_pre_ping=True,
        pool_size=_POOL,
        max_overflow=_POOL,
        pool_timeout=_PATIENCE_S,
    )


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by `_begin_sqlite`
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={_BUSY_MS}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Any) -> None:
    """Take the write lock at once where a transaction will write: two that upgrade later would deadlock."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _no_database(text: str) -> InputError:
    return InputError(
        f"{text!r} is no database of a board",
        why="it is neither a file nor an address of PostgreSQL",
        fix="write it as board.sqlite, or postgresql://user:password@host/name",
    )
