from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from doubles import run_views
from joulemark.record.errors import InputError
from joulemark.runs.layout import RunLayout, locked, write_atomically

HOLD = """
import sys
from pathlib import Path
from joulemark.runs.layout import RunLayout, locked
with locked(RunLayout(Path(sys.argv[1]))):
    print("held", flush=True)
    input()
"""


def test_a_living_holder_keeps_others_out_and_a_dead_one_does_not(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path)
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(InputError, match=f"process {other.pid}"), locked(layout):
            pass
        other.kill()
    with locked(layout):
        assert orjson.loads(layout.lock.read_bytes())["pid"] == os.getpid()


def test_one_process_cannot_hold_a_directory_twice(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path)
    with locked(layout):
        with pytest.raises(InputError, match="in use"), locked(layout):
            pass
        with pytest.raises(InputError, match="in use"), locked(layout):
            pass


def test_a_failed_write_says_where_to_go_instead(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    (path / "full").mkdir(parents=True)
    with pytest.raises(InputError, match="cannot be written") as caught:
        write_atomically(path, b"new")
    assert "--out DIR" in caught.value.fix


def test_no_run_says_how_to_find_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="joulemark runs"):
        RunLayout(tmp_path / "nowhere").read_manifest()


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"schema_version": "9"}', b"\xff"])
def test_a_foreign_manifest_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    layout = RunLayout(tmp_path)
    layout.manifest.write_bytes(content)
    with pytest.raises(InputError, match="not a manifest"):
        layout.read_manifest()


def test_what_is_wrong_with_a_manifest_is_told_without_its_own_letters(tmp_path: Path) -> None:
    manifest = run_views.manifest().model_dump(mode="json")
    window = {"name": "\x1b[2J", "segment": 0, "t0": 1, "t1": 2}
    for edit, said in (({"windows": [window]}, "'windows.0.name'"), ({"\x1b[2J": 1}, r"'\x1b[2J'")):
        (tmp_path / "manifest.json").write_bytes(orjson.dumps({**manifest, **edit}))
        with pytest.raises(InputError, match="is not a manifest") as caught:
            RunLayout(tmp_path).read_manifest()
        assert said in caught.value.why
        assert caught.value.why.isprintable()
