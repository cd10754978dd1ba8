"""A database is brought to the tables of this version, whole or not at all; another one is told."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, select

from joulemark.board.database.connection import connect, read_url
from joulemark.board.database.tables import board_state, metadata
from joulemark.board.database.upgrade import upgrade
from joulemark.record.errors import InputError


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    """An empty database of either kind."""
    made = connect(database)
    yield made
    made.dispose()


def test_the_migrations_make_the_tables(engine: Engine) -> None:
    upgrade(engine)
    upgrade(engine)  # there is nothing more to do
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert connection.execute(select(board_state.c.id, board_state.c.version)).all() == [(1, 1)]


def test_two_boards_that_start_at_once_make_them_once(engine: Engine) -> None:
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(upgrade, engine) for _ in range(3)]:
            done.result()
    with engine.connect() as connection:
        assert connection.execute(select(board_state.c.id)).all() == [(1,)]


def test_a_database_of_a_newer_version_is_left_alone(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(InputError, match="newer version"):
        upgrade(engine)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    path = tmp_path / "board.sqlite"
    path.write_bytes(b"a letter to the editor" * 100)
    engine = connect(str(path))
    with pytest.raises(InputError, match="cannot be used"):
        upgrade(engine)
    engine.dispose()
    assert path.read_bytes().startswith(b"a letter")


def test_a_server_that_does_not_answer_is_told_without_its_password(tmp_path: Path) -> None:
    engine = connect(f"postgresql://board:s3cret@/board?unix_sock={tmp_path}/none")
    with pytest.raises(InputError, match="cannot be used") as told:
        upgrade(engine)
    assert "s3cret" not in str(told.value)


@pytest.mark.parametrize("text", ["mysql://a/b", "http://example.org/", "postgresql://h:port/n"])
def test_what_is_no_database_is_told(text: str) -> None:
    with pytest.raises(InputError, match="no database"):
        read_url(text)


def test_a_path_is_a_file_of_sqlite(tmp_path: Path) -> None:
    url = read_url(str(tmp_path / "a b.sqlite"))
    assert (url.drivername, url.database) == ("sqlite+pysqlite", str(tmp_path / "a b.sqlite"))
    assert read_url("postgresql://u@h/n").drivername == "postgresql+pg8000"


def test_a_writer_waits_for_the_other(engine: Engine) -> None:
    import threading

    from joulemark.board.database.writing import writing

    upgrade(engine)
    order = []
    inside = threading.Event()

    def second() -> None:
        inside.wait(10)
        with writing(engine):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with writing(engine):
        inside.set()
        thread.join(0.3)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


def test_what_fails_inside_leaves_nothing(engine: Engine) -> None:
    from joulemark.board.database.writing import writing
    from joulemark.board.intake.audit import lines, note

    upgrade(engine)

    def fail() -> None:
        with writing(engine) as connection:
            note(connection, "somebody", "did", "something")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    with engine.connect() as connection:
        assert lines(connection) == []
    assert "audit_log" in inspect(engine).get_table_names()
