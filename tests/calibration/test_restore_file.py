"""What is put back: what this user's own file says of devices that are here, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from doubles.nvml import FakeBoard, FakeNvml
from doubles.powercap import FakePowercap
from joulemark.calibration.power_limits import RAPL, power_limits, set_limit_w
from joulemark.calibration.restore import leftover, restore
from joulemark.calibration.restore_file import restore_path
from joulemark.files.boot import boot_id
from joulemark.record.errors import InputError
from joulemark.record.scope import Scope

LIMIT = "constraint_0_power_limit_uw"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file of somebody else")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePowercap:
    """A package at 125 W."""
    made = FakePowercap(tmp_path, limit_w=125.0)
    monkeypatch.setenv("JOULEMARK_POWERCAP", str(made.root))
    return made


def zone(tree: FakePowercap) -> Path:
    return tree.root / "intel-rapl:0"


def limit_w(tree: FakePowercap) -> float:
    return float((zone(tree) / LIMIT).read_text()) * 1e-6


def entry(address: Path | str, **said: Any) -> dict[str, Any]:
    told = {"kind": RAPL, "address": str(address), "scope": Scope.package(0).path}
    return {**told, "previous_w": 150.0, "default_w": None, "planned_w": [125.0], **said}


def written(*limits: dict[str, Any], mode: int = 0o600, **said: Any) -> Path:
    """Write a file as a killed calibration leaves one."""
    document = {"format": "joulemark-power-limits", "boot_id": boot_id(), "pid": 1}
    document |= {"written_utc": "2026-12-04T10:00:00+00:00", "limits": list(limits), **said}
    path = restore_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document).replace("Infinity", "1e400"))
    path.chmod(mode)
    return path


def refused(match: str) -> None:
    """Expect that nothing is put back, the file stays, and the sentence on it steers no terminal."""
    with pytest.raises(InputError, match=match) as caught:
        restore()
    assert restore_path().is_symlink() or restore_path().exists()
    told = leftover()
    assert told is not None
    assert told.isprintable()
    assert all(line.isprintable() for line in str(caught.value).splitlines())


def test_what_our_own_file_says_of_a_device_here_is_put_back(tree: FakePowercap) -> None:
    written(entry(zone(tree)))
    told = leftover()
    assert told is not None
    assert "2026-12-04" in told
    assert "package:0 150 W" in told
    assert restore() == ["package:0: 150 W put back (was left at 125 W)"]
    assert limit_w(tree) == 150.0


def test_an_address_that_is_no_device_of_this_machine_is_not_written_to(
    tree: FakePowercap, tmp_path: Path
) -> None:
    """The attack: a link that leads from something like a zone to any file with a number in it."""
    victim, lure = tmp_path / "victim", tmp_path / "z"
    victim.write_text("5000000")
    lure.mkdir()
    (lure / LIMIT).symlink_to(victim)
    written(entry(lure, previous_w=12345.6, planned_w=[5.0]))
    refused("no such device")
    assert victim.read_text() == "5000000"


def test_a_link_in_a_devices_place_is_not_followed(tree: FakePowercap, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("125000000")
    (zone(tree) / LIMIT).unlink()
    (zone(tree) / LIMIT).symlink_to(victim)
    written(entry(zone(tree)))
    refused("could not be put back")
    with pytest.raises(InputError, match="cannot be set"):
        set_limit_w(RAPL, str(zone(tree)), 150.0)
    assert victim.read_text() == "125000000"


@needs_root
def test_somebody_elses_file_is_not_believed(tree: FakePowercap) -> None:
    os.chown(written(entry(zone(tree))), 1000, 1000)
    refused("belongs to user 1000")
    assert limit_w(tree) == 125.0


@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_a_file_that_others_may_write_is_not_believed(tree: FakePowercap, mode: int) -> None:
    written(entry(zone(tree)), mode=mode)
    refused("others may write")
    assert limit_w(tree) == 125.0


@pytest.mark.parametrize("make", [Path.symlink_to, Path.hardlink_to], ids=["symbolic", "hard"])
def test_a_link_is_no_file_of_ours(tree: FakePowercap, make: Callable[[Path, Path], None]) -> None:
    path = written(entry(zone(tree)))
    aside = path.with_name("aside")
    path.rename(aside)
    make(path, aside)
    refused("link")
    assert limit_w(tree) == 125.0


def test_a_pipe_holds_nobody_up(tree: FakePowercap) -> None:
    restore_path().parent.mkdir(parents=True)
    os.mkfifo(restore_path(), 0o600)
    refused("no plain file")


@pytest.mark.parametrize(
    "watts", [float("inf"), float("-inf"), 0.0, -5.0, 1e300, 25_001.0, "NaN", None, "150 W"], ids=str
)
def test_a_limit_that_no_device_has_is_told_and_not_set(tree: FakePowercap, watts: object) -> None:
    written(entry(zone(tree), previous_w=watts))
    refused("cannot be read")
    assert limit_w(tree) == 125.0


def test_a_planned_limit_that_no_device_has(tree: FakePowercap) -> None:
    written(entry(zone(tree), planned_w=[float("inf")]))
    refused("cannot be read")


@pytest.mark.parametrize("instant", ["\x1b]0;owned\x07\x1b[2J", "yesterday", "", None, "2026-12-04\x1b10:00"])
def test_a_date_that_is_none_is_told_without_its_letters(tree: FakePowercap, instant: object) -> None:
    written(entry(zone(tree)), written_utc=instant)
    refused("cannot be read")


@pytest.mark.parametrize(
    "said", [{"scope": "wall/psu/sensor:\x1b[2J"}, {"kind": "\x1b[2J"}, {"scope": "a/b"}]
)
def test_names_of_other_things_are_told_without_their_letters(
    tree: FakePowercap, said: dict[str, Any]
) -> None:
    written(entry(zone(tree), **said))
    refused("cannot be read")


def test_a_foreign_format_is_told_without_its_letters(tree: FakePowercap) -> None:
    written(entry(zone(tree)), format="\x1b[2J")
    refused("cannot be read")


def test_a_file_without_end_is_not_read_to_it(tree: FakePowercap) -> None:
    with written(entry(zone(tree))).open("ab") as file:
        file.truncate(1 << 34)
    refused("bytes")


def test_the_device_itself_says_what_the_factory_set(tmp_path: Path) -> None:
    board = FakeBoard(limit_w=600.0, limit_default_w=700.0, limit_min_w=100.0)
    with FakeNvml(tmp_path, [board]).in_process() as fake:
        (here,) = power_limits()
        written(entry(here.address, kind="nvml", scope=here.scope, planned_w=[600.0], default_w=150.0))
        assert restore(to_default=True) == ["gpu:0: 700 W put back (was left at 600 W)"]
        assert fake.board(0).limit_mw == 700_000


def test_more_than_a_board_can_take_is_not_asked_of_it(tmp_path: Path) -> None:
    board = FakeBoard(limit_w=600.0, limit_default_w=700.0, limit_min_w=100.0)
    with FakeNvml(tmp_path, [board]).in_process() as fake:
        (here,) = power_limits()
        written(entry(here.address, kind="nvml", scope=here.scope, planned_w=[600.0], previous_w=9000.0))
        refused("takes 700 W at most")
        assert fake.board(0).n_limits_set == 0
