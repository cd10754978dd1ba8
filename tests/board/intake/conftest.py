"""A home of one's own, and a board on each of the two databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from doubles.boards import BoardDouble, board
from doubles.private_postgres import Server, binaries, postgres


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep key, salt and consent of the tests apart from the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))
    monkeypatch.delenv("JOULEMARK_BOARD", raising=False)


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


@pytest.fixture
def both(database: str, tmp_path: Path) -> Iterator[BoardDouble]:
    """An empty board on either database."""
    with board(tmp_path, database_url=database) as made:
        yield made


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[ExitStack]:
    """Boards that a test opens are closed at its end."""
    with ExitStack() as stack:
        yield stack
