"""How late the event loop runs what it promised: a timer that notes its own delay."""

from __future__ import annotations

import asyncio
from array import array
from time import monotonic_ns

PERIOD_S = 0.01


class LoopLag:
    """Fires every `PERIOD_S` and keeps each delay in seconds; costs about 0.1 % of a core.

    uvloop's timers step by a millisecond, so delays of that size are the timer's.
    """

    def __init__(self) -> None:
        self.delays_s: array[float] = array("d")
        self._due_ns = 0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin on the running loop."""
        self._due_ns = monotonic_ns() + int(PERIOD_S * 1e9)
        self._timer = asyncio.get_running_loop().call_later(PERIOD_S, self._fire)

    def stop(self) -> None:
        """End; a timer that is overdue at this moment counts with its delay so far."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            overdue_s = (monotonic_ns() - self._due_ns) / 1e9
            if overdue_s > 0:
                self.delays_s.append(overdue_s)

    def _fire(self) -> None:
        now_ns = monotonic_ns()
        self.delays_s.append(max(now_ns - self._due_ns, 0) / 1e9)
        self.start()
