"""The sandbox's first process, as the parent sees it: it is started here, and asked for fresh processes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from joulemark.code.contain import bubblewrap
from joulemark.code.contain.cell import Cell
from joulemark.code.contain.containment import Containment
from joulemark.code.contain.greeting import sender_of
from joulemark.code.contain.interpreter import LAUNCH, environment, python
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.process import Process
from joulemark.code.contain.vitals import Gone
from joulemark.code.inside import namespaces
from joulemark.code.inside.family import descendants
from joulemark.record.errors import InputError

_READY_S = 30.0
_END_S = 2.0


class Starter:
    """One such process. Raises `InputError` where it cannot be started."""

    def __init__(self, containment: Containment, limits: Limits, cpu: int | None) -> None:
        self._containment, self._limits = containment, limits
        self._root = Path(tempfile.mkdtemp(prefix="joulemark-code-"))
        self._words = tempfile.TemporaryFile()  # noqa: SIM115  # what it says before it is ready
        self._started: subprocess.Popen[bytes] | None = None
        self._first: Process | None = None
        self._control, theirs = _pair()
        try:
            with theirs:
                self._started = self._start(theirs, cpu)
            self._first = self._wait_until_ready()
            if containment.namespaces:
                # Its root stands by itself by now; a parent that is killed later leaves no folder behind.
                with contextlib.suppress(OSError):
                    self._root.rmdir()
        except BaseException:
            self.close()
            raise

    def cell(self, when_closed: Callable[[], None] | None = None) -> Cell:
        """Start a fresh process. Raises `InputError` where that fails."""
        ours, theirs = _pair()
        our_status, their_status = _pair()
        with theirs, their_status:
            try:
                socket.send_fds(self._control, [b"+"], [theirs.fileno(), their_status.fileno()])
            except OSError as error:
                ours.close()
                our_status.close()
                raise _lost(error) from error
        return Cell(ours, our_status, self._limits, self._containment, when_closed)

    def n_processes(self) -> int:
        """Return how many processes there are that it started."""
        return 0 if self._first is None else len(descendants(self._first.pid))

    def close(self) -> None:
        """End it and every process that it started."""
        self._control.close()
        if self._first is not None:
            if self._containment.namespaces:
                self._first.kill()  # its end ends the namespace, and that all others
            else:
                self._first.kill_family()
            self._first.wait(_END_S)
            self._first.close()
            self._first = None
        if self._started is not None:
            self._started.kill()
            self._started.wait()
            self._started = None
        self._words.close()
        shutil.rmtree(self._root, ignore_errors=True)

    def _start(self, theirs: socket.socket, cpu: int | None) -> subprocess.Popen[bytes]:
        with contextlib.ExitStack() as stack:
            passed = [theirs.fileno()]
            if hasattr(os, "pidfd_open"):
                with contextlib.suppress(OSError):
                    passed.append(os.pidfd_open(os.getpid()))
                    stack.callback(os.close, passed[-1])
            settings = self._settings(cpu) | {
                "control": passed[0],
                "parent": passed[1] if len(passed) > 1 else None,
            }
            command = python(LAUNCH, json.dumps(settings))
            if self._containment.bubblewrap is not None:
                command = [
                    *bubblewrap.command(
                        self._containment.bubblewrap,
                        per_run=self._containment.per_run,
                        tmp_bytes=self._limits.tmp_bytes,
                    ),
                    *command,
                ]
            try:
                return subprocess.Popen(
                    command,
                    pass_fds=passed,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._words,
                    cwd=self._root,
                    env=environment(),
                    start_new_session=True,
                )
            except OSError as error:
                raise _lost(error) from error

    def _settings(self, cpu: int | None) -> dict[str, object]:
        containment = self._containment
        made = namespaces.OWN if containment.bubblewrap is None else namespaces.GIVEN
        return {
            "namespaces": made if containment.namespaces else namespaces.NONE,
            "per_run": containment.namespaces and containment.per_run,
            "landlock": containment.landlock,
            "seccomp": containment.seccomp,
            "root": str(self._root),
            "tmp_bytes": self._limits.tmp_bytes,
            "limits": self._limits.kernel_limits(),
            "cpu": cpu,
        }

    def _wait_until_ready(self) -> Process:
        try:
            line, pid = sender_of(self._control, _READY_S)
            said = json.loads(line)
            self._control.setblocking(True)
        except (OSError, ValueError, KeyError, Gone) as error:
            raise _lost(self._last_words() or "it ended at its start") from error
        if not said.get("ready"):
            raise _lost(said.get("error", "it ended at its start"))
        return Process(pid)

    def _last_words(self) -> str:
        self._words.seek(0)
        lines = self._words.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""


def _pair() -> tuple[socket.socket, socket.socket]:
    """Return the ends of a channel; ours is told by the kernel who sends."""
    ours, theirs = socket.socketpair()
    if hasattr(socket, "SO_PASSCRED"):
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    return ours, theirs


def _lost(why: object) -> InputError:
    return InputError(
        "the sandbox for generated code cannot be started",
        why=str(why),
        fix="joulemark code selftest   # says what this machine allows",
    )
