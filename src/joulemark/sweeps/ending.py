"""Polite requests to end a sweep (SIGTERM, SIGHUP) act as Ctrl-C does, between its runs too."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

_NAMES = ("SIGTERM", "SIGHUP")


def heed_requests() -> None:
    """Let requests to end raise ``KeyboardInterrupt`` from now on, in the main thread.

    A run hears them itself, and leaves them to the system's own way when it is over: then call this anew.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    for name in _NAMES:
        signal.signal(getattr(signal, name), _interrupt)


@contextlib.contextmanager
def heeded_requests() -> Iterator[None]:
    """Heed requests to end in the body, and leave them as they were before it."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (getattr(signal, name) for name in _NAMES)}
    heed_requests()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
