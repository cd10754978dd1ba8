"""The root of sysfs, moved for every driver at once, and its small files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.hwmon import CARD, FakeHwmon
from joulemark.meters import kfd
from joulemark.meters.drm_board import drm_board
from joulemark.meters.drm_place import address_of_node, device_directory
from joulemark.meters.hwmon import chip as hwmon_chip
from joulemark.meters.hwmon import find_hwmon
from joulemark.meters.rapl import powercap
from joulemark.meters.sysfs import PCI_ADDRESS, SYS_VARIABLE, number, sys_root, text
from joulemark.meters.zeus_backed.parts import VARIABLE, Part, parts_here

ADDRESS = "0000:03:00.0"


@pytest.fixture
def moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for the whole of /sys; no tree has a place of its own."""
    for variable in (powercap.ROOT_VARIABLE, hwmon_chip.ROOT_VARIABLE, VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv(SYS_VARIABLE, str(tmp_path))
    return tmp_path


def amd_card(root: Path) -> None:
    """One card, as hwmon, DRM and ROCm's driver show it."""
    tree = FakeHwmon(root)
    files = {"power1_average": 85_000_000, "freq2_label": "mclk"}
    tree.add("amdgpu", CARD, files, of_device={"vendor": "0x1002", "mem_info_vram_total": 16 << 30})
    node = root / "class" / "drm" / "card0"
    node.mkdir(parents=True)
    (node / "device").symlink_to(root / "devices" / CARD)
    rocm = root / "class" / "kfd" / "kfd"
    (rocm / "topology" / "nodes" / "1").mkdir(parents=True)
    (rocm / "topology" / "nodes" / "1" / "gpu_id").write_text("777\n")
    (rocm / "topology" / "nodes" / "1" / "properties").write_text("location_id 768\ndomain 0\n")
    (rocm / "proc" / "500").mkdir(parents=True)
    (rocm / "proc" / "500" / "vram_777").write_text(f"{1 << 30}\n")


def test_one_variable_moves_the_whole_of_sysfs(moved: Path) -> None:
    amd_card(moved)
    (finding,) = find_hwmon()
    assert finding.info is not None
    assert finding.info.scope.path == f"wall/psu/gpu:{ADDRESS}"
    assert device_directory(ADDRESS) == moved / "class" / "drm" / "card0" / "device"
    assert address_of_node("card0") == ADDRESS
    board = drm_board(ADDRESS)
    assert board is not None
    assert board.vram_mib == 16 << 10
    assert kfd.users(ADDRESS, 1 << 20) == {500: True}
    assert parts_here() == [Part.AMD]


def test_chips_of_the_iio_class_move_with_it(moved: Path) -> None:
    chip = moved / "bus" / "iio" / "devices" / "iio:device0"
    chip.mkdir(parents=True)
    (chip / "name").write_text("ina3221x\n")
    (chip / "rail_name_0").write_text("POM_5V_IN\n")
    (chip / "in_power0_input").write_text("5000\n")
    assert [finding.info is not None for finding in find_hwmon()] == [True]


def test_a_tree_that_has_a_place_of_its_own_stays_there(moved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hwmon_chip.hwmon_root() == moved / "class" / "hwmon"
    monkeypatch.setenv(hwmon_chip.ROOT_VARIABLE, "/hwmon")
    assert hwmon_chip.hwmon_root() == Path("/hwmon")
    assert powercap.powercap_root() == moved / "class" / "powercap"


def test_what_moved_it_is_what_is_to_be_unset(moved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = find_hwmon()
    assert str(moved) in finding.why
    assert finding.fix == f"unset {SYS_VARIABLE}"
    monkeypatch.setenv(hwmon_chip.ROOT_VARIABLE, str(moved))
    assert find_hwmon()[0].fix == f"unset {hwmon_chip.ROOT_VARIABLE}"


def test_an_empty_variable_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SYS_VARIABLE, "")
    assert sys_root() == Path("/sys")


@pytest.mark.parametrize(
    ("written", "said", "value"),
    [
        (b"42\n", "42", 42),
        (b" -1\n", "-1", -1),
        (b"1_000\n", "1_000", None),
        ("٣\n".encode(), "٣", None),
        (b"0x10\n", "0x10", None),
        (b"9" * 5000, "9" * 5000, None),
        (b"\n", None, None),
        (b"\xff\xfe", None, None),
    ],
)
def test_what_a_file_says(tmp_path: Path, written: bytes, said: str | None, value: int | None) -> None:
    (tmp_path / "file").write_bytes(written)
    assert text(tmp_path / "file") == said
    assert number(tmp_path / "file") == value
    assert (text(tmp_path / "none"), number(tmp_path)) == (None, None)


@given(st.integers(0, 0xFFFFF), st.integers(0, 0xFF), st.integers(0, 0x1F), st.integers(0, 7))
def test_every_pci_address_is_known(domain: int, bus: int, device: int, function: int) -> None:
    address = f"{domain:04x}:{bus:02x}:{device:02x}.{function}"
    assert PCI_ADDRESS.match(address)
    assert not PCI_ADDRESS.match(address + "\n")
    assert not PCI_ADDRESS.match(f"pcie{address}.8")
