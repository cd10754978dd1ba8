"""The evaluating process as its worker sees it: started, asked, listened to, ended."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from joulemark.board.code_service.evaluating import MAX_FILES_BYTES
from joulemark.board.code_service.unprivileged import User, command, environment, identity

_MAX_LINE_BYTES = 2 * MAX_FILES_BYTES + (64 << 20)
_TAIL_BYTES = 2000

Event = dict[str, Any]


class Child:
    """A process that was asked for one thing. Use ``with``: whatever it leaves running is ended."""

    def __init__(self, folder: Path, user: User, asked: dict[str, Any], upload: bytes = b"") -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        self._process: subprocess.Popen[bytes] = subprocess.Popen(
            command(),
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,
            **identity(user),  # type: ignore[call-overload]
        )
        self._events: queue.Queue[Event | None] = queue.Queue()
        assert self._process.stdout is not None
        self._reader = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._reader.start()
        self._send(orjson.dumps({**asked, "n_bytes": len(upload)}, option=orjson.OPT_APPEND_NEWLINE) + upload)

    @property
    def pid(self) -> int:
        """The number of the process, and of the group that it leads."""
        return self._process.pid

    def next(self, within_s: float) -> Event | None:
        """Return what it says next, null for nothing within a time. Raises ``EOFError`` when it has ended."""
        try:
            event = self._events.get(timeout=within_s)
        except queue.Empty:
            return None
        if event is None:
            raise EOFError(self._last_words())
        return event

    def confirm(self) -> None:
        """Tell it that its result is stored: it may remove its rows, and end."""
        self._send(b"kept\n")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)

    def close(self) -> None:
        """End it and all of its group, whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join()
        for end in (self._process.stdin, self._process.stdout):
            if end is not None:
                with contextlib.suppress(OSError):
                    end.close()
        self._stderr.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended; its output says so
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def _listen(self, output: BinaryIO) -> None:
        while line := output.readline(_MAX_LINE_BYTES):
            try:
                event = orjson.loads(line)
            except orjson.JSONDecodeError:
                break
            if not isinstance(event, dict) or not isinstance(event.get("event"), str):
                break
            self._events.put(event)
        self._events.put(None)

    def _last_words(self) -> str:
        self._stderr.flush()
        size = os.fstat(self._stderr.fileno()).st_size
        return os.pread(self._stderr.fileno(), _TAIL_BYTES, max(0, size - _TAIL_BYTES)).decode(
            errors="replace"
        )
