"""CPU time and memory of another process, read from outside: nothing that runs in it can change them."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_RESET_PEAK = b"5"


class Gone(Exception):
    """The process has ended."""


class Vitals:
    """Readings of one process. Each raises `Gone` once the process has ended."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        clock = ctypes.c_int()
        if ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)) != 0:
            raise Gone
        self._clock = clock.value
        self._folder = Path(f"/proc/{pid}")

    def cpu_ns(self) -> int:
        """Return the CPU time of the process so far, all threads, living and ended, in ns."""
        try:
            return time.clock_gettime_ns(self._clock)
        except OSError as error:
            raise Gone from error

    def resident_bytes(self) -> int:
        """Return the memory that is resident now."""
        return int(self._text("statm").split()[1]) * _PAGE_BYTES

    def peak_bytes(self) -> int:
        """Return the largest resident memory since the start, or since `reset_peak`."""
        for line in self._text("status").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
        raise Gone

    def n_threads(self) -> int:
        """Return how many threads the process has."""
        for line in self._text("status").splitlines():
            if line.startswith("Threads:"):
                return int(line.split()[1])
        raise Gone

    def reset_peak(self) -> bool:
        """Let the peak start again from what is resident; false where the kernel does not allow it."""
        try:
            with open(self._folder / "clear_refs", "wb", buffering=0) as file:
                file.write(_RESET_PEAK)
        except OSError:
            return False
        return True

    def _text(self, name: str) -> str:
        try:
            text = (self._folder / name).read_text()
        except OSError as error:
            raise Gone from error
        if not text:
            raise Gone
        return text
