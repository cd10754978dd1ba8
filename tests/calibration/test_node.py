"""Two machines are two, though they share a name and a home; and one is one, whoever asks."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from joulemark.calibration.node import earlier_host_hash, host_hash, machine_number

PROCESSOR = "processor\t: 0\nmodel name\t: Fake EPYC 9\n"


@pytest.fixture(autouse=True)
def shared_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(platform, "node", lambda: "node")


def machine(root: Path, *, processor: str = PROCESSOR, **files: str) -> Path:
    """A machine's root with these files, '/' written as ``__``."""
    for name, text in {"proc__cpuinfo": processor, **files}.items():
        place = root / name.replace("__", "/").replace("machine_id", "machine-id")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root


def test_a_shared_name_and_home_do_not_make_two_machines_one(tmp_path: Path) -> None:
    roots = [
        machine(tmp_path / "a", etc__machine_id="aa11\n"),
        machine(tmp_path / "b", etc__machine_id="bb22\n"),
        machine(tmp_path / "c", etc__machine_id="aa11\n", processor="model name : Other\n"),
        machine(tmp_path / "d"),
        machine(tmp_path / "e", sys__class__dmi__id__product_uuid="4C4C-01"),
    ]
    assert len({host_hash(root) for root in roots}) == len(roots)
    assert earlier_host_hash() not in {host_hash(root) for root in roots}
    assert host_hash(roots[0]) == host_hash(machine(tmp_path / "f", etc__machine_id="AA11"))


def test_the_name_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = machine(tmp_path, etc__machine_id="aa11")
    before = host_hash(root)
    monkeypatch.setattr(platform, "node", lambda: "renamed")
    assert host_hash(root) != before


def test_what_root_alone_may_read_does_not_make_another_machine(tmp_path: Path) -> None:
    plain = host_hash(machine(tmp_path / "user", etc__machine_id="aa11"))
    both = machine(tmp_path / "root", etc__machine_id="aa11", sys__class__dmi__id__product_uuid="4C4C-01")
    assert host_hash(both) == plain


@pytest.mark.parametrize("nothing", ["", "\n", "uninitialized\n", "0" * 32])
def test_an_installation_without_a_number_has_the_next_one(tmp_path: Path, nothing: str) -> None:
    assert machine_number(machine(tmp_path, etc__machine_id=nothing)) is None
    root = machine(tmp_path, etc__machine_id=nothing, var__lib__dbus__machine_id="cc33")
    assert machine_number(root) == "cc33"


def test_this_machine_is_itself() -> None:
    assert host_hash() == host_hash()
    assert "node" not in host_hash()
