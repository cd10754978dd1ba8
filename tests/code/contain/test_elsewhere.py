"""The way of systems that are no Linux, walked on this one: nothing of Linux's own is used on either side."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Iterator

import pytest

from joulemark.code.contain import interpreter
from joulemark.code.contain.cell import Ended
from joulemark.code.contain.containment import probe
from joulemark.code.contain.limits import MIB, Limits
from joulemark.code.contain.ps_vitals import PsVitals
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import encode
from joulemark.record.code_run import DEGRADED, Outcome

pytestmark = pytest.mark.skipif(shutil.which("ps") is None, reason="no ps on this machine")

_LIMITS = Limits(wall_s=1.5, cpu_s=60.0, memory_bytes=200 * MIB)
_BEFORE = (
    "import sys, os; sys.platform = 'darwin'; [delattr(os, n) for n in ('memfd_create',) if hasattr(os, n)]; "
)


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    monkeypatch.setattr(sys, "platform", "darwin")
    for module, name in ((os, "pidfd_open"), (signal, "pidfd_send_signal"), (socket, "SO_PASSCRED")):
        monkeypatch.delattr(module, name, raising=False)
    monkeypatch.setattr(interpreter, "_START", _BEFORE + interpreter._START)
    with Sandbox(probe(), _LIMITS) as sandbox:
        yield sandbox


def test_programs_run_and_every_run_is_labelled(box: Sandbox) -> None:
    with box.cell() as cell:
        assert isinstance(cell._vitals, PsVitals)
        cell.load("def f(n):\n    return sum(range(n))", "f")
        for n in (10, 1000):
            called = cell.call([encode((n,))])
            assert called.values == (sum(range(n)),)
            assert called.flags == (DEGRADED,)
            assert called.peak_bytes is None
            assert called.resident_bytes > 0
    with box.cell() as cell:
        cell.load("print(int(input()) * 2)", "")
        assert cell.call([encode(("21",)), encode(("4",))]).values == ("42\n", "8\n")


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("import time\ndef f():\n    time.sleep(100)", Outcome.TIMED_OUT),
        ("def f():\n    while True:\n        pass", Outcome.TIMED_OUT),
        ("import os\ndef f():\n    os._exit(0)", Outcome.EXITED),
        ("import os\ndef f():\n    os.abort()", Outcome.CRASHED),
        ("import time\ndef f():\n    held = bytearray(300 << 20)\n    time.sleep(100)", Outcome.OVER_MEMORY),
    ],
)
def test_limits_hold_from_outside(box: Sandbox, source: str, outcome: Outcome) -> None:
    if outcome is Outcome.OVER_MEMORY:
        source = source.replace("    time", "    held[::4096] = b'x' * (len(held) // 4096)\n    time")
    with box.cell() as cell, pytest.raises(Ended) as caught:  # noqa: PT012
        cell.load(source, "f")
        cell.call([encode(())])
    assert caught.value.outcome is outcome
    assert caught.value.flags == (DEGRADED,)


def test_processes_that_stay_in_the_family_are_ended_with_it(box: Sandbox) -> None:
    source = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        time.sleep(1000)

def f():
    pass
"""
    with box.cell() as cell:
        cell.load(source, "f")
        assert box.n_processes() == 6  # warden, watch, worker, and its three
    until = time.monotonic() + 3
    while box.n_processes() and time.monotonic() < until:
        time.sleep(0.05)
    assert box.n_processes() == 0
