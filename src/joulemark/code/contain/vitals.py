"""CPU time and memory of another process, read from outside: nothing that runs in it can change them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from typing import Protocol

from joulemark.code.contain.own_queued import queued_ns
from joulemark.code.contain.ps_vitals import Gone, PsVitals

__all__ = ["Gone", "ProcessVitals", "Vitals", "vitals_of"]

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_RESET_PEAK = b"5"
_THREADS, _RESIDENT = 17, 21  # fields of ``/proc/PID/stat`` behind the name; the latter as the peak is kept
_FILE_PAGES = 2  # field of ``/proc/PID/statm``
_MOST_BYTES = 8192  # of what one of these files holds
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class ProcessVitals(Protocol):
    """Readings of one process. Each raises `Gone` once the process has ended.

    ``step_ns``: below it two readings of CPU time tell nothing apart; ``look_s``: how often to look at most.
    """

    step_ns: int
    look_s: float

    def cpu_ns(self) -> int:
        """Return the CPU time of the process so far, all threads, living and ended, in ns."""
        ...

    def queued_ns(self) -> int | None:
        """Return how long its first thread was ready to run and had no processor, null where nobody tells."""
        ...

    def resident_bytes(self) -> int:
        """Return the memory that is resident now."""
        ...

    def file_bytes(self) -> int | None:
        """Return how much of it is pages of files, null where the system does not know."""
        ...

    def peak_bytes(self) -> int | None:
        """Return the largest resident memory since `reset_peak`, null where the system does not know."""
        ...

    def n_threads(self) -> int:
        """Return how many threads the process has."""
        ...

    def reset_peak(self) -> bool:
        """Let the peak start again from what is resident; false where that cannot be."""
        ...

    def close(self) -> None:
        """Let go of what is read."""
        ...


class Vitals:
    """Readings by Linux: the process's CPU clock and ``/proc``.

    Its files are opened once: a reading is then one call of the system, and of this process for sure.
    ``own_tmp``: what its private ``/tmp`` holds counts as resident, and in the peak as the most of it that
    was seen: the kernel keeps no peak of it, so a file that comes and goes between two readings is missed.
    """

    step_ns = 0
    look_s = 0.02

    def __init__(self, pid: int, *, own_tmp: bool = False) -> None:
        self.pid = pid
        clock = ctypes.c_int()
        if _libc is None or _libc.clock_getcpuclockid(pid, ctypes.byref(clock)) != 0:
            raise Gone
        self._clock = clock.value
        self._files: dict[str, int] = {}
        self._most_in_tmp = 0
        try:
            for name in ("stat", "status"):
                self._files[name] = _opened(f"/proc/{pid}/{name}", os.O_RDONLY)
        except OSError as error:
            self.close()
            raise Gone from error
        for name in ("schedstat", "statm"):
            with contextlib.suppress(OSError):  # a kernel without it
                self._files[name] = _opened(f"/proc/{pid}/{name}", os.O_RDONLY)
        with contextlib.suppress(OSError):
            self._files["clear_refs"] = _opened(f"/proc/{pid}/clear_refs", os.O_WRONLY)
        if own_tmp:
            with contextlib.suppress(OSError):  # its rights are another's
                self._files["tmp"] = _opened(f"/proc/{pid}/root/tmp", os.O_PATH)

    def cpu_ns(self) -> int:
        """Return the CPU time of the process so far, all threads, living and ended, in ns."""
        try:
            return time.clock_gettime_ns(self._clock)
        except OSError as error:
            raise Gone from error

    def queued_ns(self) -> int | None:
        """Return how long its first thread was ready to run and had no processor, null where nobody tells."""
        return queued_ns(self._files.get("schedstat"))

    def resident_bytes(self) -> int:
        """Return the memory that is resident now."""
        return self._stat(_RESIDENT) * _PAGE_BYTES + self._in_tmp()

    def file_bytes(self) -> int | None:
        """Return how much of it is pages of files, null on a kernel that does not tell."""
        if "statm" not in self._files:
            return None
        return int(self._read("statm").split(None, _FILE_PAGES + 1)[_FILE_PAGES]) * _PAGE_BYTES

    def peak_bytes(self) -> int:
        """Return the largest resident memory since the start, or since `reset_peak`."""
        self._in_tmp()
        _, found, rest = self._read("status").partition(b"\nVmHWM:")
        if not found:
            raise Gone
        return (int(rest.split(None, 1)[0]) << 10) + self._most_in_tmp

    def n_threads(self) -> int:
        """Return how many threads the process has."""
        return self._stat(_THREADS)

    def reset_peak(self) -> bool:
        """Let the peak start again from what is resident; false where the kernel does not allow it."""
        try:
            os.write(self._files["clear_refs"], _RESET_PEAK)
        except (OSError, KeyError):
            return False
        self._most_in_tmp = 0
        self._in_tmp()
        return True

    def _in_tmp(self) -> int:
        """Return what its own ``/tmp`` holds now, in bytes."""
        if (tmp := self._files.get("tmp")) is None:
            return 0
        try:
            found = os.fstatvfs(tmp)
        except OSError:
            return 0
        held = (found.f_blocks - found.f_bfree) * found.f_frsize
        self._most_in_tmp = max(self._most_in_tmp, held)
        return held

    def close(self) -> None:
        """Let go of the process's files."""
        while self._files:
            os.close(self._files.popitem()[1])

    def _stat(self, field: int) -> int:
        return int(self._read("stat").rpartition(b")")[2].split(None, field + 1)[field])

    def _read(self, name: str) -> bytes:
        try:
            data = os.pread(self._files[name], _MOST_BYTES, 0)
        except (OSError, KeyError) as error:
            raise Gone from error
        if not data:
            raise Gone
        return data


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC)


def vitals_of(pid: int, *, own_tmp: bool = False) -> ProcessVitals:
    """Return readings of a process by the best way that this system has. Raises `Gone`.

    ``own_tmp``: its ``/tmp`` is in memory and its own, and counts as memory of the process.
    """
    return Vitals(pid, own_tmp=own_tmp) if sys.platform == "linux" else PsVitals(pid)
