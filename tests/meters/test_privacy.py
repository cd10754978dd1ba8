"""The salt that keeps device identities at home."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from doubles.powercap import ordinary_user, public_directory
from joulemark.meters.privacy import hashed, load_salt, salt_path
from joulemark.record.errors import InputError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def test_the_salt_is_made_once_and_private(home: Path) -> None:
    first = load_salt()
    assert load_salt() == first
    assert len(first) == 32
    assert salt_path() == home / "data" / "joulemark" / "salt"
    assert stat.S_IMODE(salt_path().stat().st_mode) == 0o600
    assert stat.S_IMODE(salt_path().parent.stat().st_mode) == 0o700
    assert [path.name for path in salt_path().parent.iterdir()] == ["salt"]


def test_deleting_it_gives_a_new_identity() -> None:
    before = hashed("GPU-a", load_salt())
    salt_path().unlink()
    assert hashed("GPU-a", load_salt()) != before


def test_a_hash_is_stable_and_tells_nothing() -> None:
    salt = load_salt()
    assert hashed("GPU-a", salt) == hashed("GPU-a", salt) != hashed("GPU-b", salt)
    assert "GPU" not in hashed("GPU-a", salt)
    assert len(hashed("GPU-a", salt)) == 32


def test_a_relative_data_home_is_ignored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(home))
    assert salt_path() == home / ".local" / "share" / "joulemark" / "salt"


def test_a_damaged_salt_is_not_used() -> None:
    load_salt()
    salt_path().write_bytes(b"short")
    with pytest.raises(InputError, match="damaged") as caught:
        load_salt()
    assert caught.value.fix.startswith("rm ")


def test_a_directory_that_cannot_be_written() -> None:
    with public_directory() as directory, ordinary_user(), pytest.raises(InputError) as caught:
        load_salt(directory / "below" / "salt")
    assert "XDG_DATA_HOME" in caught.value.fix


def test_processes_that_race_agree() -> None:
    code = "from joulemark.meters.privacy import load_salt; print(load_salt().hex())"
    racers = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(8)
    ]
    salts = {racer.communicate()[0].strip() for racer in racers}
    assert salts == {load_salt().hex()}
