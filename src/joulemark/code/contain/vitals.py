"""CPU time and memory of another process, read from outside: nothing that runs in it can change them."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path
from typing import Protocol

from joulemark.code.contain.ps_vitals import Gone, PsVitals

__all__ = ["Gone", "ProcessVitals", "Vitals", "own_queued_ns", "vitals_of"]

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_RESET_PEAK = b"5"
_QUEUED = 1  # field of ``schedstat``: ready to run, and waiting for a processor (ns)
_THREADS, _RESIDENT = 17, 21  # fields of ``/proc/PID/stat`` behind the name


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

    def peak_bytes(self) -> int | None:
        """Return the largest resident memory since `reset_peak`, null where the system does not know."""
        ...

    def n_threads(self) -> int:
        """Return how many threads the process has."""
        ...

    def reset_peak(self) -> bool:
        """Let the peak start again from what is resident; false where that cannot be."""
        ...


class Vitals:
    """Readings by Linux: the process's CPU clock and ``/proc``.

    ``own_tmp``: what its private ``/tmp`` holds counts as resident, and in the peak as the most of it that
    was seen: the kernel keeps no peak of it, so a file that comes and goes between two readings is missed.
    """

    step_ns = 0
    look_s = 0.02

    def __init__(self, pid: int, *, own_tmp: bool = False) -> None:
        self.pid = pid
        clock = ctypes.c_int()
        if ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)) != 0:
            raise Gone
        self._clock = clock.value
        self._folder = Path(f"/proc/{pid}")
        self._tmp = f"/proc/{pid}/root/tmp" if own_tmp else None
        self._most_in_tmp = 0

    def cpu_ns(self) -> int:
        """Return the CPU time of the process so far, all threads, living and ended, in ns."""
        try:
            return time.clock_gettime_ns(self._clock)
        except OSError as error:
            raise Gone from error

    def queued_ns(self) -> int | None:
        """Return how long its first thread was ready to run and had no processor, null where nobody tells."""
        return _queued_ns(self._folder)

    def resident_bytes(self) -> int:
        """Return the memory that is resident now."""
        return int(self._stat()[_RESIDENT]) * _PAGE_BYTES + self._in_tmp()

    def peak_bytes(self) -> int:
        """Return the largest resident memory since the start, or since `reset_peak`."""
        self._in_tmp()
        for line in self._text("status").splitlines():
            if line.startswith("VmHWM:"):
                return (int(line.split()[1]) << 10) + self._most_in_tmp
        raise Gone

    def n_threads(self) -> int:
        """Return how many threads the process has."""
        return int(self._stat()[_THREADS])

    def reset_peak(self) -> bool:
        """Let the peak start again from what is resident; false where the kernel does not allow it."""
        try:
            with open(self._folder / "clear_refs", "wb", buffering=0) as file:
                file.write(_RESET_PEAK)
        except OSError:
            return False
        self._most_in_tmp = 0
        self._in_tmp()
        return True

    def _in_tmp(self) -> int:
        """Return what its own ``/tmp`` holds now, in bytes."""
        if self._tmp is None:
            return 0
        try:
            found = os.statvfs(self._tmp)
        except OSError:
            return 0  # it has ended, as the other readings tell; or its rights are another's
        held = (found.f_blocks - found.f_bfree) * found.f_frsize
        self._most_in_tmp = max(self._most_in_tmp, held)
        return held

    def _stat(self) -> list[str]:
        return self._text("stat").rpartition(")")[2].split()

    def _text(self, name: str) -> str:
        try:
            text = (self._folder / name).read_text(errors="replace")
        except OSError as error:
            raise Gone from error
        if not text:
            raise Gone
        return text


def own_queued_ns() -> int | None:
    """Return how long this thread was ready to run and had no processor, null where nobody tells."""
    return _queued_ns(Path("/proc/thread-self"))


def _queued_ns(folder: Path) -> int | None:
    try:
        return int((folder / "schedstat").read_text().split()[_QUEUED])
    except (OSError, ValueError, IndexError):
        return None  # a kernel without it, or a process that has ended: other readings tell


def vitals_of(pid: int, *, own_tmp: bool = False) -> ProcessVitals:
    """Return readings of a process by the best way that this system has. Raises `Gone`.

    ``own_tmp``: its ``/tmp`` is in memory and its own, and counts as memory of the process.
    """
    return Vitals(pid, own_tmp=own_tmp) if sys.platform == "linux" else PsVitals(pid)
