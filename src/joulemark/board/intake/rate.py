"""How often an address may do something: a bucket each, in the memory of this process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

_MOST = 100_000  # addresses that are remembered; who is forgotten starts with a full bucket


class Rate:
    """At most ``n`` at once, refilled evenly over ``per_s`` seconds. Several threads may use it."""

    def __init__(self, n: int, per_s: float) -> None:
        self._n, self._per_s = float(n), per_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait_s(self, who: str, now_s: float | None = None) -> float:
        """Count one; return 0, or the seconds to wait where it is one too many, which is not counted."""
        now = time.monotonic() if now_s is None else now_s
        with self._lock:
            left, at = self._left.pop(who, (self._n, now))
            left = min(self._n, left + (now - at) * self._n / self._per_s)
            wait = (
                0.0
                if left >= 1
                else max(1e-3, (1 - left) * self._per_s / self._n)
                if self._n
                else self._per_s
            )
            self._left[who] = (left if wait else left - 1, now)
            if len(self._left) > _MOST:
                self._left.popitem(last=False)
        return wait
