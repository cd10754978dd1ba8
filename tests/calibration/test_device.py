"""Which sources see the part that runs the model, and who else is on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.calibrations import source
from doubles.graphics_cards import CARD, ENGINE, MODEL_KIB, amdgpu, graphics_machine
from doubles.nvml import FakeBoard, FakeNvml
from joulemark.calibration.device import choose_device
from joulemark.calibration.quiet import Account, busy_words, computing_on_boards
from joulemark.record.reason import Reason
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
    found, why = choose_device(sources, **{**defaults, **facts})
    return list(found.sources), why


def test_the_board_that_lists_the_engine(boards: FakeNvml) -> None:
    sources = [PROCESSOR, on_board(boards, 0), on_board(boards, 1)]
    assert chosen(sources) == (["nvml:1"], "")
    assert chosen(sources, declared=[0]) == (["nvml:0"], "")
    assert chosen(sources, on_processor=True) == (["rapl:package-0"], "")


def test_the_processors_where_no_board_runs_it(boards: FakeNvml) -> None:
    assert chosen([CORES, PROCESSOR, on_board(boards, 0)]) == (["rapl:package-0"], "")
    assert chosen([on_board(boards, 0)]) == ([], Reason.ENGINE_NOT_ON_DEVICE.text)


def test_where_it_cannot_be_seen_nothing_is_guessed(boards: FakeNvml) -> None:
    names, why = chosen([PROCESSOR, on_board(boards, 0)], engine_pid=None)
    assert names == []
    assert "gpu:0: the engine's process is not known; `--board 0` declares it" in why
    names, why = chosen([PROCESSOR], engine_local=None)
    assert names == []
    assert "could not be seen" in why


def card(address: str, kind: str):
    return source(name=f"{kind}:card", kind=kind, scope=Scope(f"wall/psu/gpu:{address}"), device_id=None)


@pytest.mark.parametrize("kind", ["hwmon", "zeus"])
def test_a_card_of_another_maker_by_who_has_it_open(kind: str) -> None:
    with graphics_machine() as machine:
        machine.card("card0", CARD)
        sources = [PROCESSOR, card(CARD, kind)]
        assert chosen(sources, engine_pid=ENGINE) == (["rapl:package-0"], "")
        machine.opens(ENGINE, "/dev/dri/renderD128", *amdgpu(vram_kib=MODEL_KIB))
        assert chosen(sources, engine_pid=ENGINE) == ([f"{kind}:card"], "")
        # --board counts NVIDIA's boards: it is no way out here
        names, why = chosen(sources, engine_pid=None)
        assert names == []
        assert f"gpu:{CARD}: the engine's process is not known." in why
        assert "--board" not in why
        names, why = chosen([card("amd-0", kind)], engine_pid=ENGINE)
        assert (names, "Nobody says who uses gpu:amd-0" in why) == ([], True)


def test_a_board_that_instances_share_is_nobodys(boards: FakeNvml) -> None:
    shared = source(
        name="nvml:1", scope=Scope.gpu(1), device_id=boards.boards[1].uuid, notes=("mig_shared_board: split",)
    )
    assert chosen([PROCESSOR, shared]) == ([], Reason.SHARED_DEVICE.text)
    assert chosen([PROCESSOR, shared], declared=[1]) == (["nvml:1"], "")


def test_a_firmwares_sensor_of_a_module_is_no_device(boards: FakeNvml) -> None:
    sensor = source(name="hwmon:module", kind="hwmon", scope=Scope.module(0), device_id=None)
    assert chosen([sensor, PROCESSOR]) == (["rapl:package-0"], "")
    assert chosen([sensor, on_board(boards, 1)]) == (["nvml:1"], "")


def test_a_declared_device_and_one_seen_from_outside_are_said_to_be_so(boards: FakeNvml) -> None:
    facts = {"engine_pid": os.getpid(), "engine_local": True, "on_processor": False}
    found, _ = choose_device([on_board(boards, 0)], declared=[0], **facts)
    assert "declared with --board" in found.notes[0]
    plug = source(name="shelly", kind="shelly", scope=Scope("wall"), device_id=None)
    found, why = choose_device([plug], **facts)
    assert (found.sources, why) == (("shelly",), "")
    assert "all that shelly saw" in found.notes[0]


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
