"""The end of a process, and a system without threads: a block has no joules then, and never raises."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import joulemark
from joulemark.live import session
from joulemark.live.meter_set import MeterSet
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.reason import Reason

TRACE = "# scope = wall/psu/gpu:0\n# power_max_w = 400\nt_s,energy_j,power_w\n" + "".join(
    f"{0.05 * i:.2f},{100 + 3 * i},60\n" for i in range(800)
)

AT_EXIT = """
import atexit, sys
import joulemark
case, meters = sys.argv[1], f"replay:{sys.argv[2]}"

def last():
    with joulemark.measure(meters=meters, test_s=0.5) as block:
        pass
    print(type(block.total).__name__, block.result.absent, block.duration_s > 0)

if case != "open":
    atexit.register(last)
if case != "unused":
    joulemark.measure(meters=meters, test_s=0.5).prepare()
if case == "open":
    atexit.register(last)
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "board.csv"
    path.write_text(TRACE)
    return path


@pytest.mark.parametrize(
    ("case", "kinds"),
    [
        ("open", ["MeasuredEnergy"]),
        ("closed", ["Withheld"]),
        ("unused", ["MeasuredEnergy", "Withheld"]),  # newer interpreters start no thread at their end
    ],
)
def test_a_block_at_the_end_of_the_process(trace: Path, case: str, kinds: list[str]) -> None:
    command = [sys.executable, "-c", AT_EXIT, case, str(trace)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    kind, told = ended.stdout.split(maxsplit=1)
    assert kind in kinds
    assert told.endswith("True\n")
    assert ("('replay', " in told) is (kind == "Withheld")


class NoThreads:
    """A system that starts no more threads after so many."""

    def __init__(self, left: int) -> None:
        self._left, self._start = left, threading.Thread.start

    def start(self, thread: threading.Thread) -> None:
        if self._left <= 0:
            raise RuntimeError("can't start new thread")
        self._left -= 1
        self._start(thread)


@pytest.mark.parametrize("left", range(6))
def test_a_system_that_starts_no_thread(trace: Path, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = NoThreads(left)
    monkeypatch.setattr(threading.Thread, "start", lambda thread: limited.start(thread))
    meters = f"replay:{trace}"
    with joulemark.measure(meters=meters, test_s=0.4) as block:
        pass
    monkeypatch.undo()
    total = block.total
    if isinstance(total, Withheld):
        assert total.reason is Reason.METER_SILENT
        assert "can't start new thread" in total.detail
    else:
        assert isinstance(total, MeasuredEnergy)
        assert left > 2
    session.close_all()


def test_none_is_not_missed() -> None:
    assert MeterSet.unopened(("none",), "why").absent == ()
