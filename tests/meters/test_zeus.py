"""Sources that exist only through Zeus, against a double of its API."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from doubles.faults import Fault
from doubles.zeus_world import FIELDS, SIGNATURES, FakeGpu, World, world, zeus_in_place
from joulemark.meters.discovery import discover
from joulemark.meters.duplicates import without_duplicates
from joulemark.meters.hwmon.chip import ROOT_VARIABLE
from joulemark.meters.qualification import qualify
from joulemark.meters.source import Finding, SourceLost
from joulemark.meters.zeus_backed import find_zeus, open_zeus
from joulemark.meters.zeus_backed.library import device_of, is_installed, reason_of
from joulemark.meters.zeus_backed.parts import VARIABLE, Part, has_amd_gpu, is_jetson, parts_here
from joulemark.meters.zeus_backed.source import ZeusSource
from joulemark.record.clock import VirtualClock
from joulemark.record.meter import Trust
from joulemark.record.scope import Scope

ONE_UPDATE_J = 1.3  # 10 ms at 120 W


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(round(20e9))


def make(clock: VirtualClock, **facts: object) -> World:
    return World(lambda: clock.now_ns() * 1e-9, **facts)  # type: ignore[arg-type]


def by_name() -> dict[str, Finding]:
    return {finding.name: finding for finding in find_zeus()}


def opened(name: str, clock: VirtualClock) -> ZeusSource:
    finding = by_name()[name]
    assert finding.spec is not None
    assert json.loads(json.dumps(finding.spec.args)) == finding.spec.args
    return open_zeus(finding.spec, clock)


def gained_j(source: ZeusSource, clock: VirtualClock, seconds: float) -> float:
    before = source.read(0).values["energy_j"]
    clock.sleep_s(seconds)
    return source.read(0).values["energy_j"] - before


# AMD


def test_an_amd_gpu_is_the_board_at_its_pci_address(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock), "amd"):
        source = opened("zeus:amd:0", clock)
        assert source.info.scope == Scope("wall/psu/gpu:0000:03:00.0")
        assert source.info.device_id == "0000:03:00.0"
        assert source.info.quantities == ("energy_j", "power_w")
        assert source.info.power_max_w == 300.0
        assert source.read(0).values["power_w"] == 120.0
        assert gained_j(source, clock, 10.0) == pytest.approx(1200.0, abs=ONE_UPDATE_J)


def test_masks_of_the_engine_hide_no_board_and_stay_as_they_are(
    clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-5f2a")
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "")
    gpus = [FakeGpu(), FakeGpu(address="0000:83:00.0")]
    with zeus_in_place(make(clock, gpus=gpus), "amd"):
        assert [finding.info is not None for finding in find_zeus()] == [True, True]
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "GPU-5f2a"
    assert os.environ["HIP_VISIBLE_DEVICES"] == ""


@pytest.mark.parametrize("second", [{"second_die": True}, {"silent_zero": True}])
def test_the_dies_of_one_board_are_one_scope(clock: VirtualClock, second: dict[str, bool]) -> None:
    gpus = [
        FakeGpu("AMD Instinct MI250X", "0000:c1:00.0"),
        FakeGpu("AMD Instinct MI250X", "0000:c6:00.0", **second),
    ]
    with zeus_in_place(make(clock, gpus=gpus), "amd"):
        findings = by_name()
    first, other = findings["zeus:amd:0"], findings["zeus:amd:1"]
    assert first.info is not None
    assert any(entry.startswith("dual_die: ") for entry in first.info.notes)
    assert other.spec is None
    assert other.why == "the second die of its board: what it draws is in zeus:amd:0"


def test_partitions_of_a_board_are_read_once(clock: VirtualClock) -> None:
    gpus = [FakeGpu("AMD Instinct MI300X", f"0000:05:00.{function}") for function in range(3)]
    with zeus_in_place(make(clock, gpus=gpus), "amd"):
        assert [finding.info is not None for finding in find_zeus()] == [True, False, False]


def test_a_silent_zero_is_no_energy(clock: VirtualClock) -> None:
    gpu = FakeGpu()
    with zeus_in_place(make(clock, gpus=[gpu]), "amd"):
        source = opened("zeus:amd:0", clock)
        gpu.silent_zero = True
        reading = source.read(0)
    assert reading.values == {}
    assert reading.flags == ("energy_j:zero", "power_w:zero")


def test_a_board_that_gives_nothing_is_told(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock, gpus=[FakeGpu(silent_zero=True)]), "amd"):
        (finding,) = find_zeus()
    assert finding.spec is None
    assert "energy_j:zero" in finding.why


def test_without_a_counter_there_is_a_gauge_and_a_note(clock: VirtualClock) -> None:
    gpu = FakeGpu(counts=False, instant=False, average=True)
    with zeus_in_place(make(clock, gpus=[gpu]), "amd"):
        info = opened("zeus:amd:0", clock).info
    assert info.quantities == ("power_average_w",)
    assert info.power_window_s is None
    assert "lacks: energy_j (not_supported)" in info.notes


def test_a_counter_that_disagrees_with_the_power_fails_our_own_test(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock, fault=Fault.WRONG_UNIT), "amd"):
        test = qualify(opened("zeus:amd:0", clock), clock)
    assert test.trust is Trust.SUSPECT
    assert test.reason is not None
    assert test.reason.startswith("counter")


def test_hwmon_and_zeus_show_one_board_once(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock), "amd"):
        (finding,) = find_zeus()
    assert finding.info is not None
    assert finding.spec is not None
    info = dataclasses.replace(finding.info, kind="hwmon", name="hwmon:amdgpu", device_id="/sys/devices/x")
    hwmon = dataclasses.replace(finding, kind="hwmon", name="hwmon:amdgpu", info=info)
    kept = [one for one in without_duplicates([finding, hwmon]) if one.spec is not None]
    assert [one.kind for one in kept] == ["zeus"]


def test_the_driver_is_opened_once_a_process(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock), "amd") as there:
        opened("zeus:amd:0", clock)
        source = opened("zeus:amd:0", clock)
        source.close()
        opened("zeus:amd:0", clock)
        assert there.made == 1


# Apple


def test_apple_gives_the_chip_and_its_parts(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock), "apple"):
        findings = by_name()
        assert list(findings) == [f"zeus:apple:{name}" for name in ("soc", "cpu", "gpu", "dram", "ane")]
        scopes = [finding.info.scope.path for finding in findings.values() if finding.info]
        assert scopes == ["wall/psu/soc", *(f"wall/psu/soc/{name}" for name in ("cpu", "gpu", "dram", "ane"))]
        assert gained_j(opened("zeus:apple:soc", clock), clock, 10.0) == pytest.approx(
            1200.0, abs=ONE_UPDATE_J
        )
        assert gained_j(opened("zeus:apple:gpu", clock), clock, 10.0) == pytest.approx(
            480.0, abs=ONE_UPDATE_J
        )


def test_a_part_that_the_chip_does_not_count_is_named_and_is_no_zero(clock: VirtualClock) -> None:
    parts = {"cpu_total_mj": 0.6, "gpu_mj": 0.4, "dram_mj": None, "ane_mj": None}
    with zeus_in_place(make(clock, apple=parts), "apple"):
        findings = by_name()
        soc = findings["zeus:apple:soc"].info
        assert gained_j(opened("zeus:apple:soc", clock), clock, 10.0) == pytest.approx(
            1200.0, abs=ONE_UPDATE_J
        )
    assert findings["zeus:apple:dram"].spec is None
    assert findings["zeus:apple:dram"].why == "this chip does not count it"
    assert soc is not None
    assert any("sum of cpu, gpu; dram, ane not counted" in entry for entry in soc.notes)


def test_a_processor_counter_at_zero_leaves_the_chip_unknown(clock: VirtualClock) -> None:
    parts = {"cpu_total_mj": 0.0, "gpu_mj": 0.9, "dram_mj": 0.1, "ane_mj": 0.0}
    with zeus_in_place(make(clock, apple=parts), "apple"):
        soc, gpu = opened("zeus:apple:soc", clock), opened("zeus:apple:gpu", clock)
        assert soc.read(0).flags == ("energy_j:part_zero",)
        assert opened("zeus:apple:cpu", clock).read(0).flags == ("energy_j:zero",)
        assert gained_j(gpu, clock, 10.0) > 0


def test_a_stuck_part_cannot_hide_in_the_sum(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock, stuck={"cpu_total_mj"}), "apple") as there:
        soc = opened("zeus:apple:soc", clock)
        clock.advance_to_ns(round((there.truth.middle_s - 1) * 1e9))
        assert "energy_j" in soc.read(0).values
        clock.sleep_s(2.0)
        soc.read(0)
        clock.sleep_s(6.0)
        reading = soc.read(0)
    assert reading.values == {}
    assert reading.flags == ("energy_j:part_stuck",)


def test_an_idle_neural_engine_does_not_make_the_chip_unknown(clock: VirtualClock) -> None:
    parts = {"cpu_total_mj": 0.5, "gpu_mj": 0.4, "dram_mj": 0.1, "ane_mj": 0.0}
    with zeus_in_place(make(clock, apple=parts), "apple"):
        assert gained_j(opened("zeus:apple:soc", clock), clock, 60.0) == pytest.approx(
            7200.0, abs=ONE_UPDATE_J
        )


# Jetson


def test_jetson_is_marked_as_counted_by_software(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock), "jetson"):
        source = opened("zeus:jetson:soc", clock)
        assert gained_j(source, clock, 10.0) == pytest.approx(1200.0, abs=13.0)
    assert source.info.scope == Scope("wall/psu/soc")
    assert source.info.read_period_s is not None
    assert any(entry.startswith("software_counter: ") for entry in source.info.notes)


def test_an_answer_that_came_too_late_is_not_taken_for_the_next(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock), "jetson"):
        source = opened("zeus:jetson:soc", clock)
        device = device_of(Part.JETSON)
        device.result_queue.put(device.get_total_energy_consumption(timeout=2.0))
        assert gained_j(source, clock, 10.0) == pytest.approx(1200.0, abs=13.0)


def test_its_sum_goes_on_after_a_gap(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock, fault=Fault.SHORT_GAP), "jetson") as there:
        source = opened("zeus:jetson:soc", clock)
        clock.advance_to_ns(round((there.truth.middle_s + 0.1) * 1e9))
        with pytest.raises(SourceLost, match="timeout"):
            source.read(0)
        source.close()
        clock.sleep_s(2.0)
        opened("zeus:jetson:soc", clock).read(0)
        assert there.made == 1


def test_a_dead_poller_is_made_anew(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock, fault=Fault.LOST), "jetson") as there:
        source = opened("zeus:jetson:soc", clock)
        clock.advance_to_ns(round((there.truth.middle_s + 1) * 1e9))
        device_of(Part.JETSON).process.alive = False
        with pytest.raises(SourceLost):
            source.read(0)
        source.close()
        there.fault = Fault.HEALTHY
        opened("zeus:jetson:soc", clock).read(0)
        assert there.made == 2


# Windows


def test_emi_gives_packages_and_memory(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock, packages=[(0.5, 0.1), (0.5, None)]), "emi"):
        findings = by_name()
        scopes = {name: finding.info.scope.path for name, finding in findings.items() if finding.info}
        assert scopes == {
            "zeus:emi:package-0": "wall/psu/psys/package:0",
            "zeus:emi:dram-0": "wall/psu/psys/dram:0",
            "zeus:emi:package-1": "wall/psu/psys/package:1",
        }
        assert findings["zeus:emi:dram-1"].why == "this processor does not count it"
        assert gained_j(opened("zeus:emi:dram-0", clock), clock, 10.0) == pytest.approx(120.0, abs=0.2)


# where there is nothing


def test_silence_where_zeus_is_neither_there_nor_of_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("JOULEMARK_SYS", str(tmp_path))
    assert find_zeus() == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("part", "fix"),
    [
        ("amd", "pip install 'joulemark[zeus]'"),
        ("apple", "pip install 'joulemark[zeus]' 'zeus-apple-silicon>=1.1'"),
        ("jetson", "pip install 'joulemark[zeus]'"),
        ("emi", "pip install 'zeus @ git+https://github.com/ml-energy/zeus'"),
    ],
)
def test_where_it_could_help_the_command_is_told(
    part: str, fix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_installed(), "zeus must not be in the environment of the tests: it breaks Ray"
    monkeypatch.setenv(VARIABLE, part)
    (finding,) = find_zeus()
    assert finding.spec is None
    assert finding.why.startswith("the Python package zeus is not installed")
    assert finding.fix == fix


@pytest.mark.parametrize("part", ["amd", "apple", "jetson", "emi"])
def test_a_library_below_that_is_missing_is_told_and_nothing_is_printed(
    part: str, clock: VirtualClock, capfd: pytest.CaptureFixture[str]
) -> None:
    with zeus_in_place(make(clock, available=False), part):
        (finding,) = find_zeus()
    assert finding.spec is None
    assert finding.why
    assert finding.fix
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "error", ["KeyError('libamd_smi.so')", "AttributeError('amdsmi_init')", "OSError('no')"]
)
def test_every_error_of_an_import_is_caught(
    error: str, tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "zeus"
    package.mkdir()
    (package / "__init__.py").write_text(f"raise {error}\n")
    with zeus_in_place(make(clock), "amd"):
        monkeypatch.syspath_prepend(str(tmp_path))
        (finding,) = find_zeus()
    assert finding.spec is None
    assert error.partition("(")[0] in finding.why


def test_a_release_without_emi_is_told_where_to_get_it(
    tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zeus").mkdir()
    (tmp_path / "zeus" / "__init__.py").touch()
    with zeus_in_place(make(clock), "emi"):
        monkeypatch.syspath_prepend(str(tmp_path))
        (finding,) = find_zeus()
    assert finding.why.startswith("this release of Zeus does not have it")
    assert "git+https" in finding.fix


def test_a_channel_that_is_gone_is_lost(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock), "amd"):
        finding = by_name()["zeus:amd:0"]
        assert finding.spec is not None
        world().gpus[0].address = "0000:04:00.0"
        spec = dataclasses.replace(finding.spec)
    with zeus_in_place(make(clock, gpus=[FakeGpu(address="0000:04:00.0")]), "amd"), pytest.raises(SourceLost):
        open_zeus(spec, clock)


def test_discovery_knows_the_kind(clock: VirtualClock) -> None:
    with zeus_in_place(make(clock), "amd"):
        assert [finding.name for finding in discover(["zeus"])] == ["zeus:amd:0"]


def test_finding_imports_neither_zeus_nor_its_monitor() -> None:
    code = (
        "import sys; from joulemark.meters.zeus_backed import find_zeus; find_zeus(); "
        "sys.exit(any(name.startswith('zeus') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# what the system shows


@pytest.mark.parametrize(("vendor", "found"), [("0x1002\n", True), ("0x10de\n", False)])
def test_an_amd_gpu_is_seen_in_drm(tmp_path: Path, vendor: str, found: bool) -> None:
    device = tmp_path / "class/drm/card0/device"
    device.mkdir(parents=True)
    (device / "vendor").write_text(vendor)
    assert has_amd_gpu(tmp_path) is found


@pytest.mark.parametrize(
    ("properties", "found"),
    [
        ("simd_count 304\nvendor_id 4098\n", True),
        ("simd_count 0\nvendor_id 4098\n", False),
        ("simd_count 304\nvendor_id 4318\n", False),
    ],
)
def test_an_amd_gpu_is_seen_in_kfd_and_a_processor_is_none(
    tmp_path: Path, properties: str, found: bool
) -> None:
    node = tmp_path / "class/kfd/kfd/topology/nodes/1"
    node.mkdir(parents=True)
    (node / "properties").write_text(properties)
    assert has_amd_gpu(tmp_path) is found


def test_a_jetson_whose_sensors_the_kernel_shows_is_not_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "firmware/devicetree/base"
    tree.mkdir(parents=True)
    (tree / "compatible").write_bytes(b"nvidia,p3737-0000+p3701-0005\0nvidia,tegra234\0")
    hwmon = tmp_path / "class/hwmon"
    hwmon.mkdir(parents=True)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("JOULEMARK_SYS", str(tmp_path))
    monkeypatch.setenv(ROOT_VARIABLE, str(hwmon))
    assert is_jetson(tmp_path)
    assert parts_here() == [Part.JETSON]
    chip = hwmon / "hwmon3"
    chip.mkdir()
    (chip / "name").write_text("ina3221\n")
    (chip / "in1_label").write_text("VDD_IN\n")
    assert parts_here() == []


# the contract with Zeus


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_double_has_the_signatures_of_zeus(name: str, clock: VirtualClock) -> None:
    module, _, path = name.partition(":")
    with zeus_in_place(make(clock)):
        found: object = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    assert callable(found)
    signature = inspect.signature(found)
    if inspect.isclass(found):
        signature = signature.replace(return_annotation="None")
    assert str(signature) == SIGNATURES[name]


@pytest.mark.parametrize("name", FIELDS)
def test_the_measurements_of_the_double_have_the_fields_of_zeus(name: str, clock: VirtualClock) -> None:
    module, _, path = name.partition(":")
    with zeus_in_place(make(clock)):
        measurement = getattr(importlib.import_module(module), path)
    assert set(FIELDS[name]) <= {field.name for field in dataclasses.fields(measurement)}


class ZeusGPUNotSupportedError(Exception):
    pass


class ZeusEMIInitError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ZeusGPUNotSupportedError(), "not_supported"),
        (ZeusEMIInitError(), "emi_init"),
        (RuntimeError(), "runtime"),
        (KeyError(), "key"),
    ],
)
def test_errors_have_names(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason
