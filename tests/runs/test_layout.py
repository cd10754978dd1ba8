from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from joulemark.record.errors import InputError
from joulemark.runs.layout import RunLayout, locked, write_atomically


def test_a_living_holder_keeps_others_out(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        layout.lock.write_bytes(orjson.dumps({"pid": other.pid, "boot_id": "now"}))
        with pytest.raises(InputError, match=f"process {other.pid}"), locked(layout, "now"):
            pass
        other.kill()
    assert other.wait() != 0


@pytest.mark.parametrize(
    "left_behind",
    [
        b"",
        b"rubbish",
        b"[]",
        b'{"pid": 1, "boot_id": "earlier boot"}',
        b'{"pid": 999999999, "boot_id": "now"}',
    ],
)
def test_a_stale_lock_is_taken_over(tmp_path: Path, left_behind: bytes) -> None:
    layout = RunLayout(tmp_path)
    layout.lock.write_bytes(left_behind)
    with locked(layout, "now"):
        assert orjson.loads(layout.lock.read_bytes())["pid"] == os.getpid()
    assert not layout.lock.exists()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    write_atomically(path, b"old")
    (tmp_path / f".manifest.json.{os.getpid()}").mkdir()
    with pytest.raises((InputError, OSError)):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"


def test_no_run_says_how_to_find_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="joulemark runs"):
        RunLayout(tmp_path / "nowhere").read_manifest()


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"schema_version": "9"}', b"\xff"])
def test_a_foreign_manifest_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    layout = RunLayout(tmp_path)
    layout.manifest.write_bytes(content)
    with pytest.raises(InputError, match="not a manifest"):
        layout.read_manifest()
