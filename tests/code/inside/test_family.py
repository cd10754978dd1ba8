"""Processes are found and ended without a namespace, those that left their session too."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import joulemark
from joulemark.code.inside.family import descendants, end_descendants

_PROGRAM = f"""
import os, sys, time
sys.path.insert(0, {str(Path(joulemark.__file__).parents[1])!r})
from joulemark.code.inside import system
if system.is_linux():
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        time.sleep(300)
    os._exit(0)
os.wait()
print("ready", flush=True)
time.sleep(300)
"""


def test_a_process_that_left_its_session_is_found_and_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", _PROGRAM], stdout=subprocess.PIPE) as top:
        try:
            assert top.stdout is not None
            assert top.stdout.readline() == b"ready\n"
            below = descendants(top.pid)
            if sys.platform == "linux":
                assert len(below) == 1
            assert set(below) <= set(descendants(os.getpid()))
            end_descendants(top.pid)
            until = time.monotonic() + 5
            while descendants(top.pid) and time.monotonic() < until:
                time.sleep(0.01)
            assert descendants(top.pid) == []
            assert top.poll() is None
        finally:
            top.kill()


def test_a_process_that_has_none_has_none() -> None:
    with subprocess.Popen(["sleep", "60"]) as alone:
        assert descendants(alone.pid) == []
        end_descendants(alone.pid)
        assert alone.poll() is None
        alone.kill()
