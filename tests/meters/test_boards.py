"""Facts of boards, and who computes on them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from doubles.nvml import FakeBoard, FakeNvml
from doubles.nvml.driver import FUNCTION_NOT_FOUND, NO_PERMISSION
from joulemark.meters.boards import boards, placement, processes_on
from joulemark.record.clock import VirtualClock

Machine = Callable[..., tuple[FakeNvml, VirtualClock]]
NO_SUCH_PID = 2**22 + 1  # above the highest pid that Linux gives


@pytest.fixture
def child() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process.pid
        process.kill()


def test_facts_with_a_reason_for_each_null(machine: Machine) -> None:
    machine(
        FakeBoard(uuid="GPU-a", mig=True), FakeBoard(uuid="GPU-b", limit_w=None, unsupported=["MemoryInfo"])
    )
    first, second = boards()
    assert (first.index, first.uuid, first.vram_mib, first.power_limit_w) == (0, "GPU-a", 81920, 700.0)
    assert (first.driver, first.mig, first.reasons) == ("580.65.06", True, {})
    assert (second.vram_mib, second.power_limit_w, second.mig) == (None, None, False)
    assert second.reasons == {"vram_mib": "not_supported", "power_limit_w": "not_supported"}


def test_a_lost_board_does_not_hide_the_others(machine: Machine) -> None:
    machine(FakeBoard(lost_at_s=0.0), FakeBoard(), FakeBoard(unsupported=["UUID"]))
    assert [board.index for board in boards()] == [1]


@pytest.mark.parametrize("code", [9, 12, 18, 27])
def test_no_driver_no_boards(machine: Machine, code: int) -> None:
    machine(FakeBoard(uuid="GPU-a"), init_error=code)
    assert boards() == []
    assert processes_on("GPU-a") is None


def test_compute_and_graphics_processes(machine: Machine) -> None:
    machine(FakeBoard(uuid="GPU-a", compute_pids=[30, 10], graphics_pids=[10, 20]), FakeBoard(uuid="GPU-b"))
    assert processes_on("GPU-a") == [10, 20, 30]
    assert processes_on("GPU-b") == []
    assert processes_on("GPU-c") is None
    assert processes_on("GPU-a", compute_only=True) == [10, 30]


def test_an_older_driver_lists_by_the_older_call(machine: Machine) -> None:
    board = FakeBoard(compute_pids=[7], errors=[("ComputeProcesses", FUNCTION_NOT_FOUND, -1.0, 1e9)])
    machine(board)
    assert processes_on(board.uuid) == [7]


@pytest.mark.parametrize("code", [3, NO_PERMISSION])
def test_a_driver_that_does_not_list_says_null(machine: Machine, code: int) -> None:
    board = FakeBoard(errors=[("ComputeProcesses", code, -1.0, 1e9)])
    machine(board)
    assert processes_on(board.uuid) is None
    where = placement(board.uuid, os.getpid())
    assert (where.engine_on_device, where.others) == (None, ())
    assert "does not list" in where.why


def test_an_engine_is_found_by_itself_or_its_child(machine: Machine, child: int) -> None:
    board = FakeBoard(compute_pids=[child])
    fake, _ = machine(board)
    assert placement(board.uuid, child).engine_on_device is True
    assert placement(board.uuid, os.getpid()).engine_on_device is True
    assert placement(board.uuid, os.getpid()).others == ()
    fake.set_processes(0, [os.getpid(), child])
    where = placement(board.uuid, child)
    assert where.engine_on_device is True
    assert [other.split("pid ")[1].rstrip(")") for other in where.others] == [str(os.getpid())]


def test_an_engine_on_another_board(machine: Machine, child: int) -> None:
    measured, other = FakeBoard(compute_pids=[os.getpid()]), FakeBoard(compute_pids=[child])
    machine(measured, other)
    where = placement(measured.uuid, child)
    assert where.engine_on_device is False
    assert len(where.others) == 1


def test_pids_of_another_namespace_prove_nothing(machine: Machine, child: int) -> None:
    board = FakeBoard(compute_pids=[NO_SUCH_PID])
    machine(board)
    where = placement(board.uuid, child)
    assert where.engine_on_device is None
    assert where.others == (f"pid {NO_SUCH_PID}",)
    assert "namespace" in where.why


def test_an_unknown_engine(machine: Machine) -> None:
    board = FakeBoard(compute_pids=[os.getpid()])
    machine(board)
    assert placement(board.uuid, None).engine_on_device is None
