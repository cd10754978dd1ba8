"""A home of one's own, and boards: empty ones on either database, and those that a test opens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from doubles.boards import BoardDouble, board


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep key, salt and consent of the tests apart from the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))
    monkeypatch.delenv("JOULEMARK_BOARD", raising=False)


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
