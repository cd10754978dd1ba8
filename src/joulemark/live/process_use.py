"""What this process has used so far: processor time and memory, read in a few microseconds."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

if sys.platform != "win32":
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

MEMORY_FROM_NS = 10_000_000  # to read the resident memory takes longer than all else at the end of a block
_STATM_SIZE = 128

Raw = tuple[Any, Any] | None
"""What the system says of this process and of its reaped children; null where it does not say."""


@dataclass(frozen=True, slots=True)
class Usage:
    """``cpu_s``: user and system time, with that of reaped children. ``maxrss`` as the system counts it."""

    cpu_s: float
    maxrss: int

    @classmethod
    def of(cls, raw: Raw) -> Usage | None:
        """Read what `raw_usage` gave."""
        if raw is None:
            return None
        own, reaped = raw
        cpu_s = own.ru_utime + own.ru_stime + reaped.ru_utime + reaped.ru_stime
        return cls(cpu_s, own.ru_maxrss)


def raw_usage() -> Raw:
    """Ask the system and look at nothing: it stands in the way of a block that is measured."""
    if sys.platform == "win32":
        return None
    return getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)


def rss_pages() -> int | None:
    """Return the present resident memory in pages; null where the system does not say. It never raises."""
    try:
        data = os.pread(_own_account(), _STATM_SIZE, 0)
        return int(data.split()[1])
    except (OSError, IndexError, ValueError):
        return None


class _Account(NamedTuple):
    """An open account of a process; ``file`` tells it from another that got its number."""

    fd: int
    pid: int
    file: tuple[int, int]


def _own_account() -> int:
    """Return the open account of this process.

    Whoever closes all files (a daemon at its start) closes it too, and the number may be another file's by
    now. So one that is no longer known as ours is forgotten and not closed. Raises ``OSError``.
    """
    global _account
    account = _account
    if account is not None and account.pid == os.getpid() and _file(account.fd) == account.file:
        return account.fd
    with _opening:
        if _account is account:
            fd = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
            _account = _Account(fd, os.getpid(), _file(fd) or (0, 0))
        return -1 if _account is None else _account.fd


def _file(fd: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(fd)
    except OSError:
        return None
    return status.st_dev, status.st_ino


_account: _Account | None = None
_opening = threading.Lock()


def _after_fork() -> None:
    global _account, _opening
    _account, _opening = None, threading.Lock()  # a thread of the parent may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
