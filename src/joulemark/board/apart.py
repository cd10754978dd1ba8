"""Work on what strangers sent, in a process of its own that may be killed: with limits of time and memory."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

_PRELOADED = [
    "joulemark.board.intake.examine",
    "joulemark.board.intake.regrade",
    "joulemark.board.standing.evidence_page",
]
_MEMORY_BYTES = 4 * 2**30
_WAITS = 4  # times the deadline by the clock: a machine that is busy has less of its time for us
_WAITING = 8  # that may wait for a place at once: each holds a thread, and pages need threads too
_ENDS_S = 5.0
_OUT_OF_TIME = -int(getattr(signal, "SIGXCPU", 24))


class Busy(Exception):
    """All places are taken, or the machine has too much to do: to be tried again."""


class TookTooLong(Exception):
    """It took more of the processor's time than a piece of work may, and was ended."""


class Broke(Exception):
    """The process ended without an answer."""


class Worker(Protocol):
    """Runs a function of a module on given values, both of which can be pickled."""

    def run(self, function: Callable[..., T], *given: Any) -> T:
        """Return what it returns. Raises `Busy`, `TookTooLong` or `Broke`."""
        ...


class Apart:
    """A fresh process for each piece of work, ``n_places`` at once.

    They are copies of one clean process that has everything imported, so that one costs milliseconds, and
    what one piece of work does to its process no other will see.
    """

    def __init__(
        self,
        *,
        n_places: int | None = None,
        deadline_s: float = 60.0,
        patience_s: float = 20.0,
        memory_bytes: int | None = _MEMORY_BYTES,
    ) -> None:
        """``deadline_s`` of the processor's time; ``patience_s``: how long one waits for a place.

        ``memory_bytes`` of addresses; null for no limit, which a drawing needs: its engine claims far more
        than it uses.
        """
        places = n_places or max(2, os.cpu_count() or 1)
        self._places = threading.BoundedSemaphore(places)
        self._room = threading.BoundedSemaphore(places + _WAITING)
        self._deadline_s, self._patience_s = deadline_s, patience_s
        self._memory_bytes = memory_bytes
        method = "forkserver" if sys.platform != "win32" else "spawn"
        self._context: Any = multiprocessing.get_context(method)
        if method == "forkserver":
            self._context.set_forkserver_preload(_PRELOADED)

    def run(self, function: Callable[..., T], *given: Any) -> T:
        """Return what it returns; raises as `Worker.run` does."""
        if not self._room.acquire(blocking=False):
            raise Busy
        try:
            if not self._places.acquire(timeout=self._patience_s):
                raise Busy
            try:
                return self._run(function, given)
            finally:
                self._places.release()
        finally:
            self._room.release()

    def _run(self, function: Callable[..., T], given: tuple[Any, ...]) -> T:
        here, there = self._context.Pipe(duplex=True)
        process = self._context.Process(
            target=_work, args=(there, self._deadline_s, self._memory_bytes), daemon=True
        )
        try:
            process.start()
        except OSError as error:  # no more processes, or no folder to start one in
            here.close()
            raise Busy from error
        finally:
            there.close()
        try:
            here.send((function, given))
            if not here.poll(_WAITS * self._deadline_s):
                raise Busy
            found: T = here.recv()
            return found
        except (EOFError, OSError) as error:
            process.join(_ENDS_S)
            raise TookTooLong if process.exitcode == _OUT_OF_TIME else Broke from error
        finally:
            here.close()
            process.kill()
            process.join()
            process.close()


class Here:
    """The same work in this very process: for a script that trusts its bundles."""

    def run(self, function: Callable[..., T], *given: Any) -> T:
        """Return what it returns."""
        return function(*given)


def _work(pipe: Connection, deadline_s: float, memory_bytes: int | None) -> None:
    """Do one piece of work. What it raises is a fault of ours: it ends the process, and the board says so."""
    _limit(deadline_s, memory_bytes)
    try:
        function, given = pipe.recv()
    except (EOFError, OSError):  # the board has ended
        return
    found = function(*given)
    with contextlib.suppress(OSError):
        pipe.send(found)
    pipe.close()


def _limit(deadline_s: float, memory_bytes: int | None) -> None:
    if sys.platform == "win32":
        return
    import resource

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the board, which ends this
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    seconds = max(1, round(deadline_s))
    limits = [(resource.RLIMIT_CPU, (seconds, seconds + 5)), (resource.RLIMIT_CORE, (0, 0))]
    if memory_bytes is not None:
        limits.append((resource.RLIMIT_AS, (memory_bytes, memory_bytes)))
    for limit, most in limits:
        with contextlib.suppress(ValueError, OSError):  # a limit that is lower already stays
            resource.setrlimit(limit, most)
