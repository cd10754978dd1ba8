"""Who uses a graphics card that is not NVIDIA's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from doubles.graphics_cards import (
    CARD,
    CHILD,
    ENGINE,
    MODEL_KIB,
    OTHER,
    FakeMachine,
    amdgpu,
    graphics_machine,
)
from doubles.powercap import ordinary_user
from joulemark.meters.drm_board import NO_INDEX, drm_board
from joulemark.meters.drm_clients import drm_placement
from joulemark.meters.drm_place import pci_address
from joulemark.record.scope import Scope

STRANGER = 900


@pytest.fixture
def machine() -> Iterator[FakeMachine]:
    with graphics_machine() as made:
        yield made


def xe(*more: str) -> tuple[str, ...]:
    idle = ("drm-total-cycles-rcs:\t7655183225", "drm-engine-capacity-vcs:\t2000000000")
    return ("drm-driver:\txe", f"drm-pdev:\t{CARD}", *idle, *more)


@pytest.mark.parametrize(
    ("lines", "uses"),
    [
        (amdgpu(vram_kib=MODEL_KIB), True),
        (amdgpu(), False),
        (amdgpu(vram_kib=4096), False),  # a look at the device takes a little memory
        (amdgpu(CARD, 0, "drm-engine-compute:\t50000000 ns"), True),
        (amdgpu(CARD, 0, "drm-engine-gfx:\t120000 ns"), False),
        (amdgpu(OTHER, MODEL_KIB), False),
        (xe("drm-total-vram0:\t4096 MiB", "drm-cycles-ccs:\t0"), True),
        (xe("drm-total-vram0:\t0", "drm-cycles-ccs:\t28257900"), True),
        (xe("drm-total-vram0:\t0", "drm-cycles-ccs:\t0"), False),
        (("drm-driver:\ti915", f"drm-pdev:\t{CARD}", "drm-engine-compute:\t9000000000 ns"), True),
        (("drm-driver:\ti915", f"drm-pdev:\t{CARD}", "drm-engine-compute:\tmany ns"), False),
        (("pdev:\t" + CARD, "vram mem:\t4194304 kB", "gfx0:\t12.30%"), True),  # before Linux 5.19
    ],
)
def test_work_is_told_from_a_look(machine: FakeMachine, lines: tuple[str, ...], uses: bool) -> None:
    machine.opens(ENGINE, "/dev/dri/renderD128", *lines)
    place = drm_placement(CARD, ENGINE)
    assert place.engine_on_device is uses
    assert place.others == ()
    assert bool(place.why) is not uses


def test_an_engine_works_through_its_child(machine: FakeMachine) -> None:
    machine.opens(CHILD, "/dev/dri/renderD128", *amdgpu(vram_kib=MODEL_KIB))
    assert drm_placement(CARD, ENGINE).engine_on_device is True
    assert drm_placement(OTHER, ENGINE).engine_on_device is False


def test_an_engine_without_any_device_is_elsewhere(machine: FakeMachine) -> None:
    machine.opens(ENGINE, "/dev/null", *amdgpu(vram_kib=MODEL_KIB))
    machine.opens(ENGINE, "socket:[1234]")
    assert drm_placement(CARD, ENGINE).engine_on_device is False


def test_others_are_named(machine: FakeMachine) -> None:
    machine.process(STRANGER, name="some game")
    machine.opens(STRANGER, "/dev/dri/renderD128", *amdgpu(vram_kib=MODEL_KIB))
    machine.opens(ENGINE, "/dev/dri/renderD128", *amdgpu(vram_kib=MODEL_KIB))
    place = drm_placement(CARD, ENGINE)
    assert (place.engine_on_device, place.others) == (True, ("some game (pid 900)",))
    assert drm_placement(CARD, None).others == ("llama-server (pid 500)", "some game (pid 900)")


def test_an_unknown_or_ended_engine_is_not_judged(machine: FakeMachine) -> None:
    assert drm_placement(CARD, None).engine_on_device is None
    ended = drm_placement(CARD, 77777)
    assert ended.engine_on_device is None
    assert "ended" in ended.why


def test_an_engine_of_another_user_cannot_be_looked_into(machine: FakeMachine) -> None:
    (machine.proc / str(ENGINE) / "fd").chmod(0o500)
    with ordinary_user():
        place = drm_placement(CARD, ENGINE)
    assert place.engine_on_device is None
    assert str(machine.proc / str(ENGINE)) in place.why


def test_a_driver_that_tells_nothing_leaves_it_open(machine: FakeMachine) -> None:
    machine.card("renderD128", CARD)
    machine.card("renderD129", OTHER)
    machine.opens(ENGINE, "/dev/dri/renderD128")
    place = drm_placement(CARD, ENGINE)
    assert (place.engine_on_device, "does not say" in place.why) == (None, True)
    assert drm_placement(OTHER, ENGINE).engine_on_device is False  # its node is another card's


def test_the_node_tells_the_card_where_the_text_does_not(machine: FakeMachine) -> None:
    machine.card("renderD128", CARD)
    machine.opens(ENGINE, "/dev/dri/renderD128", "drm-driver:\tnouveau", "drm-memory-vram:\t4096 MiB")
    assert drm_placement(CARD, ENGINE).engine_on_device is True


@pytest.mark.parametrize(
    ("vram", "queues", "uses"),
    [
        ({51545: 8 << 30, 7: 0}, (), True),
        ({51545: 0, 7: 8 << 30}, (), False),
        ({51545: 0, 7: 0}, (7, 51545), True),
        ({51545: 4096, 7: 0}, (), False),
    ],
)
def test_rocm_is_a_second_witness(
    machine: FakeMachine, vram: dict[int, int], queues: tuple[int, ...], uses: bool
) -> None:
    machine.rocm_gpu(1, 51545, 0x0300)
    machine.rocm_gpu(2, 7, 0x8300)
    machine.opens(ENGINE, "/dev/kfd")
    machine.opens(ENGINE, "/dev/dri/renderD128", *amdgpu())
    machine.rocm_process(ENGINE, vram, queues)
    assert drm_placement(CARD, ENGINE).engine_on_device is uses


def test_rocm_names_those_that_may_not_be_looked_into(machine: FakeMachine) -> None:
    machine.rocm_gpu(1, 51545, 0x0300)
    machine.process(STRANGER, name="trainer")
    (machine.proc / str(STRANGER) / "fd").chmod(0o500)
    machine.rocm_process(STRANGER, {51545: 8 << 30})
    with ordinary_user():
        place = drm_placement(CARD, ENGINE)
    assert (place.engine_on_device, place.others) == (False, ("trainer (pid 900)",))


def test_rocm_in_another_pid_namespace_proves_nothing(machine: FakeMachine) -> None:
    machine.rocm_gpu(1, 51545, 0x0300)
    machine.opens(ENGINE, "/dev/kfd")
    machine.rocm_process(123456, {51545: 8 << 30})
    place = drm_placement(CARD, ENGINE)
    assert (place.engine_on_device, place.others) == (None, ("pid 123456",))


def test_rocm_without_its_list_leaves_it_open(machine: FakeMachine) -> None:
    machine.opens(ENGINE, "/dev/kfd")
    assert drm_placement(CARD, ENGINE).engine_on_device is None


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("wall/psu/gpu:0000:03:00.0", CARD),
        ("wall/psu/gpu:0000:03:00.0/pkg", None),
        ("wall/psu/gpu:0", None),
        ("wall/psu/soc", None),
    ],
)
def test_the_address_in_a_scope(path: str, address: str | None) -> None:
    assert pci_address(Scope(path)) == address


def test_facts_of_a_card(machine: FakeMachine) -> None:
    device = machine.card(
        "card0", CARD, vendor="0x1002", device="0x744c", mem_info_vram_total=25753026560, unique_id="ab12"
    )
    (device / "hwmon" / "hwmon4").mkdir(parents=True)
    (device / "hwmon" / "hwmon4" / "power1_cap").write_text("339000000\n")
    board = drm_board(CARD)
    assert board is not None
    assert (board.index, board.uuid, board.name) == (NO_INDEX, "ab12", "AMD 0x744c")
    assert (board.vram_mib, board.power_limit_w) == (24560, 339.0)
    assert board.reasons == {"driver": "not_reported"}
    assert drm_board(OTHER) is None


def test_a_card_that_says_little_has_reasons(machine: FakeMachine) -> None:
    device = machine.card("card0", CARD)
    board = drm_board(CARD)
    assert board is not None
    assert board.uuid == str(device)
    assert set(board.reasons) == {"name", "vram_mib", "power_limit_w", "driver"}
