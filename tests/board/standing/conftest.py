"""A board with runs of several submitters, shared by the tests of its leaderboard that only read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.standing_boards import ReadBoard, read_board


@pytest.fixture(scope="session")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadBoard]:
    """A board that nobody writes to."""
    folder: Path = tmp_path_factory.mktemp("board")
    with read_board(folder) as made:
        yield made
