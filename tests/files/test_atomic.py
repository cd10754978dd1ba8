"""Files are whole or not there, whatever happens while they are written."""

from __future__ import annotations

import random
import resource
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from joulemark.files.atomic import PRIVATE, create_whole, remove_for_good, write_whole

KILLS = 8
SIZE = 300_000
WRITE = f"""
import sys
from pathlib import Path
from joulemark.files.atomic import write_whole
path = Path(sys.argv[1])
write_whole(path, b"a" * {SIZE})
print("written", flush=True)
while True:
    for letter in (b"b", b"a"):
        write_whole(path, letter * {SIZE})
"""


def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    path, chance = tmp_path / "file", random.Random(20261204)
    for _ in range(KILLS):
        command = [sys.executable, "-c", WRITE, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"written\n"
            time.sleep(chance.uniform(0, 0.05))
            writer.kill()
        assert path.read_bytes() in (b"a" * SIZE, b"b" * SIZE)


def test_a_write_that_fails_midway_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            write_whole(path, b"new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    (path / "full").mkdir(parents=True)
    with pytest.raises(OSError, match="irectory"):
        write_whole(path, b"new")
    assert list(tmp_path.iterdir()) == [path]


def test_writers_at_once_do_not_meet_in_one_draft(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = [bytes([number]) * SIZE for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda content: write_whole(path, content), contents))
    assert path.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [path]


def test_modes(tmp_path: Path) -> None:
    path = tmp_path / "made" / "file"
    with pytest.raises(FileNotFoundError):
        write_whole(path, b"x")
    write_whole(path, b"x", mode=PRIVATE, make_folder=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    plain = tmp_path / "plain"
    plain.touch()
    other = tmp_path / "other"
    write_whole(other, b"x")
    assert other.stat().st_mode == plain.stat().st_mode


def test_the_first_of_two_makers_wins(tmp_path: Path) -> None:
    path = tmp_path / "made" / "salt"
    create_whole(path, b"first")
    create_whole(path, b"second")
    assert path.read_bytes() == b"first"
    assert list(path.parent.iterdir()) == [path]


def test_what_is_gone_already_is_gone_for_good(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    remove_for_good(path)
    remove_for_good(path)
    remove_for_good(tmp_path / "nowhere" / "file")
    assert not path.exists()
