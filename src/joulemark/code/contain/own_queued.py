"""How long a thread was ready to run and had no processor, by Linux's ``schedstat``."""

from __future__ import annotations

import contextlib
import os
import threading

_QUEUED = 1  # field: ready to run, and waiting for a processor (ns)
_MOST_BYTES = 256


class _Own(threading.local):
    """This thread's file, opened when it is first read."""

    def __init__(self) -> None:
        self.file: int | None = None
        with contextlib.suppress(OSError):
            self.file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if self.file is not None:
            os.close(self.file)


_own = _Own()


def _forget() -> None:
    global _own
    _own = _Own()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # what was opened before is the parent's


def own_queued_ns() -> int | None:
    """Return how long this thread waited so far (ns), null where nobody tells."""
    return queued_ns(_own.file)


def queued_ns(schedstat: int | None) -> int | None:
    """Return how long the thread of an open ``schedstat`` waited so far (ns), null where nobody tells."""
    if schedstat is None:
        return None
    try:
        return int(os.pread(schedstat, _MOST_BYTES, 0).split()[_QUEUED])
    except (OSError, ValueError, IndexError):
        return None  # a process that has ended: other readings tell
