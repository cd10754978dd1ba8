"""A server process of ours: started, watched until it is ready, ended as a whole."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import joulemark

_READY_LIMIT_BYTES = 65_536


class ChildFailed(Exception):
    """The child ended or stayed silent before it was ready; the message says which."""


class Child:
    """A process in a group of its own, told what to do by one line and answering with one line.

    Its standard input stays open for as long as it may live. Its standard error goes to ``log_path``.
    """

    def __init__(self, argv: Sequence[str], log_path: Path) -> None:
        self._argv, self.log_path = list(argv), log_path
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id while it is alive."""
        process = self._process
        return process.pid if process is not None and _exit_code(process) is None else None

    async def start(self, line: bytes, *, deadline_s: float) -> bytes:
        """Start it, hand it ``line`` and return the line it answers with.

        Raises `ChildFailed` when it ends or says nothing within ``deadline_s`` seconds; it is dead then.
        """
        with self.log_path.open("wb") as log:
            # Started from this thread: Linux signals a parent's death when the *thread* that forked ends.
            # A session of its own keeps the terminal's Ctrl-C away, so that the run can end in good order.
            self._process = subprocess.Popen(
                self._argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                env=child_environment(),
            )
        try:
            return await self._answer(self._process, line, time.monotonic() + deadline_s, deadline_s)
        except BaseException:
            self.kill()
            raise

    async def _answer(
        self, process: subprocess.Popen[bytes], line: bytes, deadline: float, deadline_s: float
    ) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
        os.set_blocking(process.stdout.fileno(), False)
        answer = b""
        while not answer.endswith(b"\n"):
            with contextlib.suppress(BlockingIOError):
                data = os.read(process.stdout.fileno(), 4096)
                if not data:
                    raise ChildFailed(await _how_it_ended(process))
                answer += data
                if len(answer) > _READY_LIMIT_BYTES:
                    raise ChildFailed("it answered with something else than a line")
                continue
            if time.monotonic() > deadline:
                raise ChildFailed(f"it was not ready after {deadline_s:.0f} s")
            await asyncio.sleep(0.02)
        return answer

    async def stop(self, *, grace_s: float = 5.0) -> None:
        """Close its standard input, wait ``grace_s`` seconds, then kill the whole group."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None and not process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        try:
            deadline = time.monotonic() + grace_s
            while _exit_code(process) is None and time.monotonic() < deadline:
                await asyncio.sleep(0.01)
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process and all of its group at once, and reap it."""
        process, self._process = self._process, None
        if process is None:
            return
        # The group's id is the process's own, and nobody else can get it before the process is reaped below.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def child_environment() -> dict[str, str]:
    """Return an environment in which a child imports the package that this process imported.

    ``PYTHONPATH`` may be relative to a folder that was left since, or name none of the folders that Python
    added by itself. Only site-packages must not come before the standard library, and need not.
    """
    root = Path(joulemark.__file__).resolve().parents[1]
    if root.name in ("site-packages", "dist-packages"):
        return dict(os.environ)
    path = filter(None, (str(root), os.environ.get("PYTHONPATH")))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def _exit_code(process: subprocess.Popen[bytes]) -> int | None:
    """Return the exit code (negative: the signal) without reaping, null while the process lives."""
    try:
        info = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return process.returncode or 0
    if info is None:
        return None
    return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status


async def _how_it_ended(process: subprocess.Popen[bytes]) -> str:
    """Say how a process that closed its output ended; it may need a moment to be gone."""
    for _ in range(200):
        code = _exit_code(process)
        if code is not None:
            return f"it ended with code {code}" if code >= 0 else f"signal {-code} ended it"
        await asyncio.sleep(0.01)
    return "it closed its output"
