"""What a process writes while it runs is its own, and goes with it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from joulemark.live.private_place import PrivatePlace


@pytest.fixture(autouse=True)
def own_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_it_is_private_and_removed() -> None:
    place = PrivatePlace()
    assert place.path.stat().st_mode & 0o777 == 0o700
    (place.path / "rows").write_text("x")
    place.remove()
    assert not place.path.exists()
    place.remove()


def test_that_of_a_killed_process_is_removed_by_the_next(tmp_path: Path) -> None:
    code = """
import os, signal, sys, tempfile
tempfile.tempdir = sys.argv[1]
from joulemark.live.private_place import PrivatePlace
place = PrivatePlace()
print(place.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    left = Path(done.stdout.strip())
    assert left.is_dir(), done.stderr
    living = PrivatePlace()
    assert not left.exists()
    other = PrivatePlace()
    assert living.path.is_dir()
    living.remove()
    other.remove()


def test_a_forked_child_leaves_it_alone() -> None:
    place = PrivatePlace()
    pid = os.fork()
    if not pid:
        place.remove()
        os._exit(0)
    os.waitpid(pid, 0)
    assert place.path.is_dir()
    place.remove()
