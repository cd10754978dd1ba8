"""A sandbox: a process in the containment that forks one fresh process for each run of a program."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

import joulemark
from joulemark.code.contain.cell import Cell
from joulemark.code.contain.containment import Containment
from joulemark.code.contain.limits import Limits
from joulemark.record.errors import InputError

_START = (
    "import sys; sys.path.insert(0, {source!r}); "
    "from joulemark.code.inside.launch import main; sys.path.pop(0); main()"
)
_CONTROL = 3
_READY_S = 30.0


class Sandbox:
    """Starts contained processes, each with nothing of the one before: a context manager.

    ``cpu``: the processor it keeps to, null for any. Raises `InputError` where it cannot be started.
    """

    def __init__(self, containment: Containment, limits: Limits, *, cpu: int | None = None) -> None:
        self.containment = containment
        self.limits = limits
        self._root = Path(tempfile.mkdtemp(prefix="joulemark-code-"))
        settings = {
            "namespaces": containment.namespaces,
            "landlock": containment.landlock,
            "seccomp": containment.seccomp,
            "root": str(self._root),
            "tmp_bytes": limits.tmp_bytes,
            "limits": limits.kernel_limits(),
            "cpu": cpu,
        }
        self._control, theirs = socket.socketpair()
        try:
            self._process = _started(settings, theirs, self._root)
            theirs.close()
            self._wait_until_ready()
        except BaseException:
            theirs.close()
            self.close()
            raise

    def cell(self) -> Cell:
        """Start a fresh process. Raises `InputError` where that fails."""
        ours, theirs = socket.socketpair()
        our_status, their_status = socket.socketpair()
        with theirs, their_status:
            try:
                for one in (ours, our_status):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
                socket.send_fds(self._control, [b"+"], [theirs.fileno(), their_status.fileno()])
            except OSError as error:
                ours.close()
                our_status.close()
                raise _lost(error) from error
        return Cell(ours, our_status, self.limits)

    def close(self) -> None:
        """End every process of the sandbox."""
        self._control.close()
        process = getattr(self, "_process", None)
        if process is not None:
            process.kill()  # its end ends the first process of the namespace, and that ends all others
            process.wait()
        shutil.rmtree(self._root, ignore_errors=True)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait_until_ready(self) -> None:
        self._control.settimeout(_READY_S)
        with contextlib.suppress(OSError):
            line = self._control.recv(4096)
            said = json.loads(line) if line else {}
            if said.get("ready"):
                return
            if "error" in said:
                raise _lost(said["error"])
        raise _lost("it ended at its start")


def _started(settings: dict[str, object], theirs: socket.socket, root: Path) -> subprocess.Popen[bytes]:
    source = str(Path(joulemark.__file__).parents[1])
    given = theirs.fileno()

    # The descriptor has to be number 3 in the child; a shell-less way without code between fork and exec.
    start = (
        f"import os; os.dup2({given}, {_CONTROL}); os.set_inheritable({_CONTROL}, False); "
        if given != _CONTROL
        else ""
    )
    return subprocess.Popen(
        [
            sys.executable,
            "-P",
            "-s",
            "-S",
            "-B",
            "-c",
            start + _START.format(source=source),
            json.dumps(settings),
        ],
        pass_fds=[given],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=root,
        env=_environment(),
        start_new_session=True,
    )


def _environment() -> dict[str, str]:
    """Return what programs find in their environment: nothing of the user's."""
    single = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return {"PYTHONHASHSEED": "0", "LANG": "C.UTF-8", "PATH": os.defpath, **dict.fromkeys(single, "1")}


def _lost(why: object) -> InputError:
    return InputError(
        "the sandbox for generated code cannot be started",
        why=str(why),
        fix="joulemark code selftest   # says what this machine allows",
    )
