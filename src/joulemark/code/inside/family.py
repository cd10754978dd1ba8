"""The processes that a process has started, and theirs, where no namespace ends them with it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

_ROUNDS = 20  # what forks while it is hunted is hunted again


def descendants(process: int) -> list[int]:
    """Return the processes below ``process``, nearest first. Those that left its family are not seen."""
    parents = _parents()
    found: list[int] = []
    generation = {process}
    while generation:
        generation = {child for child, parent in parents.items() if parent in generation} - {process, *found}
        found += sorted(generation)
    return found


def end_descendants(process: int) -> None:
    """Kill every process below ``process``, until none is left that is no zombie."""
    for _ in range(_ROUNDS):
        below = [one for one in descendants(process) if one != os.getpid()]
        if not below:
            return
        for signum in (signal.SIGSTOP, signal.SIGKILL):  # stopped first: none can fork while others end
            for one in below:
                with contextlib.suppress(OSError):
                    os.kill(one, signum)
        if process == os.getpid():
            with contextlib.suppress(OSError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _parents() -> dict[int, int]:
    """Return the parent of each process that lives."""
    if sys.platform != "linux":
        return _parents_by_ps()
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"/proc/{name}/stat", "rb") as file,
            ):
                state, parent = file.read().rpartition(b")")[2].split()[:2]
                if state not in (b"Z", b"X"):
                    found[int(name)] = int(parent)
    return found


def _parents_by_ps() -> dict[int, int]:
    listed = subprocess.run(["ps", "-axo", "pid=,ppid=,stat="], capture_output=True, text=True, check=False)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return {int(row[0]): int(row[1]) for row in rows if len(row) > 2 and not row[2].startswith("Z")}
