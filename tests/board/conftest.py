"""Databases of both kinds, and a board that is only read: for the tests of every room of a board."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.private_postgres import Server, binaries, postgres
from doubles.standing_boards import ReadBoard, read_board


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL server; skips where none is installed."""
    if binaries() is None:
        pytest.skip("no PostgreSQL server is installed (apt-get install postgresql)")
    with postgres("fsync=off") as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind, by its address."""
    if request.param == "sqlite":
        return str(tmp_path / "board.sqlite")
    server: Server = request.getfixturevalue("postgres_server")
    return server.database()


@pytest.fixture(scope="session")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadBoard]:
    """A board with runs of several submitters, that nobody writes to."""
    with read_board(tmp_path_factory.mktemp("board")) as made:
        yield made
