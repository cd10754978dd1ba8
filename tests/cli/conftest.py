"""A machine with one board, an engine that works on it, and questions for it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.user import adds
from doubles.working_engine import WorkingEngine


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the salt, the calibrations and the meters of the tests apart from the user's."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))


@pytest.fixture
def sums(tmp_path: Path) -> Callable[[int], Path]:
    """Write a gsm8k file of ``n`` sums; the gold answer of sum i is i + 100."""

    def write(n: int) -> Path:
        path = tmp_path / "sums.jsonl"
        lines = [{"question": f"What is {i} + 100?", "answer": f"Add.\n#### {i + 100}"} for i in range(n)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return write


@pytest.fixture
def board(tmp_path: Path) -> FakeNvml:
    """A machine with one board at 60 W that this process computes on."""
    made = FakeBoard(power=(Piece(1.0, 60.0),), counter_period_s=0.05, compute_pids=(os.getpid(),))
    return FakeNvml(tmp_path, [made])


@pytest.fixture
def engine(board: FakeNvml) -> Iterator[WorkingEngine]:
    """An engine in this process that works on the board."""
    with WorkingEngine(adds, board) as working:
        yield working
