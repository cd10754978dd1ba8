"""Whatever ends a sandbox ends all that it started."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import joulemark
from joulemark.code.contain.cell import Ended
from joulemark.code.contain.containment import WHOLE, Containment
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.family import descendants
from joulemark.code.inside.plain import encode
from joulemark.record.code_run import DEGRADED, Outcome
from joulemark.record.errors import InputError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces and /proc are Linux's")

_SOURCE = str(Path(joulemark.__file__).parents[1])
_PARENT = f"""
import sys, time
sys.path.insert(0, {_SOURCE!r})
from joulemark.code.contain.containment import Containment
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.plain import encode
import threading, os
held, files, calls = (word == "True" for word in sys.argv[1:4])
box = Sandbox(Containment(held, files, calls), Limits(wall_s=100, cpu_s=100))
cell = box.cell()
source = '''
import os, time
def f():
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(0)
    except OSError:
        pass
    while True:
        time.sleep(1)
'''
cell.load(source, "f")
threading.Thread(target=lambda: cell.call([encode(())]), daemon=True).start()
time.sleep(0.5)
if sys.argv[4] == "copy" and os.fork() == 0:  # as a pool of processes does: with a copy of every descriptor
    time.sleep(1000)
print(box._starter._started.pid, box._starter._first.pid, flush=True)
time.sleep(1000)
"""


def _gone(processes: list[int], within_s: float) -> bool:
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        if not any(_lives(one) for one in processes):
            return True
        time.sleep(0.01)
    return False


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("held", [(True, True, True), (True, False, False), (False, False, False)])
@pytest.mark.parametrize("copied", ["", "copy"])
def test_nothing_outlives_a_parent_that_was_killed(
    held: tuple[bool, bool, bool], copied: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _PARENT, *map(str, held), copied]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # without namespaces a folder is left
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        line = parent.stdout.readline().split()
        if not line:
            pytest.skip("no such containment on this machine")
        started, first = map(int, line)
        family = [*{started, first}, *descendants(started), *descendants(first)]
        assert len(family) >= 4
        copies = [one for one in descendants(parent.pid) if one not in family]
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        gone = _gone(family, 2.0)
        for one in copies:
            os.kill(one, signal.SIGKILL)
    assert gone
    if held[0]:
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("held", [(True, True, True), (True, False, False), (False, False, False)])
def test_nothing_outlives_a_run_that_took_too_long(held: tuple[bool, bool, bool]) -> None:
    source = """
import os, time
try:
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(0)
        os.wait()
except OSError:
    pass

def f():
    while True:
        time.sleep(1)
"""
    try:
        box = Sandbox(Containment(*held), Limits(wall_s=1.0))
    except InputError as error:
        pytest.skip(f"no such containment on this machine: {error.why}")
    with box:
        before = descendants(os.getpid())
        cell = box.cell()
        cell.load(source, "f")
        family = [one for one in descendants(os.getpid()) if one not in before]
        n_left = 0 if held[2] else 3
        assert len(family) - n_left in (2, 3)  # watch and worker, and a warden where there has to be one
        with pytest.raises(Ended) as caught:
            cell.call([encode(())])
        assert caught.value.outcome is Outcome.TIMED_OUT
        assert all(map(_lives, family[:2]))
        cell.close()
        assert _gone(family, 2.0)
        assert _none_left(box)


def test_nothing_outlives_a_run_that_ended_itself() -> None:
    source = """
import os, time
def f():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    os.wait()
    os._exit(0)
"""
    with Sandbox(Containment(False, False, False), Limits()) as box:
        with box.cell() as cell:
            cell.load(source, "f")
            with pytest.raises(Ended) as caught:
                cell.call([encode(())])
            assert caught.value.outcome is Outcome.EXITED
        assert _none_left(box)


def _none_left(box: Sandbox) -> bool:
    until = time.monotonic() + 2
    while box.n_processes() and time.monotonic() < until:
        time.sleep(0.01)
    return box.n_processes() == 0


def test_closing_ends_open_runs_too() -> None:
    box = _whole()
    cell = box.cell()
    cell.load("import time\ndef f():\n    time.sleep(1000)", "f")
    thread = threading.Thread(target=_call_until_it_ends, args=(cell,))
    thread.start()
    time.sleep(0.3)
    assert box._starter is not None
    assert box._starter._first is not None
    family = descendants(box._starter._first.pid)
    assert len(family) in (2, 3)
    box.close()
    thread.join(10)
    assert not thread.is_alive()
    cell.close()
    box.close()
    assert _gone(family, 2.0)
    with pytest.raises(InputError, match="closed"):
        box.cell()


def test_a_sandbox_whose_first_process_was_killed_says_so() -> None:
    with _whole() as box:
        assert box._starter is not None
        assert box._starter._started is not None
        box._starter._started.kill()
        box._starter._started.wait()
        assert _gone([box._starter._first.pid], 2.0) if box._starter._first else False
        with pytest.raises(InputError):
            box.cell()


def test_a_sandbox_leaves_no_descriptor_and_no_folder() -> None:
    _whole().close()
    before = len(os.listdir("/proc/self/fd"))
    box = _whole()
    assert box._starter is not None
    place = box._starter._root
    assert not place.exists()  # its root stands by itself
    box.close()
    assert len(os.listdir("/proc/self/fd")) == before
    assert not place.exists()


def test_a_sandbox_that_cannot_be_started_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(InputError, match="cannot be started") as caught:
        Sandbox(WHOLE, Limits())
    assert "No such file" in caught.value.why
    assert len(os.listdir("/proc/self/fd")) == before


def test_less_than_the_whole_is_said_of_every_run() -> None:
    with Sandbox(Containment(False, False, False, ("all of it",)), Limits()) as box:
        with box.cell() as cell:
            cell.load("def f():\n    return 1", "f")
            assert cell.call([encode(())]).flags == (DEGRADED,)
        with box.cell() as cell, pytest.raises(Ended) as caught:
            cell.load("import os; os._exit(0)", "f")
        assert caught.value.flags == (DEGRADED,)
    assert not dataclasses.replace(WHOLE, landlock=False).is_whole
    assert WHOLE.flags == ()


def test_without_namespaces_files_of_this_machine_are_not_changed(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("before")
    source = """
import os
def f(place):
    done = []
    for way in (lambda: open(place, "w"), lambda: os.chmod(place, 0), lambda: os.unlink(place),
                lambda: os.rename(place, place + "x"), lambda: os.symlink("x", place + "y"),
                lambda: os.mkdir(place + "z"), lambda: os.truncate(place, 0),
                lambda: os.utime(place, (1, 1))):
        try:
            way()
            done.append("done")
        except OSError:
            pass
    return done
"""
    with Sandbox(Containment(False, False, True), Limits()) as box, box.cell() as cell:
        cell.load(source, "f")
        assert cell.call([encode((str(place),))]).values == ([],)
    assert place.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def _call_until_it_ends(cell: object) -> None:
    with pytest.raises(Ended):
        cell.call([encode(())])  # type: ignore[attr-defined]


def _whole() -> Sandbox:
    try:
        return Sandbox(WHOLE, Limits(wall_s=20))
    except InputError as error:
        pytest.skip(f"no whole containment on this machine: {error.why}")
