"""CPU time and memory of another process where the system tells them by ``ps`` only, in steps of 10 ms."""

from __future__ import annotations

import re
import subprocess

_TIME = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.(\d+))?")


class Gone(Exception):
    """The process has ended."""


class PsVitals:
    """Readings by ``ps``: coarse, slow (some ms each), and on every system of the family.

    Each raises `Gone` once the process has ended.
    """

    step_ns = 20_000_000
    look_s = 0.25

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._row("time")

    def cpu_ns(self) -> int:
        """Return the CPU time of the process so far, in ns."""
        return cpu_time_ns(self._row("time"))

    def queued_ns(self) -> None:
        """Return null: how long it waited for a processor cannot be had."""
        return

    def resident_bytes(self) -> int:
        """Return the memory that is resident now."""
        return int(self._row("rss")) << 10

    def file_bytes(self) -> None:
        """``ps`` does not tell it."""

    def peak_bytes(self) -> None:
        """Return null: the largest resident memory of a living process cannot be had."""

    def n_threads(self) -> int:
        """Return 1: the number of threads cannot be had in one way everywhere."""
        return 1

    def reset_peak(self) -> bool:
        """Return false: there is no peak."""
        return False

    def close(self) -> None:
        """Do nothing: nothing is held."""

    def _row(self, column: str) -> str:
        command = ["ps", "-o", f"{column}=", "-o", "stat=", "-p", str(self.pid)]
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
        words = listed.stdout.split()
        if len(words) < 2 or words[1].startswith("Z"):
            raise Gone
        return words[0]


def cpu_time_ns(text: str) -> int:
    """Return the ns of what ``ps`` prints as time: ``[[DD-]HH:]MM:SS[.CC]``. Raises ``ValueError``."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"no time of a process: {text!r}")
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[:4])
    fraction = (found.group(5) or "").ljust(9, "0")[:9]
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 10**9 + int(fraction)
