"""Ctrl-C and polite requests to end: the first ends what is on in good order, more of them break nothing off.

An exception that a signal raises in the middle of an event loop loses what the loop was about to do: a task
then waits for ever for one that is over. So a run hears of a request as a cancellation of its own task, once,
and never while it closes its record; afterwards what was measured is reported before the process ends.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from types import FrameType, TracebackType
from typing import Any

PATIENCE_S = 20.0
"""After the first request; one that comes later ends the process at once, as a kill does."""
ENDED = 130
_OF_A_RUN = ("SIGTERM", "SIGHUP")
_WAIT = b"! ending already: what was answered is being written down\n"
_BY_FORCE = b"! ended by force: what was answered is stored, and the same command goes on from there\n"


@dataclass(slots=True)
class Interrupts:
    """Hears Ctrl-C from ``with`` on, and SIGTERM and SIGHUP while a run is on. ``came``: what it heard.

    Between two runs the first one raises ``KeyboardInterrupt``. Only the main thread hears signals: elsewhere
    this does nothing, and a run that is killed is resumed by the same command.
    """

    came: list[int] = field(default_factory=list)
    _first_s: float = 0.0
    _task: asyncio.Task[Any] | None = None
    _loop: asyncio.AbstractEventLoop | None = None
    _runs: bool = False
    _before: dict[int, Any] = field(default_factory=dict)

    def __enter__(self) -> Interrupts:
        self._hear("SIGINT")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self.came:  # else the process is about to end, and nothing is to be raised on the way
            self._leave("SIGINT")

    @contextmanager
    def during_a_run(self) -> Iterator[None]:
        """Raise nothing in the body: the run is told, or what comes is kept for afterwards."""
        self._runs = True
        self._hear(*_OF_A_RUN)
        try:
            yield
        finally:
            self._leave(*_OF_A_RUN)
            self._runs = False

    def tell(self, task: asyncio.Task[Any] | None) -> None:
        """Cancel ``task`` at the first request; with null it is only kept in ``came`` from now on."""
        self._task = task
        self._loop = None if task is None else task.get_loop()

    def _hear(self, *names: str) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, a job in the background
                self._before[number] = signal.signal(number, self._heard)

    def _leave(self, *names: str) -> None:
        for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
            if number in self._before:
                before = self._before.pop(number)
                signal.signal(number, signal.SIG_DFL if before is None else before)

    def _heard(self, number: int, _frame: FrameType | None) -> None:
        self.came.append(number)
        if len(self.came) > 1:
            if monotonic() - self._first_s > PATIENCE_S:
                _say(_BY_FORCE)
                os._exit(ENDED)
            if len(self.came) == 2:
                _say(_WAIT)
            return
        self._first_s = monotonic()
        if self._task is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._cancel)
        elif not self._runs:
            raise KeyboardInterrupt

    def _cancel(self) -> None:
        if self._task is not None:  # else its record is being closed by now
            self._task.cancel()


def _say(what: bytes) -> None:
    """Write past all buffers: a signal may have come in the middle of a print."""
    with suppress(OSError):
        os.write(2, what)
