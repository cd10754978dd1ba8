"""One life of the sampler process, seen from its parent: start it, ask for edges, hear its events."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from joulemark.telemetry.look_page import LookPage, page_file
from joulemark.telemetry.wire import SamplerConfig, split_lines

STDERR_TAIL_BYTES = 2000
CONFIG_TIMEOUT_S = 10.0

_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[int | None]"]


class SamplerLink:
    """A started sampler process. `events` is for one thread, edges are for any."""

    def __init__(self, config: SamplerConfig) -> None:
        """Start the process. Raises ``OSError`` when the system cannot, or it does not take ``config``."""
        with contextlib.ExitStack() as undo, contextlib.ExitStack() as handed_over:
            self._stderr = undo.enter_context(tempfile.TemporaryFile())
            events_r, events_w = os.pipe()
            handed_over.callback(os.close, events_w)
            self._events = undo.enter_context(os.fdopen(events_r, "rb", buffering=0))
            shared = handed_over.enter_context(page_file())
            self._page = LookPage(shared.fileno())
            fds = (events_w, shared.fileno())
            self._process = subprocess.Popen(
                # -P: a file in the user's directory must not pass for a module
                [sys.executable, "-P", "-m", "joulemark.telemetry.sampler_main", *map(str, fds)],
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                pass_fds=fds,
                start_new_session=True,  # Ctrl-C goes to the parent, who decides
                bufsize=0,
            )
            undo.pop_all()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._commands_fd = self._process.stdin.fileno()
        self._answers_fd = self._process.stdout.fileno()
        os.set_blocking(self._answers_fd, False)
        os.set_blocking(self._commands_fd, False)  # a hung sampler must not hang its parent
        self._lock = threading.Lock()
        self._wake_lock = threading.Lock()  # held for a write only: a mark must not wait for an edge's answer
        self._input = bytearray()
        self._stamps: dict[int, int] = {}
        self._waiters: dict[int, _Waiter] = {}
        self._number = 0
        self._closed = False
        self.ready = False
        try:
            self._hand_over(config.to_line())
        except OSError:
            self.kill()
            self.reap()
            raise

    @property
    def pid(self) -> int | None:
        """The process id; null once the process is reaped: the number may be another's then."""
        return None if self._closed else self._process.pid

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield what the process reports, until it is gone."""
        buffer = bytearray()
        while data := self._events.read(65536):
            buffer += data
            for line in split_lines(buffer):
                with contextlib.suppress(ValueError):
                    event = orjson.loads(line)
                    self.ready = self.ready or event["event"] == "ready"
                    yield event

    def edge(self, timeout_s: float) -> int | None:
        """Have every source read now; return the sampler's stamp, null when it did not answer in time."""
        with self._lock:
            number = self._ask()
            if number is None:
                return None
            deadline_s = time.monotonic() + timeout_s
            while number not in self._stamps:
                left_s = deadline_s - time.monotonic()
                if left_s <= 0 or not _wait_for(self._answers_fd, select.POLLIN, left_s):
                    return None
                if not self._hear():
                    return None
            return self._stamps.pop(number)

    def mark(self, now_ns: int) -> None:
        """Have every source read soon after ``now_ns`` (monotonic), without waiting for it.

        A sampler that looks soon enough anyway (`SamplerLoop.calm_from_ns`) finds the mark then; another is
        woken.
        """
        if self._page.mark(now_ns) and self.ready:
            self._send(b"look\n")

    async def aedge(self, timeout_s: float) -> int | None:
        """Like `edge`, while the event loop goes on."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[int | None] = loop.create_future()
        with self._lock:
            number = self._ask()
            if number is None:
                return None
            self._waiters[number] = (loop, future)
            loop.add_reader(self._answers_fd, self._on_answer, loop)
        timer = loop.call_later(timeout_s, _resolve, future, None)
        try:
            return await future
        finally:
            timer.cancel()
            with self._lock:
                self._waiters.pop(number, None)
                if not self._closed and not any(waiting is loop for waiting, _ in self._waiters.values()):
                    loop.remove_reader(self._answers_fd)

    def tell_stop(self) -> None:
        """Ask the process to take its last sample and leave; one that is gone is not asked."""
        self._send(b"stop\n")

    def stand_back(self) -> None:
        """Have the process, when it is woken, wait for a free processor, where a system can do so (Linux)."""
        with self._wake_lock:
            if not self._closed and sys.platform == "linux":
                with contextlib.suppress(OSError):
                    os.sched_setscheduler(self._process.pid, os.SCHED_BATCH, os.sched_param(0))

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def reap(self) -> str:
        """Close everything, wait for the end and return the tail of what the process complained about.

        To be called once it has closed its events, or was killed.
        """
        with self._lock:
            waiters, self._waiters = self._waiters, {}
            handed_over = False
            for loop, future in waiters.values():
                with contextlib.suppress(RuntimeError):  # that event loop may be closed
                    loop.call_soon_threadsafe(self._forget, loop, future)
                    handed_over = True
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            with self._wake_lock:
                # before its number and those of its pipes are free: others may get them at once
                self._closed, self._commands_fd = True, -1
                with contextlib.suppress(OSError):
                    self._process.stdin.close()
            if not handed_over:
                self._process.stdout.close()
        self._process.wait()
        self._events.close()
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - STDERR_TAIL_BYTES))
        complaint = self._stderr.read().decode(errors="replace").strip()
        self._stderr.close()
        return complaint

    def _ask(self) -> int | None:
        if self._closed or not self.ready:
            return None
        self._number += 1
        self._stamps.clear()
        return self._number if self._send(b"edge %d\n" % self._number) else None

    def _send(self, line: bytes) -> bool:
        """Tell whether the process was sent the whole line; none is sent once it is reaped."""
        with self._wake_lock:
            if self._closed:
                return False
            try:
                return os.write(self._commands_fd, line) == len(line)
            except OSError:
                return False

    def _hand_over(self, line: bytes) -> None:
        """Send a line that may be longer than the pipe holds. Raises ``OSError`` where it takes too long.

        A process that is gone already is no error here: whoever hears its events learns it, and why.
        """
        left, deadline_s = memoryview(line), time.monotonic() + CONFIG_TIMEOUT_S
        while left:
            left_s = deadline_s - time.monotonic()
            if left_s <= 0 or not _wait_for(self._commands_fd, select.POLLOUT, left_s):
                raise TimeoutError(f"it did not take its configuration within {CONFIG_TIMEOUT_S:g} s")
            try:
                left = left[os.write(self._commands_fd, left) :]
            except BlockingIOError:
                continue
            except OSError:
                return

    def _hear(self, here: asyncio.AbstractEventLoop | None = None) -> bool:
        """Read answers and hand them out; false when the process has closed its end.

        ``here`` is the event loop whose thread this is.
        """
        try:
            data = os.read(self._answers_fd, 65536)
        except BlockingIOError:
            return True
        self._input += data
        for line in split_lines(self._input):
            number, t_ns = map(int, line.split())
            loop, future = self._waiters.get(number, (None, None))
            if loop is None or future is None:
                self._stamps[number] = t_ns
            elif loop is here:
                _resolve(future, t_ns)
            else:
                with contextlib.suppress(RuntimeError):  # that event loop may be closed
                    loop.call_soon_threadsafe(_resolve, future, t_ns)
        return bool(data)

    def _on_answer(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            if self._closed or not self._hear(loop):
                for waiting, future in self._waiters.values():
                    if waiting is loop:
                        _resolve(future, None)

    def _forget(self, loop: asyncio.AbstractEventLoop, future: asyncio.Future[int | None]) -> None:
        """Stop watching the answers of a dead process; the watcher closes the pipe, for it still held it."""
        assert self._process.stdout is not None
        if not self._process.stdout.closed:
            loop.remove_reader(self._answers_fd)
            self._process.stdout.close()
        _resolve(future, None)


def _environment() -> dict[str, str]:
    """Return an environment in which the child finds this package, from a source tree too."""
    root = Path(__file__).parents[2]
    if root.name in ("site-packages", "dist-packages"):
        return dict(os.environ)
    path = filter(None, (str(root), os.environ.get("PYTHONPATH")))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def _wait_for(fd: int, event: int, timeout_s: float) -> bool:
    """Tell whether ``fd`` was ready in time; its number may be larger than what select(2) takes."""
    poll = select.poll()
    poll.register(fd, event)
    return bool(poll.poll(timeout_s * 1e3))


def _resolve(future: asyncio.Future[int | None], stamp: int | None) -> None:
    if not future.done():
        future.set_result(stamp)
