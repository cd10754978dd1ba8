"""Which sources see the part that runs the model, and who else is on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.calibrations import source
from doubles.nvml import FakeBoard, FakeNvml
from joulemark.calibration.device import device_sources
from joulemark.calibration.quiet import Account, busy_words, computing_on_boards
from joulemark.record.scope import Scope

PROCESSOR = source(name="rapl:package-0", kind="rapl", scope=Scope.package(0), device_id=None)
CORES = source(name="rapl:core", kind="rapl", scope=Scope("wall/psu/psys/package:0/core"), device_id=None)


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[FakeNvml]:
    """Two boards; this process computes on the second."""
    fake = FakeNvml(tmp_path, [FakeBoard(), FakeBoard(compute_pids=(os.getpid(),))])
    with fake.in_process():
        yield fake


def on_board(fake: FakeNvml, index: int):
    return source(name=f"nvml:{index}", scope=Scope.gpu(index), device_id=fake.boards[index].uuid)


def chosen(sources, **facts):
    defaults = {"engine_pid": os.getpid(), "engine_local": True, "on_processor": False}
    found, why = device_sources(sources, **{**defaults, **facts})
    return [one.info.name for one in found], why


def test_the_board_that_lists_the_engine(boards: FakeNvml) -> None:
    sources = [PROCESSOR, on_board(boards, 0), on_board(boards, 1)]
    assert chosen(sources) == (["nvml:1"], "")
    assert chosen(sources, declared=[0]) == (["nvml:0"], "")
    assert chosen(sources, on_processor=True) == (["rapl:package-0"], "")


def test_the_processors_where_no_board_runs_it(boards: FakeNvml) -> None:
    assert chosen([CORES, PROCESSOR, on_board(boards, 0)]) == (["rapl:package-0"], "")
    assert chosen([on_board(boards, 0)])[1].startswith("no meter sees the processors")


def test_where_it_cannot_be_seen_nothing_is_guessed(boards: FakeNvml) -> None:
    names, why = chosen([PROCESSOR, on_board(boards, 0)], engine_pid=None)
    assert names == []
    assert "--board" in why
    names, why = chosen([PROCESSOR], engine_local=None)
    assert names == []
    assert "could not be seen" in why


def test_others_on_a_board_are_named_and_ours_are_not(boards: FakeNvml) -> None:
    measured = [on_board(boards, 0), on_board(boards, 1)]
    assert computing_on_boards(measured, [os.getpid()], engine_runs=False) == []
    boards.set_processes(0, [os.getppid()], graphics=[1])
    (said,) = computing_on_boards(measured, [os.getpid()], engine_runs=False)
    assert f"(pid {os.getppid()}) computes on gpu:0" in said
    nobody = 4_000_000
    boards.set_processes(0, [nobody])
    assert computing_on_boards(measured, [os.getpid()], engine_runs=False) == [
        f"pid {nobody} computes on gpu:0"
    ]
    assert computing_on_boards(measured, [os.getpid()], engine_runs=True) == []


def test_a_busy_machine_is_told_from_a_quiet_one() -> None:
    assert busy_words(0.02, []) == []
    assert busy_words(None, []) == []
    assert busy_words(0.3, ["x computes on gpu:0"]) == [
        "other processes used 30% of the processors",
        "x computes on gpu:0",
    ]


def test_our_own_processor_time_is_ours() -> None:
    before = Account.of([os.getpid()])
    end = os.times().user + 0.2
    while os.times().user < end:
        sum(range(1000))
    assert Account.of([os.getpid()]).since(before) >= 0.15
    assert Account({1: 5.0, 2: 3.0}).since(Account({1: 4.5})) == pytest.approx(3.5)
    assert Account({}).since(Account({7: 9.0})) == 0
