"""The headline is the energy of what runs the model, by evidence, or nothing with a reason."""

from __future__ import annotations

from dataclasses import replace

from joulemark.live.device import choose_headline
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope


def source(
    name: str, scope: Scope, trust: Trust = Trust.QUALIFIED, kind: str = "nvml", notes: tuple[str, ...] = ()
) -> QualifiedSource:
    return QualifiedSource(SourceInfo(name, kind, scope, ("energy_j",), notes=notes), Qualification(trust))


BOARD0, BOARD1 = source("nvml:0", Scope.gpu(0)), source("nvml:1", Scope.gpu(1))
PACKAGE0, PACKAGE1 = source("rapl:0", Scope.package(0)), source("rapl:1", Scope.package(1))
CORE = source("rapl:0-core", Scope.package(0).child("core"))
G0, G1 = Scope.gpu(0).path, Scope.gpu(1).path


def test_the_boards_that_run_the_engine() -> None:
    chosen = choose_headline([BOARD0, BOARD1, PACKAGE0], engine_local=True, on_board={G0: False, G1: True})
    assert chosen.sources == ("nvml:1",)


def test_both_boards_of_a_split_model() -> None:
    chosen = choose_headline([BOARD0, BOARD1], engine_local=True, on_board={G0: True, G1: True})
    assert chosen.sources == ("nvml:0", "nvml:1")


def test_the_packages_where_every_board_denies_it_and_no_part_of_a_package_twice() -> None:
    sources = [BOARD0, CORE, PACKAGE1, PACKAGE0]
    chosen = choose_headline(sources, engine_local=True, on_board={G0: False})
    assert chosen.sources == ("rapl:0", "rapl:1")


def test_a_board_that_cannot_say_withholds_it_may_be_idle() -> None:
    chosen = choose_headline([BOARD0, PACKAGE0], engine_local=True, on_board={G0: None})
    assert (chosen.sources, chosen.reason) == ((), Reason.ENGINE_NOT_VISIBLE)


def test_a_declared_board_is_believed_and_said_to_be_declared() -> None:
    chosen = choose_headline([BOARD0], engine_local=None, on_board={G0: None}, declared={G0})
    assert chosen.sources == ("nvml:0",)
    assert "declared" in chosen.notes[0]


def test_an_engine_that_uses_no_board_needs_no_denial() -> None:
    chosen = choose_headline([BOARD0, PACKAGE0], engine_local=True, on_board={G0: None}, on_processor=True)
    assert chosen.sources == ("rapl:0",)


def test_a_board_beside_a_seen_one_that_cannot_say_is_noted() -> None:
    chosen = choose_headline([BOARD0, BOARD1], engine_local=True, on_board={G0: True, G1: None})
    assert chosen.sources == ("nvml:0",)
    assert "nvml:1" in chosen.notes[0]


def test_no_headline_has_its_reason() -> None:
    assert choose_headline([], engine_local=True, on_board={}).reason is Reason.NO_METER
    remote = choose_headline([BOARD0, PACKAGE0], engine_local=False, on_board={G0: None})
    assert remote.reason is Reason.ENGINE_REMOTE
    hidden = choose_headline([PACKAGE0], engine_local=None, on_board={})
    assert hidden.reason is Reason.ENGINE_NOT_VISIBLE
    elsewhere = choose_headline([BOARD0], engine_local=True, on_board={G0: False})
    assert elsewhere.reason is Reason.ENGINE_NOT_ON_DEVICE
    dead = source("nvml:0", Scope.gpu(0), Trust.ABSENT)
    assert choose_headline([dead], engine_local=True, on_board={}).reason is Reason.METER_NOT_QUALIFIED


def test_a_replayed_trace_is_taken_at_its_word() -> None:
    replay = source("replay:x", Scope("replay"), kind="replay")
    assert choose_headline([replay, BOARD0], engine_local=None, on_board={}).sources == ("replay:x",)


def test_of_replayed_traces_the_device_leads_and_the_wall_stands_beside() -> None:
    gpu = source("replay:gpu", Scope.gpu(0), kind="replay")
    wall = source("replay:wall", Scope("wall"), kind="replay")
    assert choose_headline([wall, gpu], engine_local=True, on_board={}).sources == ("replay:gpu",)
    assert choose_headline([wall], engine_local=True, on_board={}).sources == ("replay:wall",)


PLUG = source("shelly", Scope("wall"), kind="shelly")
ANALYZER = source("analyzer", Scope("wall"), kind="analyzer")
SUPPLY = source("hwmon:psu", Scope("wall/psu"), kind="hwmon")


def test_a_meter_outside_leads_only_where_the_device_has_no_source() -> None:
    beside = choose_headline([PLUG, PACKAGE0], engine_local=True, on_board={})
    assert beside.sources == ("rapl:0",)
    alone = choose_headline([SUPPLY, PLUG, ANALYZER], engine_local=True, on_board={})
    assert alone.sources == ("analyzer",)
    assert "no meter of the part that runs the model" in alone.notes[0]
    doubted = source("analyzer", Scope("wall"), Trust.SUSPECT, kind="analyzer")
    assert choose_headline([doubted, PLUG], engine_local=True, on_board={}).sources == ("shelly",)


def test_a_meter_outside_does_not_stand_in_for_a_board_that_cannot_say() -> None:
    unknown = choose_headline([PLUG, BOARD0], engine_local=True, on_board={G0: None})
    assert unknown.reason is Reason.ENGINE_NOT_VISIBLE
    remote = choose_headline([PLUG], engine_local=False, on_board={})
    assert remote.reason is Reason.ENGINE_REMOTE


def test_a_board_that_instances_share_is_attributed_to_none_of_them() -> None:
    info = replace(BOARD0.info, notes=("mig_shared_board: split",))
    shared = QualifiedSource(info, BOARD0.qualification)
    seen = choose_headline([shared, PACKAGE0], engine_local=True, on_board={G0: True})
    assert seen.reason is Reason.SHARED_DEVICE
    declared = choose_headline([shared], engine_local=True, on_board={G0: True}, declared={G0})
    assert declared.sources == ("nvml:0",)


def test_a_firmware_sensor_of_a_module_is_no_board() -> None:
    sensor = source("hwmon:module", Scope.module(0), kind="hwmon")
    assert choose_headline([sensor, PACKAGE0], engine_local=True, on_board={}).sources == ("rapl:0",)


SOC = source("zeus:soc", Scope("wall/psu/soc"), kind="zeus")
ON_CHIP = [source(f"zeus:{part}", Scope(f"wall/psu/soc/{part}"), kind="zeus") for part in ("gpu", "cpu")]


def test_a_system_on_a_chip_leads_and_its_graphics_is_no_board() -> None:
    for order in ([SOC, *ON_CHIP], [*ON_CHIP, SOC]):
        assert choose_headline(order, engine_local=True, on_board={}).sources == ("zeus:soc",)
    assert choose_headline([PLUG, *ON_CHIP], engine_local=True, on_board={}).sources == ("shelly",)
    assert choose_headline([PACKAGE0, SOC], engine_local=True, on_board={}).sources == ("zeus:soc",)
    assert choose_headline(ON_CHIP, engine_local=True, on_board={}).reason is Reason.NO_METER


def test_boards_that_cannot_be_told_apart_make_no_headline() -> None:
    card = source("hwmon:card", Scope("wall/psu/gpu:0000:03:00.0"), kind="hwmon")
    dcgm = source("dcgm:0", Scope.gpu(0), kind="dcgm")
    seen = {card.info.scope.path: True, G0: True}
    refused = choose_headline([card, dcgm], engine_local=True, on_board=seen)
    assert (refused.sources, refused.reason) == ((), Reason.NOT_APPLICABLE)
    assert "hwmon:card" in refused.notes[0]
    assert "dcgm:0" in refused.notes[0]
    assert choose_headline([card, BOARD0], engine_local=True, on_board=seen).sources == (
        "hwmon:card",
        "nvml:0",
    )


def test_a_module_stands_for_its_board() -> None:
    module = source("nvml:module", Scope.module(0))
    seen = {module.info.scope.path: True, G0: True}
    assert choose_headline([BOARD0, module], engine_local=True, on_board=seen).sources == ("nvml:module",)


def test_a_simulated_board_leads_a_simulated_engine_alone() -> None:
    made = source("dcgm:0", Scope.gpu(0), kind="dcgm")
    made = replace(made, info=replace(made.info, device_name="Simulated NVIDIA H100"))
    refused = choose_headline([made], engine_local=True, on_board={G0: True})
    assert (refused.sources, refused.reason) == ((), Reason.NO_METER)
    assert "dcgm:0: a SIMULATED board" in refused.detail
    simulated = choose_headline([made], engine_local=True, on_board={}, simulated=True)
    assert simulated.sources == ("dcgm:0",)
    beside = choose_headline([made, PACKAGE0], engine_local=True, on_board={})
    assert beside.sources == ("rapl:0",)
