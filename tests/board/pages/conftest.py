"""A board with runs of several submitters, for the tests of its pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from doubles.standing_boards import ReadBoard, read_board


@pytest.fixture(scope="session")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadBoard]:
    """A board that nobody writes to."""
    with read_board(tmp_path_factory.mktemp("board")) as made:
        yield made
