"""Polite requests to end (SIGTERM, SIGHUP) act as Ctrl-C does: what was changed is put back first."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


async def as_cancellation(work: Coroutine[object, object, T]) -> T:
    """Await ``work``; a request to end that comes meanwhile cancels it. Windows knows no such requests."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return await work
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    signals = (signal.SIGTERM, signal.SIGHUP)
    for number in signals:
        loop.add_signal_handler(number, task.cancel)
    try:
        return await work
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
