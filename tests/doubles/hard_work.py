"""Functions that a process of its own survives and a board should not have to."""

from __future__ import annotations

import os
import time


def double(n: int) -> int:
    """Return twice as much."""
    return 2 * n


def burn() -> None:
    """Take the processor's time for ever."""
    while True:
        pass


def sleep(seconds: float) -> None:
    """Do nothing for a while."""
    time.sleep(seconds)


def end() -> None:
    """End the process at once."""
    os._exit(3)


def fail() -> None:
    """Raise what nobody expects."""
    raise RuntimeError("a fault")


def eat() -> int:
    """Ask for more memory than there is leave for."""
    return len(bytearray(64 * 2**30))
