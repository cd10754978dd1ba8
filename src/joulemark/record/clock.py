"""The clock seam: every time stamp of a segment comes from one monotonic clock."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A monotonic nanosecond clock. Stamps of two clocks are never subtracted."""

    def now_ns(self) -> int:
        """Return the time in nanoseconds since an arbitrary origin; never decreases."""
        ...

    def sleep_s(self, duration_s: float) -> None:
        """Let ``duration_s`` seconds of this clock pass."""
        ...


class SystemClock:
    """The machine's monotonic clock, which its processes share (CLOCK_MONOTONIC on Linux)."""

    def now_ns(self) -> int:
        """Return ``time.monotonic_ns()``."""
        return time.monotonic_ns()

    def sleep_s(self, duration_s: float) -> None:
        """Sleep in real time."""
        time.sleep(duration_s)


class VirtualClock:
    """A clock that a test or a planner advances by hand."""

    def __init__(self, start_ns: int = 0) -> None:
        self._now_ns = start_ns

    def now_ns(self) -> int:
        """Return the virtual time in nanoseconds."""
        return self._now_ns

    def sleep_s(self, duration_s: float) -> None:
        """Advance the clock at once."""
        self.advance_to_ns(self._now_ns + round(duration_s * 1e9))

    def advance_to_ns(self, t_ns: int) -> None:
        """Move to ``t_ns``; raises ``ValueError`` when that lies in the past."""
        if t_ns < self._now_ns:
            raise ValueError(f"a monotonic clock cannot go back from {self._now_ns} to {t_ns} ns")
        self._now_ns = t_ns
