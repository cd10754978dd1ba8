"""When power counts as steady: the rule by which a calibration waits before it measures."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

WINDOWS = 4
TOLERANCE_SHARE, TOLERANCE_W = 0.03, 0.5
_BLUNT = 0.5  # a source whose bound is wider than this share of its power cannot tell within one window

Bounded = tuple[float, float, float]
"""Mean power of one window with its bound (W): point, lowest, highest."""


class Steadiness:
    """Is fed with the mean power of short windows, one after the other.

    Power is steady when, for every source that can tell, the last four windows lie within 3 % of their mean
    (or 0.5 W, whichever is more). A source whose bound is wider than half its power is not asked: a plug that
    counts whole watt-hours says nothing about a second. Where none can tell, four windows are enough.
    """

    def __init__(self) -> None:
        self._fed = 0
        self._windows: dict[str, deque[Bounded]] = {}

    def feed(self, powers_w: Mapping[str, Bounded]) -> bool:
        """Take the next window; tells whether power is steady now."""
        self._fed += 1
        for name, power in powers_w.items():
            self._windows.setdefault(name, deque(maxlen=WINDOWS)).append(power)
        telling = [windows for windows in self._windows.values() if not _is_blunt(windows)]
        return self._fed >= WINDOWS and all(
            len(windows) == WINDOWS and _is_steady(windows) for windows in telling
        )


def _is_blunt(windows: deque[Bounded]) -> bool:
    return all(high - low > _BLUNT * max(point, 1e-9) for point, low, high in windows)


def _is_steady(windows: deque[Bounded]) -> bool:
    points = [point for point, _, _ in windows]
    mean = sum(points) / len(points)
    allowed = max(TOLERANCE_SHARE * abs(mean), TOLERANCE_W)
    return max(points) - mean <= allowed and mean - min(points) <= allowed
