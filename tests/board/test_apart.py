"""Work in a process of its own: what it does to itself is nothing to the board."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from doubles.board_rows import counts
from doubles.boards import board, bundle
from doubles.hard_work import burn, double, eat, end, fail, sleep
from joulemark.board.apart import Apart, Broke, Busy, TookTooLong
from joulemark.board.intake.examine import examine
from joulemark.board.intake.examined import Examined, NotTaken


@pytest.fixture(scope="module")
def apart() -> Apart:
    return Apart(n_places=2, deadline_s=1.0, patience_s=0.2)


def test_it_returns_what_the_function_returns(apart: Apart) -> None:
    assert apart.run(double, 21) == 42


def test_what_takes_too_long_is_ended(apart: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    # others may have the processors for long: only its own time is to end it
    monkeypatch.setattr("joulemark.board.apart._WAITS", 200)
    began = time.process_time()
    with pytest.raises(TookTooLong):
        apart.run(burn)
    assert time.process_time() - began < 1.0


def test_what_sleeps_is_ended_too() -> None:
    with pytest.raises(Busy):
        Apart(n_places=1, deadline_s=0.1).run(sleep, 60)


@pytest.mark.parametrize("function", [end, fail, eat])
def test_what_breaks_is_told(apart: Apart, function: object, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Broke):
        apart.run(function)  # type: ignore[arg-type]
    assert apart.run(double, 1) == 2


def test_more_than_there_are_places_wait_or_are_told() -> None:
    apart = Apart(n_places=1, deadline_s=5.0, patience_s=0.05)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(apart.run, sleep, 0.8)
        time.sleep(0.3)
        with pytest.raises(Busy):
            apart.run(double, 1)
        first.result()
    assert apart.run(double, 1) == 2


def test_a_bundle_is_examined_there_as_here(apart: Apart) -> None:
    packed = bundle()
    there = Apart().run(examine, packed.data)
    assert isinstance(there, Examined)
    assert there == examine(packed.data)
    assert isinstance(apart.run(examine, b"PK"), NotTaken)


@pytest.mark.parametrize(("error", "status"), [(Busy, 429), (TookTooLong, 413), (Broke, 422)])
def test_the_board_says_so_and_stores_nothing(tmp_path: Path, error: type[Exception], status: int) -> None:
    class Failing:
        def run(self, *_: object) -> object:
            raise error

    with board(tmp_path) as where:
        where.app.state.worker = Failing()
        before = counts(where.engine)
        answer = where.submit(bundle().data)
        assert answer.status_code == status
        assert ("Retry-After" in answer.headers) == (status == 429)
        assert counts(where.engine) == before


def test_no_process_is_left(apart: Apart) -> None:
    apart.run(double, 1)
    children = threading.active_count()
    assert children < 50
    assert not [one for one in _children() if one.startswith("Z")]


def _children() -> list[str]:
    """Return the states of this process's children."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.append(fields[0])
    return found
