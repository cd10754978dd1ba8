"""A program that is ready to run and waits: its process is there, and watched, before its first instruction.

A small interpreter is started, waits for the word and then becomes the program (exec), so that the process id
and its standard streams are the program's. What it used itself it tells beforehand, to be taken off.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.live.used import maxrss_mib
from joulemark.record.errors import InputError

NOT_FOUND, NOT_EXECUTABLE = 127, 126  # as shells have it
_LARGEST_TELLING = 4096
# Signals that Python ignores for itself and a program must not inherit so.
_STUB = """
import errno, os, resource, signal, sys, time
gate, told = int(sys.argv[1]), int(sys.argv[2])
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
if not os.read(gate, 1):
    os._exit(1)
os.close(gate)
os.set_inheritable(told, False)
for name in ("SIGPIPE", "SIGXFSZ"):
    signal.signal(getattr(signal, name), signal.SIG_DFL)
own = resource.getrusage(resource.RUSAGE_SELF)
os.write(told, b"%d %d " % (time.process_time_ns(), own.ru_maxrss))
try:
    os.execvp(sys.argv[3], sys.argv[3:])
except (OSError, ValueError) as error:  # ValueError: no program has an empty name
    os.write(told, b"%d" % (getattr(error, "errno", None) or errno.ENOENT))
os._exit(1)
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    ``cpu_s``: user and system time of it and of the descendants that were waited for. ``maxrss_mib``: the
    largest of these processes; null where none was larger than what started it, ``floor_mib``, whose size
    the system counts as its own. ``errno``: why the system did not start it, else null.
    """

    status: int
    cpu_s: float
    maxrss_mib: float | None
    floor_mib: float
    errno: int | None = None

    @property
    def signal(self) -> int | None:
        """The signal that ended it; null where it ended by itself."""
        return os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else None

    @property
    def exit_code(self) -> int:
        """The exit code that a shell would give: 128 + n for signal n, 127 not found, 126 not executable."""
        if self.errno is not None:
            return NOT_FOUND if self.errno in (errno.ENOENT, errno.ENOTDIR) else NOT_EXECUTABLE
        return 128 + self.signal if self.signal is not None else os.waitstatus_to_exitcode(self.status)


class WaitingProgram:
    """A started, waiting program. `go` lets it run, `wait` returns its end; `cancel` ends it unrun."""

    def __init__(self, command: Sequence[str]) -> None:
        """Raises `InputError` where the system cannot start a process, or is not a Unix.

        The program inherits whatever this process inherited or made inheritable, as from a shell.
        """
        if sys.platform == "win32":
            raise InputError("a program cannot be measured here", why="this needs a Unix system")
        self._told = b""
        gate_r, self._gate_w = os.pipe()
        self._told_r, told_w = os.pipe()
        for fd in (gate_r, told_w):
            os.set_inheritable(fd, True)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _STUB, str(gate_r), str(told_w), *command],
                close_fds=False,  # a jobserver's pipe, a shell's <(...); Python's own close on exec
            )
        except (OSError, ValueError) as error:
            os.close(self._gate_w)
            os.close(self._told_r)
            if isinstance(error, OSError):
                raise InputError("no process can be started", why=str(error.strerror)) from error
            raise InputError("an argument cannot be handed to a program", why=str(error)) from error
        finally:
            os.close(gate_r)
            os.close(told_w)

    @property
    def pid(self) -> int:
        """The process id, the program's own from the start."""
        return self._process.pid

    def go(self) -> int:
        """Let the program run; return when its first instruction was about to (monotonic ns)."""
        with contextlib.suppress(BrokenPipeError):  # it was killed while it waited; `wait` tells
            os.write(self._gate_w, b"g")
        os.close(self._gate_w)
        self._gate_w = -1
        while data := os.read(self._told_r, _LARGEST_TELLING):  # its end of the pipe closes as it begins
            self._told += data
        begun_ns = time.monotonic_ns()
        os.close(self._told_r)
        return begun_ns

    def send(self, number: int) -> None:
        """Send it a signal; of no effect once it has ended."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def wait(self) -> Ended:
        """Wait for the end of the program."""
        _, status, usage = os.wait4(self.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        told = self._told.split()
        cpu_s = usage.ru_utime + usage.ru_stime
        if len(told) < 2:  # it never began
            return Ended(status, cpu_s, None, 0.0)
        own_s, floor = int(told[0]) * 1e-9, int(told[1])
        largest = maxrss_mib(usage.ru_maxrss) if usage.ru_maxrss > floor else None
        why = int(told[2]) if len(told) > 2 else None
        return Ended(status, max(0.0, cpu_s - own_s), largest, maxrss_mib(floor), why)

    def cancel(self) -> None:
        """End it before it began."""
        if self._gate_w >= 0:
            os.close(self._gate_w)
            self._gate_w = -1
            self._process.send_signal(signal.SIGTERM)
            self._process.wait()
            os.close(self._told_r)
