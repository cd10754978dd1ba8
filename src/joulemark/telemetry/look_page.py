"""Memory that parent and sampler share: a mark left there costs no wake-up while the sampler looks anyway."""

from __future__ import annotations

import mmap

LATEST_LOOK_NS = 10_000_000  # a sampler that looks later than this is woken
_MARK, _LOOK = 0, 1
BYTES = 16


class LookPage:
    """Two stamps (monotonic ns): when the parent last marked, and when the sampler looks next (0: not soon).

    Each side writes one of them, but for the parent that has just woken the sampler. Nothing orders the two
    writes against each other, so that a mark may rarely be seen a poll later: its bound is wider then, never
    wrong.
    """

    def __init__(self, fd: int) -> None:
        """Map the first `BYTES` of an open file, which has to be that long."""
        self._stamps = memoryview(mmap.mmap(fd, BYTES)).cast("q")
        self._seen_ns = 0

    def mark(self, now_ns: int) -> bool:
        """Leave a mark; tells whether the sampler has to be woken for it."""
        stamps = self._stamps
        stamps[_MARK] = now_ns
        look_ns = stamps[_LOOK]
        if look_ns and look_ns - now_ns <= LATEST_LOOK_NS:
            return False
        stamps[_LOOK] = now_ns  # it is being woken: once is enough
        return True

    def say_when(self, look_ns: int) -> None:
        """Say when the sampler looks next; 0 where that is for the parent to decide."""
        self._stamps[_LOOK] = look_ns

    @property
    def marked(self) -> bool:
        """Whether there was a mark since the last `take_mark`."""
        return self._stamps[_MARK] != self._seen_ns

    def take_mark(self) -> bool:
        """Tell whether there was a mark since the last time."""
        seen_ns, self._seen_ns = self._seen_ns, self._stamps[_MARK]
        return self._seen_ns != seen_ns
