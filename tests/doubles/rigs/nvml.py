"""NVIDIA boards under each fault: the real pynvml on the fake driver library."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from doubles.faults import Fault, NowS, Truth
from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.nvml.driver import TIMEOUT
from joulemark.meters.nvml.finding import find_nvml

from . import Rigged, rig

_FAR_S = 1e9
_FALL_J = 500.0  # more than the board uses between two reads, less than half of what it has counted
_READS = ("FieldValues", "TotalEnergyConsumption", "PowerUsage")
_CANNOT_WRAP = "NVML counts millijoules in 64 bits"
_NO_COUNTER = "the board has no counter"


def _board(fault: Fault, truth: Truth) -> FakeBoard:
    board = FakeBoard(power=[Piece(1.0, truth.power_w)], base_j=20_000.0, uuid="GPU-rigged")
    middle_s = truth.middle_s
    match fault:
        case Fault.SHORT_GAP:
            board.errors = [(name, TIMEOUT, middle_s, middle_s + truth.gap_s) for name in _READS]
        case Fault.RESET:
            board.reset_at_s = middle_s
        case Fault.BACKWARDS:
            board.backwards = (middle_s, _FALL_J)
        case Fault.FREEZE:
            board.freeze_s = (middle_s, _FAR_S)
        case Fault.STALE:
            board.freeze_s, board.freeze_gauge = (middle_s, _FAR_S), True
        case Fault.NOT_SUPPORTED:
            board.unsupported = _READS
        case Fault.LOST:
            board.lost_at_s = middle_s
        case Fault.WRONG_UNIT:
            board.gain = 1000.0
    return board


@contextlib.contextmanager
def _machine(board: FakeBoard, fault: Fault, now_s: NowS) -> Iterator[Rigged]:
    boards = [board, board] if fault is Fault.DUPLICATE_SCOPE else [board]  # one board under two indexes
    with (
        tempfile.TemporaryDirectory() as directory,
        FakeNvml(Path(directory), boards, virtual=True).in_process(lambda: round(now_s() * 1e9)),
    ):
        yield Rigged(find_nvml)


@rig("nvml counter+gauge", has_counter=True, has_gauge=True, impossible={Fault.WRAP: _CANNOT_WRAP})
@contextlib.contextmanager
def counter_and_gauge(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A board of today: counter, instantaneous and averaged power."""
    with _machine(_board(fault, truth), fault, now_s) as rigged:
        yield rigged


@rig(
    "nvml gauge only",
    has_counter=False,
    has_gauge=True,
    impossible=dict.fromkeys((Fault.WRAP, Fault.RESET, Fault.BACKWARDS), _NO_COUNTER),
)
@contextlib.contextmanager
def gauge_only(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A Pascal board: instantaneous power by the older call and nothing else."""
    board = _board(fault, truth)
    board.name, board.architecture, board.pci_device_id = "Fake P100", 4, 0x15F8
    board.usage_window_s, board.gain = 0.0, 1.0
    board.unsupported = (*board.unsupported, 83, 185, 186, "TotalEnergyConsumption")
    board.freeze_gauge = fault in (Fault.FREEZE, Fault.STALE)
    board.gauge_gain = 1000.0 if fault is Fault.WRONG_UNIT else 1.0
    with _machine(board, fault, now_s) as rigged:
        yield rigged


@rig("nvml module", has_counter=True, has_gauge=True, impossible={Fault.WRAP: _CANNOT_WRAP})
@contextlib.contextmanager
def module(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """Grace Hopper: the driver meters processor and board together."""
    board = _board(fault, truth)
    board.name, board.gpu_scope, board.module_scope = "Fake GH200", False, True
    board.power, board.module_extra_w = [Piece(1.0, 0.75 * truth.power_w)], 0.25 * truth.power_w
    with _machine(board, fault, now_s) as rigged:
        yield rigged
