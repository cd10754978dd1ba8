"""Ctrl-C pressed twice: the run ends with its figures, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from doubles.user import adds, bench, start
from doubles.working_engine import WorkingEngine
from joulemark.runs.journal import read_items
from joulemark.runs.recorded import read_run

Sums = Callable[[int], Path]


@pytest.fixture(autouse=True)
def _hears() -> Iterator[None]:
    """Of a background job's children nobody hears Ctrl-C, and they inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.parametrize("gap_s", [0.0, 0.001, 0.3])
def test_pressed_twice_a_run_ends_with_what_was_answered(gap_s: float, sums: Sums, tmp_path: Path) -> None:
    """What GNU `timeout -s INT` sends as well. It once waited for ever, or lost its report."""
    out, n = tmp_path / "run", 3
    with WorkingEngine(adds, gap_s=0.01, tokens=3) as engine:
        command = bench(engine, sums(400), out, "--meter", "none")
        process = start(*command)
        end_s = time.monotonic() + 60
        while _stored(out) < n and time.monotonic() < end_s:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(gap_s)
        os.killpg(process.pid, signal.SIGINT)
        try:
            told, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert "interrupted: the same command goes on from here" in err
    assert json.loads(told)["n_requests"] == _stored(out) >= n
    assert [segment.end for segment in read_run(out).manifest.segments] == ["interrupted"]


def _stored(out: Path) -> int:
    rows = read_items(out / "items.jsonl")[0] if out.exists() else ()
    return sum(row.item.phase == "measure" for row in rows)
