"""On which metered boards an engine is, whoever made the board."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.calibrations import source
from doubles.graphics_cards import CARD, ENGINE, MODEL_KIB, OTHER, FakeMachine, amdgpu, graphics_machine
from doubles.nvml import FakeBoard, FakeNvml
from joulemark.live.engine_place import metered_boards, require_boards
from joulemark.record.errors import InputError
from joulemark.record.scope import Scope


@pytest.fixture
def cards() -> Iterator[FakeMachine]:
    """Two cards; the engine works on the first."""
    with graphics_machine() as machine:
        machine.card("card0", CARD)
        machine.card("card1", OTHER)
        machine.opens(ENGINE, "/dev/dri/renderD128", *amdgpu(vram_kib=MODEL_KIB))
        yield machine


def card(address: str, kind: str = "hwmon"):
    return source(name=f"{kind}:{address}", kind=kind, scope=Scope(f"wall/psu/gpu:{address}"), device_id=None)


@pytest.mark.parametrize("kind", ["hwmon", "zeus"])
def test_a_card_by_its_address(cards: FakeMachine, kind: str) -> None:
    sources = [card(CARD, kind).info, card(OTHER, kind).info]
    found = metered_boards(sources, ENGINE)
    assert [(one.scope.label, one.place.engine_on_device) for one in found] == [
        (f"gpu:{CARD}", True),
        (f"gpu:{OTHER}", False),
    ]


def test_nothing_is_said_of_what_cannot_be_looked_at(cards: FakeMachine, tmp_path: Path) -> None:
    gone = card("0000:99:00.0").info
    unaddressed = card("amd-0", "zeus").info
    processor = source(kind="rapl", scope=Scope.package(0)).info
    with FakeNvml(tmp_path, []).in_process():
        assert metered_boards([gone, unaddressed, processor], ENGINE) == []


def test_a_board_by_its_driver_whoever_reads_it(tmp_path: Path) -> None:
    fake = FakeNvml(tmp_path, [FakeBoard(compute_pids=(os.getpid(),)), FakeBoard()])
    with fake.in_process():
        sources = [
            source(name="dcgm:0", kind="dcgm", device_id=fake.boards[0].uuid).info,
            source(name="nvml:1", scope=Scope.gpu(1), device_id=fake.boards[1].uuid).info,
        ]
        found = metered_boards(sources, os.getpid())
        assert [(one.board.index, one.place.engine_on_device) for one in found] == [(0, True), (1, False)]
        require_boards([0, 1])
        with pytest.raises(InputError, match="--board 2"):
            require_boards([1, 2])
        with pytest.raises(InputError, match="not measured"):
            require_boards([0], measured=False)
