"""Power sensors from a tree laid out as the kernel's hwmon class."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.hwmon import ACPI_METER, CARD, I2C_SENSOR, OTHER_CARD, USB_SUPPLY, FakeHwmon, Fixed
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.duplicates import without_duplicates
from joulemark.meters.hwmon.chip import ROOT_VARIABLE
from joulemark.meters.hwmon.source import HwmonSource, find_placed, hwmon_spec
from joulemark.meters.notes import has_note
from joulemark.meters.source import Finding, SourceLost
from joulemark.record.clock import VirtualClock
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import OverlappingScopes, Scope, require_antichain

DISCRETE = {"freq2_label": "mclk", "temp2_label": "junction"}
SOC = "wall/psu/soc"


@pytest.fixture(autouse=True)
def bare_metal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine that runs the tests may be virtual; the machine under test is not."""
    monkeypatch.setattr("joulemark.meters.hwmon.source.is_virtual", lambda: False)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHwmon:
    made = FakeHwmon(tmp_path / "sys")
    monkeypatch.setenv(ROOT_VARIABLE, str(made.root))
    return made


def found() -> dict[str, Finding]:
    return {finding.name: finding for finding in discover(["hwmon"])}


def infos() -> dict[str, SourceInfo]:
    return {name: finding.info for name, finding in found().items() if finding.info is not None}


def scopes() -> dict[str, str]:
    return {name: info.scope.path for name, info in infos().items()}


def only(clock: VirtualClock | None = None) -> HwmonSource:
    (finding,) = found().values()
    assert finding.spec is not None
    source = open_source(finding.spec, clock)
    assert isinstance(source, HwmonSource)
    return source


# --- what covers what ---------------------------------------------------------------------------------------


def test_an_intel_card_is_its_card_and_the_package_a_part_of_it(tree: FakeHwmon) -> None:
    files = {"energy1_input": 1, "energy1_label": "card", "energy2_input": 1, "energy2_label": "pkg"}
    tree.add("xe", CARD, files)
    assert scopes() == {
        "hwmon:xe-0000:03:00.0/card": "wall/psu/gpu:0000:03:00.0",
        "hwmon:xe-0000:03:00.0/pkg": "wall/psu/gpu:0000:03:00.0/pkg",
    }
    with pytest.raises(OverlappingScopes):
        require_antichain(Scope(path) for path in scopes().values())


@pytest.mark.parametrize(
    ("name", "files", "is_partial"),
    [
        ("xe", {"energy1_input": 1, "energy1_label": "card"}, False),
        ("xe", {"energy2_input": 1, "energy2_label": "pkg"}, True),
        ("i915", {"energy1_input": 1}, True),
    ],
)
def test_where_only_the_package_is_counted_the_record_says_so(
    tree: FakeHwmon, name: str, files: dict[str, Fixed], is_partial: bool
) -> None:
    tree.add(name, CARD, files)
    (info,) = infos().values()
    assert info.scope.path == "wall/psu/gpu:0000:03:00.0"
    assert has_note(info, "package_only") is is_partial


def test_a_tile_is_a_part_of_its_card(tree: FakeHwmon) -> None:
    tree.add("i915", CARD, {"energy1_input": 1})
    tree.add("i915_gt0", CARD, {"energy1_input": 1})
    assert scopes()["hwmon:i915_gt0-0000:03:00.0"] == "wall/psu/gpu:0000:03:00.0/tile:0"


def test_facts_of_an_intel_counter(tree: FakeHwmon) -> None:
    tree.add("i915", CARD, {"energy1_input": 1, "power1_max": 0, "power1_rated_max": 225_000_000})
    (info,) = infos().values()
    assert info.quantities == ("energy_j",)
    assert info.power_max_w == pytest.approx(225.0)  # a limit of 0 is one that is switched off
    assert info.counter_modulus_j == pytest.approx(262144.0)
    assert not info.counter_wraps
    assert has_note(info, "register_32_bit")
    assert info.read_period_s is None


def test_limits_that_are_off_are_no_limit(tree: FakeHwmon) -> None:
    tree.add("i915", CARD, {"energy1_input": 1, "power1_max": 0, "power1_crit": "unknown"})
    (info,) = infos().values()
    assert info.power_max_w is None


def test_an_amd_card(tree: FakeHwmon) -> None:
    files = {"power1_average": 1, "power1_input": 2, "power1_cap_max": 350_000_000, **DISCRETE}
    tree.add("amdgpu", CARD, files, of_device={"product_name": "Radeon Pro W7900"})
    (info,) = infos().values()
    assert info.scope.path == "wall/psu/gpu:0000:03:00.0"
    assert (info.quantities, info.power_max_w) == (("power_w",), 350.0)
    assert info.device_name == "Radeon Pro W7900"
    assert info.power_window_s is None
    assert info.value_age_s == 1.0
    assert only().read(0).values == {"power_w": pytest.approx(1e-6)}  # the average, not the sample


def test_an_instantaneous_gauge_has_no_window(tree: FakeHwmon) -> None:
    tree.add("amdgpu", CARD, {"power1_input": 2, **DISCRETE})
    (info,) = infos().values()
    assert (info.power_window_s, info.value_age_s) == (0.0, 0.0)


def test_the_graphics_of_a_processor_is_that_package(tree: FakeHwmon) -> None:
    tree.add("amdgpu", CARD, {"power1_average": 1, "in1_label": "vddnb"})
    (info,) = infos().values()
    assert info.scope == Scope.package(0)
    assert has_note(info, "whole_package")


def test_the_package_is_not_counted_beside_rapl(tree: FakeHwmon) -> None:
    tree.add("amdgpu", CARD, {"power1_average": 1, "in1_label": "vddnb"})
    rapl = SourceInfo("rapl:package-0", "rapl", Scope.package(0), ("energy_j",))
    (finding,) = found().values()
    assert finding.spec is not None
    kept = without_duplicates([Finding("rapl", rapl.name, "", finding.spec, rapl), finding])
    assert [one.spec is not None for one in kept] == [True, False]


def test_a_card_that_cannot_be_told_from_a_processor_is_no_board(tree: FakeHwmon) -> None:
    tree.add("amdgpu", CARD, {"power1_average": 1}, of_device={"mem_info_vram_total": 8 << 30, "boot_vga": 1})
    (info,) = infos().values()
    assert info.scope.kind == "sensor"
    assert has_note(info, "scope_unknown")


def test_a_part_with_cores_and_gpu_in_one_socket_says_so(tree: FakeHwmon) -> None:
    tree.add("amdgpu", CARD, {"power1_input": 1, **DISCRETE}, of_device={"device": "0x74a0"})
    (info,) = infos().values()
    assert has_note(info, "module_scope")


def test_two_cards_are_two_boards(tree: FakeHwmon) -> None:
    for card in (CARD, OTHER_CARD):
        tree.add("amdgpu", card, {"power1_average": 1, **DISCRETE})
    require_antichain(info.scope for info in infos().values())
    assert len({info.device_id for info in infos().values()}) == 2


def test_grace_and_its_module(tree: FakeHwmon) -> None:
    for number, part in enumerate(["Module", "Grace", "CPU", "SysIO"]):
        files = {"power1_average": 1, "power1_oem_info": f"{part} Power Socket 1"}
        tree.add("power_meter", f"{ACPI_METER[:-1]}{number}", files, beside=True)
    assert list(scopes().values()) == [
        "wall/psu/module:1",
        "wall/psu/module:1/package:1",
        "wall/psu/module:1/package:1/core",
        "wall/psu/module:1/package:1/uncore",
    ]
    assert [has_note(info, "module_scope") for info in infos().values()] == [True, False, False, False]


@pytest.mark.parametrize("beside", [True, False])
def test_a_servers_own_meter(tree: FakeHwmon, beside: bool) -> None:
    files = {"power1_average": 300_000_000, "power1_average_interval": 300_000, "power1_accuracy": "90.0%"}
    tree.add("power_meter", ACPI_METER, {**files, "power1_oem_info": ""}, beside=beside)
    (info,) = infos().values()
    assert (info.name, info.scope.path) == ("hwmon:power_meter-ACPI000D:00", "wall/psu")
    assert (info.power_window_s, info.uncertainty_pct) == (300.0, 10.0)
    assert info.read_period_s is not None  # firmware may stall
    assert only().read(0).values == {"power_w": pytest.approx(300.0)}


def test_of_several_supplies_none_is_the_machine(tree: FakeHwmon) -> None:
    for number in (0, 1):
        tree.add("power_meter", f"{ACPI_METER[:-1]}{number}", {"power1_average": 1}, beside=True)
    assert {Scope(path).kind for path in scopes().values()} == {"sensor"}
    assert len(set(scopes().values())) == 2


def test_a_battery_is_no_machine(tree: FakeHwmon) -> None:
    tree.add("power_meter", ACPI_METER, {"power1_average": 1, "power1_is_battery": 1}, beside=True)
    assert [Scope(path).kind for path in scopes().values()] == ["sensor"]


def test_in_a_virtual_machine_the_firmware_is_the_hypervisors(
    tree: FakeHwmon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joulemark.meters.hwmon.source.is_virtual", lambda: True)
    tree.add("power_meter", ACPI_METER, {"power1_average": 1}, beside=True)
    tree.add("amdgpu", CARD, {"power1_average": 1, **DISCRETE})  # passed through: the hardware itself
    assert [has_note(info, "virtual_machine") for info in infos().values()] == [False, True]


def test_a_power_supply_and_its_rails(tree: FakeHwmon) -> None:
    files = {
        "power1_input": 400_000_000,
        "power1_label": "power total",
        "power2_input": 1,
        "power2_label": "power +12v",
    }
    tree.add("corsairpsu", USB_SUPPLY, files)
    assert scopes() == {
        "hwmon:corsairpsu-1-4:1.0/power-total": "wall/psu",
        "hwmon:corsairpsu-1-4:1.0/power-+12v": "wall/psu/sensor:corsairpsu-power-+12v",
    }


def test_a_jetson_module_and_its_rails(tree: FakeHwmon) -> None:
    files: dict[str, Fixed] = {"curr4_input": 9, "in7_label": "sum of shunt voltages", "in7_input": 1}
    for number, label in enumerate(["VDD_IN", "VDD_CPU_GPU_CV", "NC"], 1):
        files |= {
            f"in{number}_label": label,
            f"in{number}_input": 5016,
            f"curr{number}_input": 1200,
            f"curr{number}_crit": 7784,
        }
    tree.add("ina3221", I2C_SENSOR, files)
    assert scopes() == {
        "hwmon:ina3221-1-0040/vdd_in": SOC,
        "hwmon:ina3221-1-0040/vdd_cpu_gpu_cv": f"{SOC}/rail:vdd_cpu_gpu_cv",
    }
    with pytest.raises(OverlappingScopes):
        require_antichain(Scope(path) for path in scopes().values())
    info = infos()["hwmon:ina3221-1-0040/vdd_in"]
    assert info.power_max_w == pytest.approx(7.784 * 5.016)
    spec = found()["hwmon:ina3221-1-0040/vdd_in"].spec
    assert spec is not None
    assert open_source(spec).read(0).values == {"power_w": pytest.approx(5.016 * 1.2)}


def test_a_sensor_without_an_alarm_is_bounded_by_its_shunt(tree: FakeHwmon) -> None:
    files = {"in1_label": "VDD_IN", "in1_input": 0, "curr1_input": 0, "shunt1_resistor": 5000}
    tree.add("ina3221", I2C_SENSOR, {**files, "update_interval": 100})
    (info,) = infos().values()
    assert info.power_max_w == pytest.approx(26 * 0.1638 / 0.005)
    assert info.power_window_s == pytest.approx(0.1)


def test_an_older_jetson(tree: FakeHwmon) -> None:
    files = {
        "rail_name_0": "POM_5V_IN",
        "in_power0_input": 2875,
        "in_voltage0_input": 5000,
        "crit_current_limit_0": 4000,
        "rail_name_1": "POM_5V_GPU",
        "in_power1_input": 40,
    }
    tree.add_iio("ina3221x", I2C_SENSOR, files)
    assert list(scopes().values()) == [SOC, f"{SOC}/rail:pom_5v_gpu"]
    spec = found()["hwmon:ina3221x-1-0040/pom_5v_in"].spec
    assert spec is not None
    source = open_source(spec)
    assert source.read(0).values == {"power_w": pytest.approx(2.875)}
    assert source.info.power_max_w == pytest.approx(20.0)


def test_apple_machines(tree: FakeHwmon) -> None:
    files = {"power1_input": 9_000_000, "power1_label": "Total System Power"}
    files |= {"power2_input": 5_000_000, "power2_label": "Heatpipe Power"}
    tree.add("macsmc_hwmon", "platform/soc/smc/macsmc-hwmon", files)
    assert list(scopes().values()) == ["wall/psu", "wall/psu/sensor:macsmc_hwmon-heatpipe-power"]


def test_every_other_chip_is_a_sensor(tree: FakeHwmon) -> None:
    tree.add("BAT0", None, {"power1_input": 5_000_000})
    tree.add("amd_energy", "platform/amd_energy.0", {"energy1_input": 1, "energy1_label": "Esocket0"})
    tree.add("coretemp", "platform/coretemp.0", {"temp1_input": 45_000})
    assert set(scopes().values()) == {"wall/psu/sensor:bat0-power1", "wall/psu/sensor:amd_energy-esocket0"}
    assert all("headline" in finding.why for finding in found().values())


# --- the same device and the same name at each boot ---------------------------------------------------------


def test_names_and_specs_do_not_depend_on_the_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for boot, first in (("a", 2), ("b", 7)):
        tree = FakeHwmon(tmp_path / "sys", first=first)
        cards = [OTHER_CARD, CARD] if boot == "a" else [CARD, OTHER_CARD]
        for card in cards:
            tree.add("amdgpu", card, {"power1_average": int(card[-7:-5], 16), **DISCRETE})
        monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
        specs = {name: finding.spec for name, finding in found().items()}
        values = {name: open_source(spec).read(0).values for name, spec in specs.items() if spec is not None}
        seen.append((specs, values))
        (tmp_path / "sys").rename(tmp_path / f"sys-{boot}")
    assert seen[0] == seen[1]
    assert set(seen[0][0]) == {"hwmon:amdgpu-0000:03:00.0", "hwmon:amdgpu-0000:83:00.0"}


def test_a_supply_on_the_same_port_keeps_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = []
    for number in (4, 9):
        tree = FakeHwmon(tmp_path / str(number))
        tree.add("corsairpsu", f"{USB_SUPPLY[:-1]}{number}", {"power1_input": 1})
        monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
        names += found()
    assert names == ["hwmon:corsairpsu-1-4:1.0"] * 2


def test_a_chip_shown_twice_is_read_once(tree: FakeHwmon) -> None:
    for _ in range(2):
        tree.add("i915", CARD, {"energy1_input": 1})
    (info,) = infos().values()
    assert has_note(info, "twins")


def test_a_name_given_by_discovery_is_kept(tree: FakeHwmon) -> None:
    tree.add("i915", CARD, {"energy1_input": 1})
    spec = hwmon_spec(find_placed()[0])
    assert open_source(type(spec)(spec.kind, {**spec.args, "name": "mine"})).info.name == "mine"


# --- reading ------------------------------------------------------------------------------------------------


def test_a_reading_is_joules(tree: FakeHwmon) -> None:
    tree.add("i915", CARD, {"energy1_input": 12_500_000})
    clock = VirtualClock(5)
    source = only(clock)
    clock.sleep_s(1.0)
    reading = source.read(3)
    assert reading.values == {"energy_j": pytest.approx(12.5)}
    assert (reading.segment, reading.t_ns, reading.source) == (3, 1_000_000_005, "hwmon:i915-0000:03:00.0")
    source.close()
    source.close()


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ("n/a", "unreadable"),
        ("", "unreadable"),
        ("1_000", "unreadable"),
        ("12.5", "unreadable"),
        ("nan", "unreadable"),
        (-4_000_000, "implausible"),
        (4_294_967_295_000, "implausible"),  # ACPI's "unknown", in microwatts
        (65535 * 10**6, "implausible"),
    ],
)
def test_what_is_no_power_is_absent(tree: FakeHwmon, shown: Fixed, reason: str) -> None:
    tree.add("power_meter", ACPI_METER, {"power1_average": shown}, beside=True)
    reading = only().read(0)
    assert reading.values == {}
    assert reading.flags == (f"power_w:{reason}",)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=40))
def test_any_bytes_give_a_number_or_a_flag(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    tree = FakeHwmon(tmp_path_factory.mktemp("sys"))
    place = tree.add("amdgpu", CARD, {"power1_input": 0, **DISCRETE})
    (placed,) = find_placed(tree.root)
    source = HwmonSource(placed)
    (place / "power1_input").write_bytes(raw)
    reading = source.read(0)
    source.close()
    if reading.values:
        assert reading.values == {"power_w": pytest.approx(int(raw) * 1e-6)}
        assert 0 <= reading.values["power_w"] <= 25_000
    else:
        assert reading.flags in (("power_w:unreadable",), ("power_w:implausible",))


def failing(code: int) -> Callable[[float], Fixed | None]:
    def value(t_s: float) -> Fixed | None:
        if t_s >= 1.0:
            raise OSError(code, "the driver says so")
        return 50_000_000

    return value


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def living(tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHwmon]:
    tree = FakeHwmon(tmp_path / "sys", lambda: clock.now_ns() * 1e-9)
    monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
    with tree.served():
        yield tree


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.EPERM, "suspended"),
        (errno.EAGAIN, "not_ready"),
        (errno.ENODATA, "no_data"),
        (errno.EIO, "io_error"),
        (errno.ETIMEDOUT, "timed_out"),
        (errno.EOPNOTSUPP, "not_supported"),
        (errno.EPROTO, "eproto"),
    ],
)
def test_a_driver_that_cannot_answer_now_is_flagged(
    living: FakeHwmon, clock: VirtualClock, code: int, reason: str
) -> None:
    living.add("amdgpu", CARD, {"power1_average": failing(code), **DISCRETE})
    source = only(clock)
    assert source.read(0).values == {"power_w": pytest.approx(50.0)}
    clock.sleep_s(1.0)
    reading = source.read(0)
    assert (reading.values, reading.flags) == ({}, (f"power_w:{reason}",))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.ENODEV, "gone"),
        (errno.ENXIO, "gone"),
        (errno.ENOENT, "gone"),
        (errno.EACCES, "permission_denied"),
    ],
)
def test_a_sensor_that_vanishes_is_lost(
    living: FakeHwmon, clock: VirtualClock, code: int, reason: str
) -> None:
    living.add("amdgpu", CARD, {"power1_average": failing(code), **DISCRETE})
    source = only(clock)
    clock.sleep_s(1.0)
    with pytest.raises(SourceLost, match=reason):
        source.read(0)


def test_one_half_of_a_product_missing_is_no_power(living: FakeHwmon, clock: VirtualClock) -> None:
    files = {"in1_label": "VDD_IN", "in1_input": 5000, "curr1_input": failing(errno.ENODATA)}
    living.add("ina3221", I2C_SENSOR, files)
    source = only(clock)
    clock.sleep_s(1.0)
    assert source.read(0).flags == ("power_w:no_data",)


def test_another_chip_under_the_same_number_is_not_taken_for_it(tree: FakeHwmon, tmp_path: Path) -> None:
    place = tree.add("amdgpu", CARD, {"power1_average": 1, **DISCRETE})
    source = only()
    place.rename(tmp_path / "old")  # the driver was taken out, and a card of another kind came
    place.mkdir()
    (place / "power1_average").write_text("999000000\n")
    (tmp_path / "old" / "power1_average").unlink()
    with pytest.raises(SourceLost, match="gone"):
        source.read(0)


def test_a_source_that_is_no_longer_there_cannot_be_opened(tree: FakeHwmon) -> None:
    place = tree.add("i915", CARD, {"energy1_input": 1})
    spec = found()["hwmon:i915-0000:03:00.0"].spec
    assert spec is not None
    (place / "energy1_input").unlink()
    with pytest.raises(SourceLost, match="gone"):
        open_source(spec)


def test_a_counter_in_a_wrong_unit_gives_nothing(living: FakeHwmon, clock: VirtualClock) -> None:
    files = {"energy1_input": lambda t_s: round(15.0 * t_s * 1e9), "power1_max": 225_000_000}  # mJ as µJ
    living.add("i915", CARD, files)
    source = only(clock)
    readings = []
    for _ in range(20):
        clock.sleep_s(0.2)
        readings.append(source.read(0))
    assert all(reading.flags == ("energy_j:implausible",) for reading in readings[1:])


def test_a_counter_that_catches_up_is_believed(living: FakeHwmon, clock: VirtualClock) -> None:
    files = {"energy1_input": lambda t_s: int(t_s // 5 * 5 * 200e6), "power1_max": 225_000_000}
    living.add("i915", CARD, files)
    source = only(clock)
    for _ in range(100):
        clock.sleep_s(0.1)
        assert source.read(0).flags == ()
