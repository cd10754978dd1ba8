"""What this process has used so far: processor time and memory, read in a few microseconds."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from typing import Any

if sys.platform != "win32":
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

MEMORY_FROM_NS = 10_000_000  # to read the resident memory takes longer than all else at the end of a block
_STATM_SIZE = 128
_statm: dict[int, int] = {}  # the open account of this process, by its pid: a fork's is another

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
    """Return the present resident memory in pages; null where the system does not say."""
    pid = os.getpid()
    fd = _statm.get(pid)
    try:
        if fd is None:
            for inherited in _statm.values():  # of the process that this one was forked from
                with contextlib.suppress(OSError):
                    os.close(inherited)
            _statm.clear()
            fd = _statm[pid] = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        return int(os.pread(fd, _STATM_SIZE, 0).split()[1])
    except (OSError, IndexError, ValueError):
        return None
