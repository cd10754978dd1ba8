"""Instructions that another process retires in user space, where the processor's counters may be read.

They are read with ``perf_event_open`` (man 2 perf_event_open), which most virtual machines and containers do
not offer. The C library has no wrapper for that call; `meters.rapl.event` says how it is called.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from struct import Struct

from joulemark.meters.rapl.event import perf_library
from joulemark.record.reason import Reason

# The number of perf_event_open (Linux, arch/*/entry/syscalls and include/uapi/asm-generic/unistd.h).
_CALL_NUMBERS = {"x86_64": 298, "aarch64": 241}
# struct perf_event_attr, first version: type, size, config, sample_period, sample_type, read_format, the bit
# field, wakeup_events, bp_type, config1.
_ATTR = Struct("=IIQQQQQIIQ")
_HARDWARE, _INSTRUCTIONS = 0, 1  # PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS
_READ_TIMES = 0b11  # PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING
_INHERIT, _NOT_THE_KERNEL, _NOT_A_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6  # threads that it starts count
_CLOSE_ON_EXEC = 8
_ANY_PROCESSOR, _NO_GROUP = -1, -1
_COUNTED_SHARE = 0.999  # of the time; less where the processor's counters are shared in turns
_NOT_PERMITTED = (errno.EACCES, errno.EPERM)  # kernel.perf_event_paranoid, or a container's filter


class NoCounter(Exception):
    """Instructions cannot be counted; ``reason`` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class InstructionCounter:
    """Counts from now on what a process retires, threads that it starts included. Raises `NoCounter`."""

    def __init__(self, pid: int) -> None:
        number = _CALL_NUMBERS.get(platform.machine())
        if number is None or sys.platform != "linux" or sys.maxsize < 2**32:
            raise NoCounter(Reason.NOT_MEASURED)
        library = perf_library()
        bits = _INHERIT | _NOT_THE_KERNEL | _NOT_A_HYPERVISOR
        attr = ctypes.create_string_buffer(
            _ATTR.pack(_HARDWARE, _ATTR.size, _INSTRUCTIONS, 0, 0, _READ_TIMES, bits, 0, 0, 0), _ATTR.size
        )
        self._file = int(
            library.syscall(
                *(ctypes.c_long(number), attr, ctypes.c_long(pid), ctypes.c_long(_ANY_PROCESSOR)),
                *(ctypes.c_long(_NO_GROUP), ctypes.c_ulong(_CLOSE_ON_EXEC)),
            )
        )
        if self._file < 0:
            refused = ctypes.get_errno() in _NOT_PERMITTED
            raise NoCounter(Reason.NOT_PERMITTED if refused else Reason.NOT_MEASURED)
        self._library = library
        self._answer = (ctypes.c_uint64 * 3)()

    def read(self) -> int | None:
        """Return the count since the start; null where it cannot be read or did not count all the time."""
        wanted = ctypes.sizeof(self._answer)
        if int(self._library.read(self._file, self._answer, wanted)) != wanted:
            return None
        count, enabled_ns, running_ns = map(int, self._answer)
        return count if running_ns >= _COUNTED_SHARE * enabled_ns else None

    def close(self) -> None:
        """Release the counter; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
