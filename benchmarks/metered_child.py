"""Runs a command on one core and tells what it and all its descendants used: the metering of load_clients.py.

    python metered_child.py CORE OWN_CORE LOG TIMEOUT_S COMMAND…

The command gets CORE, this program OWN_CORE; -1 leaves them alone. Standard output gets JSON: ``rc``,
``cpu_s`` (user and system, of every process that the command started, also of those whose parents did not
wait for them), ``course``, which is pairs of the monotonic clock in ns and the CPU seconds up to then (empty
where there is no /proc), and ``leftover``, the number of processes that had to be ended. What the command
says goes to LOG.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of linux/prctl.h: orphans become children of this process
_PATIENCE_S = 5.0
_LOOK_S = 0.05
_TICKS_A_S = os.sysconf("SC_CLK_TCK")


def children(pid: int | str = "self") -> list[int]:
    """Return the process ids of a process's children."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, task.read_text().split())
    return found


def used_s(pid: int | str) -> float:
    """Return the CPU seconds of a process, of children that it waited for, and of the living below it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has just ended, and is counted with its parent
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS_A_S + sum(used_s(child) for child in children(pid))


def reap_all() -> int:
    """Wait for all descendants; returns how many had to be ended."""
    killed: set[int] = set()
    end = time.monotonic() + _PATIENCE_S
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return len(killed)
        if pid == 0:
            if time.monotonic() > end:
                for child in children():
                    killed.add(child)
                    os.kill(child, signal.SIGKILL)
            time.sleep(0.02)


def watched(process: subprocess.Popen[bytes], timeout_s: float) -> tuple[int | None, list[tuple[int, float]]]:
    """Wait for the command, and note meanwhile what all below it have used; null where its time was over."""
    course: list[tuple[int, float]] = []
    end = time.monotonic() + timeout_s
    while (rc := process.poll()) is None and time.monotonic() < end:
        if sys.platform == "linux":
            begin_ns = time.monotonic_ns()
            cpu_s = sum(used_s(child) for child in children())  # orphans of the command's among them
            course.append(((begin_ns + time.monotonic_ns()) // 2, cpu_s))
        time.sleep(_LOOK_S)
    if rc is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE_S)
    return rc, course


def main() -> None:
    """Run the command, wait for all that it started, and print the account."""
    core, own_core, log, timeout_s, *command = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    if int(core) >= 0:
        os.sched_setaffinity(0, {int(core)})  # the command inherits it
    with open(log, "wb") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        if int(own_core) >= 0:
            os.sched_setaffinity(0, {int(own_core)})
        rc, course = watched(process, float(timeout_s))
    leftover = reap_all()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = used.ru_utime + used.ru_stime
    print(json.dumps({"rc": rc, "cpu_s": cpu_s, "course": course, "leftover": leftover}))


if __name__ == "__main__":
    main()
