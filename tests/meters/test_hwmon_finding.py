"""What is said of power sensors that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.hwmon import ACPI_METER, CARD, FakeHwmon
from doubles.powercap import ordinary_user, public_directory
from joulemark.meters.discovery import discover
from joulemark.meters.hwmon import finding as hwmon_finding
from joulemark.meters.hwmon.chip import ROOT_VARIABLE
from joulemark.meters.source import Finding
from joulemark.meters.sysfs import SYS_VARIABLE


@pytest.fixture
def public() -> Iterator[Path]:
    with public_directory() as directory:
        yield directory


def found(tree: FakeHwmon, monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    monkeypatch.setenv(ROOT_VARIABLE, str(tree.root))
    return discover(["hwmon"])


def test_a_root_only_counter_names_the_exact_fix(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakeHwmon(public)
    place = tree.add("xe", CARD, {"energy1_input": 1, "energy1_label": "card"})
    (place / "energy1_input").chmod(0o400)
    with ordinary_user():
        (finding,) = found(tree, monkeypatch)
    assert (finding.spec, finding.info) == (None, None)
    assert "only root" in finding.why
    now, for_good = finding.fix.splitlines()
    assert now == f"now: sudo chmod a+r {tree.root}/hwmon0/energy1_input"
    assert 'ATTR{name}=="xe"' in for_good
    assert "/sys%p/energy1_input" in for_good
    assert "udevadm trigger" in for_good


def test_the_fix_for_files_that_lie_with_the_device(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakeHwmon(public)
    place = tree.add("power_meter", ACPI_METER, {"power1_average": 1}, beside=True)
    (place / "power1_average").chmod(0o400)
    with ordinary_user():
        (finding,) = found(tree, monkeypatch)
    assert f"{tree.root}/hwmon0/device/power1_average" in finding.fix
    assert "/sys%p/device/power1_average" in finding.fix


@pytest.mark.parametrize(
    ("driver", "fix"), [("i915", "6.2"), ("xe", "6.8"), ("amdgpu", "pip install 'joulemark[zeus]'")]
)
def test_a_card_without_a_sensor_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: str, fix: str
) -> None:
    tree = FakeHwmon(tmp_path / "sys")
    tree.add(driver, CARD, {"power1_max": 225_000_000})
    (finding,) = found(tree, monkeypatch)
    assert finding.name == f"hwmon:{driver}-0000:03:00.0"
    assert finding.spec is None
    assert fix in finding.fix
    assert finding.why


def test_a_card_that_is_measured_is_not_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakeHwmon(tmp_path / "sys")
    tree.add("i915", CARD, {"energy1_input": 1})
    assert [finding.spec is not None for finding in found(tree, monkeypatch)] == [True]


def test_an_empty_root_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = found(FakeHwmon(tmp_path / "sys"), monkeypatch)
    assert str(tmp_path) in finding.why
    assert finding.fix == f"unset {ROOT_VARIABLE}"


@pytest.mark.parametrize(
    ("virtual", "wsl", "platform", "words", "fix"),
    [
        (True, False, "linux", "virtual machine", "on the host"),
        (False, True, "linux", "virtual machine", "on the host"),
        (False, False, "linux", "no sensor", "modprobe"),
        (False, False, "darwin", "Linux", "none"),
    ],
)
def test_nothing_there_says_why(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    virtual: bool,
    wsl: bool,
    platform: str,
    words: str,
    fix: str,
) -> None:
    monkeypatch.setattr(hwmon_finding, "is_virtual", lambda: virtual)
    monkeypatch.setattr(hwmon_finding, "is_wsl", lambda: wsl)
    monkeypatch.setattr("joulemark.meters.hwmon.chip.sys_root", lambda: tmp_path)
    monkeypatch.setattr(hwmon_finding.sys, "platform", platform)
    for variable in (ROOT_VARIABLE, SYS_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    (finding,) = hwmon_finding.find_hwmon()
    assert words in finding.why
    assert fix in finding.fix


def test_no_name_holds_an_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FakeHwmon(tmp_path / "sys")
    files = {"power1_average": 1, "power1_serial_number": "SN-12345", "power1_oem_info": "rack7.example"}
    tree.add("power_meter", ACPI_METER, files, beside=True)
    (finding,) = found(tree, monkeypatch)
    shown = f"{finding.name} {finding.measures} {finding.info.scope if finding.info else ''}"
    assert "SN-12345" not in shown
    assert "rack7" not in shown
