"""All of it works for a user without rights: probe, a run, the ends of what misbehaves."""

from __future__ import annotations

import json
import sys

import pytest

from doubles.ordinary_user import python_as_ordinary_user

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")

_PROGRAM = """
import json, os, sys
from joulemark.code.contain.cell import Ended
from joulemark.code.contain.containment import probe
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import encode
from joulemark.code.selftest.program_case import left_behind

assert os.geteuid() != 0
found = probe(prefer_bubblewrap=sys.argv[1] == "bwrap")
said = {"missing": found.missing, "whole": found.is_whole, "bubblewrap": found.bubblewrap is not None}
sources = {
    "returned": "def f():\\n    return sum(range(1000))",
    "file": "def f():\\n    return open('/etc/passwd').read()",
    "exited": "import os\\ndef f():\\n    os._exit(0)",
    "crashed": "import ctypes\\ndef f():\\n    ctypes.string_at(0)",
    "timed_out": "import time\\ndef f():\\n    time.sleep(100)",
    "forked": "import os\\ndef f():\\n    os.fork()",
    "filled": "def f():\\n    open('/tmp/x', 'wb').write(bytes(24 << 20))",
    "paired": "import socket\\ndef f():\\n    socket.socketpair()[0].setsockopt(1, 7, 1 << 24)",
    "connected": "import socket\\ndef f():\\n    socket.socket()",
}
with Sandbox(found, Limits(wall_s=2)) as box:
    for name, source in sources.items():
        try:
            with box.cell() as cell:
                cell.load(source, "f")
                called = cell.call([encode(())])
                said[name] = [called.outcome, called.detail, called.peak_bytes]
        except Ended as ended:
            said[name] = [ended.outcome, ended.detail, None]
    said["left"] = left_behind(box)
print(json.dumps(said))
"""


@pytest.mark.parametrize("way", ["own", "bwrap"])
def test_an_ordinary_user_has_the_whole_containment(way: str) -> None:
    done = python_as_ordinary_user(_PROGRAM, way)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    if not said["whole"]:
        pytest.skip(f"an ordinary user has no whole containment here: {said['missing']}")
    if way == "bwrap" and not said["bubblewrap"]:
        pytest.skip("bubblewrap is not installed here, or not allowed to make namespaces")
    assert said["returned"][0] == "returned"
    assert said["returned"][2] is not None  # the peak of memory is seen
    assert [said[name][0] for name in ("exited", "crashed", "timed_out")] == [
        "exited",
        "crashed",
        "timed_out",
    ]
    assert "FileNotFoundError" in said["file"][1]
    assert "PermissionError" in said["forked"][1]
    assert "PermissionError" in said["connected"][1]
    assert "PermissionError" in said["paired"][1]
    assert said["filled"][2] >= 24 << 20  # what it holds in its own files is memory of it
    assert said["left"] == 0
