"""A lock names its holder, and no dead process holds it, with the kernel's locks and without."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from joulemark.files.boot import boot_id
from joulemark.files.locks import FileLock, LockHeld, is_held

HOLD = """
import sys
from pathlib import Path
from joulemark.files.locks import FileLock
lock = FileLock(Path(sys.argv[1]))
print("held", flush=True)
input()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lock"


@pytest.fixture(params=["kernel", "none"])
def without_the_kernels_locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Stand on a file system that has locks, and on one that has none."""
    if request.param == "none":

        def flock(_descriptor: int, _operation: int) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(fcntl, "flock", flock)
    return request.param == "none"


@pytest.fixture
def other(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


@pytest.mark.usefixtures("without_the_kernels_locks")
def test_a_living_holder_keeps_others_out_and_a_dead_one_does_not(
    path: Path, other: subprocess.Popen[bytes]
) -> None:
    assert is_held(path)
    with pytest.raises(LockHeld) as caught:
        FileLock(path)
    assert caught.value.who == f"process {other.pid}"
    other.kill()
    other.wait()
    assert not is_held(path)
    with FileLock(path):
        assert orjson.loads(path.read_bytes()) == {"pid": os.getpid(), "boot_id": boot_id()}
        with pytest.raises(LockHeld, match=f"process {os.getpid()} "):
            FileLock(path)
        assert is_held(path)
    assert not is_held(path)
    assert path.read_bytes() == b""


@pytest.mark.usefixtures("without_the_kernels_locks")
@pytest.mark.parametrize(
    "left", ["", "{", '{"pid": 1, "boot_id": "another boot"}', '{"pid": "x"}', "17", "[]"]
)
def test_what_lies_in_the_file_holds_nobody_up(path: Path, left: str) -> None:
    path.write_text(left)
    assert not is_held(path)
    with FileLock(path) as lock:
        assert is_held(path)
        lock.release()
        assert not is_held(path)


def test_looking_makes_no_file(path: Path) -> None:
    assert not is_held(path)
    with pytest.raises(FileNotFoundError):
        FileLock(path, create=False)
    assert not path.exists()


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    path.symlink_to(precious)
    with pytest.raises(OSError, match="symbolic links"):
        FileLock(path)
    assert precious.read_text() == "kept"
