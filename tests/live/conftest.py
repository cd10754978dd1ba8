"""A machine with two boards of known power, and meters that are closed after each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from joulemark.live.session import close_all

TEST_S = 0.4
"""Long enough for a self-test of a counter that is updated every 20 ms."""


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the meters that the user has on file out of it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[FakeNvml]:
    """Two boards of 240 W and 60 W whose counters are updated every 20 ms."""
    made = [
        FakeBoard(power=[Piece(1.0, watts)], counter_period_s=0.02, counter_jitter_s=0.002)
        for watts in (240.0, 60.0)
    ]
    with FakeNvml(tmp_path, made).in_process() as fake:
        yield fake
        close_all()
