"""The root that programs see: what is in it, what is hidden, and that none of it can be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import joulemark
from joulemark.code.contain.cell import Cell
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside import root
from joulemark.code.inside.plain import encode

_SOURCE = str(Path(joulemark.__file__).parents[1])


def _result(cell: Cell, source: str) -> object:
    cell.load(source, "f")
    called = cell.call([encode(())])
    assert called.values, called.detail
    return called.values[0]


def test_packages_are_no_part_of_what_may_be_read() -> None:
    hidden = root.hidden_paths()
    parts = root.readable_parts()
    for place in hidden:
        assert not any((place + "/").startswith(part.rstrip("/") + "/") for part in parts), place
    library = os.path.dirname(os.path.realpath(os.__file__))
    assert all(
        any((f"{library}/{name}/").startswith(part + "/") for part in parts) for name in ("json", "re")
    )


def test_nothing_of_this_system_but_libraries_is_there(sandbox: Sandbox) -> None:
    source = f"""
import os

def f():
    seen = []
    for place in ({_SOURCE!r}, "/etc/passwd", "/home", "/proc/self", "/sys", "/dev/shm", "/dev/zero", "/old"):
        if os.path.exists(place):
            seen.append(place)
    for folder, _, names in os.walk(os.path.dirname(os.__file__)):
        if folder.endswith("-packages") and names:
            seen.append(folder)
    return seen
"""
    with sandbox.cell() as cell:
        assert _result(cell, source) == []


def test_rights_of_files_and_devices_cannot_be_changed(sandbox: Sandbox) -> None:
    source = """
import errno, os

def f():
    said = []
    for place in ("/dev/null", "/dev/urandom", os.__file__, "/usr/lib", "/"):
        try:
            os.chmod(place, os.stat(place).st_mode & 0o7777)
        except OSError as error:
            said.append(errno.errorcode[error.errno])
    try:
        os.fchmod(0, 0o666)
    except OSError as error:
        said.append(errno.errorcode[error.errno])
    return said
"""
    before = os.stat(os.devnull).st_ctime_ns
    with sandbox.cell() as cell:
        assert _result(cell, source) == ["EROFS"] * 6
    assert os.stat(os.devnull).st_ctime_ns == before


def test_its_own_files_are_few_and_small_and_gone_afterwards(sandbox: Sandbox) -> None:
    source = """
import errno, os

def f():
    before = os.listdir("/tmp")
    said = []
    try:
        for number in range(100_000):
            os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        said.append(errno.errorcode[error.errno])
    return before, number < 10_000, said
"""
    for _ in range(2):
        with sandbox.cell() as cell:
            assert _result(cell, source) == ([], True, ["ENOSPC"])


@pytest.mark.skipif(sys.platform != "linux", reason="mounts of Linux")
@pytest.mark.parametrize("way", ["protect", "protect_each"])
def test_what_is_mounted_below_is_made_read_only_too(way: str, tmp_path: Path) -> None:
    program = f"""
import errno, os, sys
sys.path.insert(0, {_SOURCE!r})
from joulemark.code.inside import root, system
try:
    uid, gid = os.geteuid(), os.getegid()
    system.unshare(system.CLONE_NEWUSER | system.CLONE_NEWNS)
    for name, line in (("setgroups", "deny"), ("uid_map", f"0 {{uid}} 1"), ("gid_map", f"0 {{gid}} 1")):
        open(f"/proc/self/{{name}}", "w").write(line)
except OSError as error:
    print("refused", error)
    raise SystemExit
place = {str(tmp_path)!r}
system.mount("none", "/", None, system.MS_REC | system.MS_PRIVATE)
system.mount("tmpfs", place, "tmpfs", 0)
os.makedirs(place + "/a b/c")
system.mount("tmpfs", place + "/a b/c", "tmpfs", 0)
open(place + "/a b/c/x", "w").close()
if {way!r} == "protect":
    try:
        system.protect(place)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            print("refused: an old kernel")
            raise SystemExit
        raise
else:
    root.protect_each(place)
for file in (place + "/y", place + "/a b/y", place + "/a b/c/x"):
    try:
        open(file, "w")
        print("written", file)
    except OSError as error:
        print(errno.errorcode[error.errno])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if done.stdout.startswith("refused"):
        pytest.skip(f"no mounts for an ordinary user here: {done.stdout}")
    assert done.stdout.split() == ["EROFS"] * 3, done.stderr
