"""One counter of a kernel PMU, opened with ``perf_event_open`` (man 2 perf_event_open).

The C library has no wrapper for that call, so it goes through ``syscall``. `LIBRARY_VARIABLE` names another
library to take ``syscall`` and ``read`` from; the tests put one there that speaks for the kernel.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from functools import cache
from struct import Struct
from typing import Any

LIBRARY_VARIABLE = "JOULEMARK_LIBC"

# The numbers of perf_event_open (Linux, arch/*/entry/syscalls); only x86 has the power PMU.
_CALL_NUMBERS = {("x86_64", True): 298, ("x86_64", False): 336, ("i686", False): 336, ("i386", False): 336}
# struct perf_event_attr, first version: type, size, config, sample_period, sample_type, read_format, the
# bit field, wakeup_events, bp_type, config1. No bit is set: the counter runs at once and excludes nothing; a
# power PMU takes nothing else.
_ATTR = Struct("=IIQQQQQIIQ")
_READ_TIMES = 0b11  # PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING
_CLOSE_ON_EXEC = 8  # PERF_FLAG_FD_CLOEXEC
_EVERY_PROCESS, _NO_GROUP = -1, -1


class EventEnded(Exception):
    """The kernel gives no more values of this event: its processor or its PMU is gone."""


class PowerEvent:
    """A running counter of the whole machine, attached to one processor. Raises ``OSError``."""

    def __init__(self, pmu_type: int, config: int, cpu: int) -> None:
        number = _CALL_NUMBERS.get((platform.machine(), sys.maxsize > 2**32))
        if number is None:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        self._library = perf_library()
        attr = ctypes.create_string_buffer(
            _ATTR.pack(pmu_type, _ATTR.size, config, 0, 0, _READ_TIMES, 0, 0, 0, 0), _ATTR.size
        )
        self._file = int(
            self._library.syscall(
                *(ctypes.c_long(number), attr, ctypes.c_long(_EVERY_PROCESS), ctypes.c_long(cpu)),
                *(ctypes.c_long(_NO_GROUP), ctypes.c_ulong(_CLOSE_ON_EXEC)),
            )
        )
        if self._file < 0:
            _raise()
        self._answer = (ctypes.c_uint64 * 3)()

    def read(self) -> tuple[int, int, int]:
        """Return the count since opening, and for how long (ns) the event was enabled and really counting.

        Raises ``OSError``, and `EventEnded` where nothing more will come.
        """
        wanted = ctypes.sizeof(self._answer)
        length = int(self._library.read(self._file, self._answer, wanted))
        if length < 0:
            _raise()
        if length != wanted:
            raise EventEnded
        count, enabled_ns, running_ns = self._answer
        return count, enabled_ns, running_ns

    def close(self) -> None:
        """Release the counter; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def perf_library() -> Any:
    """Return the library that has ``syscall`` and ``read``, see `LIBRARY_VARIABLE`; it keeps ``errno``."""
    return _library(os.environ.get(LIBRARY_VARIABLE))


@cache
def _library(path: str | None) -> Any:
    library = ctypes.CDLL(path, use_errno=True)
    library.syscall.restype = ctypes.c_long
    library.read.restype = ctypes.c_ssize_t
    library.read.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    return library


def _raise() -> None:
    code = ctypes.get_errno()
    raise OSError(code, os.strerror(code))
