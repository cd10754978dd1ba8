"""Memory that parent and sampler share: a mark left there costs no wake-up while the sampler looks anyway."""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
from typing import IO

_MARK, _CALM = 0, 1
BYTES = 16


class LookPage:
    """Two stamps (monotonic ns): when the parent last marked, and from when on a mark need wake nobody.

    For then the sampler looks soon enough after it; 0 where every mark has to wake it.

    Each side writes one of them, but for the parent that has just woken the sampler. Nothing orders the two
    writes against each other, so that a mark may rarely be seen a poll later: its bound is wider then, never
    wrong.
    """

    def __init__(self, fd: int) -> None:
        """Map the first `BYTES` of an open file, as of `page_file`."""
        self._stamps = memoryview(mmap.mmap(fd, BYTES)).cast("q")
        self._seen_ns = 0

    def mark(self, now_ns: int) -> bool:
        """Leave a mark; tells whether the sampler has to be woken for it."""
        stamps = self._stamps
        stamps[_MARK] = now_ns
        if 0 < stamps[_CALM] <= now_ns:
            return False
        stamps[_CALM] = now_ns  # it is being woken: once is enough
        return True

    def say_calm(self, from_ns: int) -> None:
        """Say from when on a mark need wake nobody; 0 where each has to."""
        self._stamps[_CALM] = from_ns

    @property
    def marked(self) -> bool:
        """Whether there was a mark since the last `take_mark`."""
        return self._stamps[_MARK] != self._seen_ns

    def take_mark(self) -> bool:
        """Tell whether there was a mark since the last time."""
        seen_ns, self._seen_ns = self._seen_ns, self._stamps[_MARK]
        return self._seen_ns != seen_ns


def page_file() -> IO[bytes]:
    """Return a new file to map, of `BYTES` zeros and without a name. Raises ``OSError``, as for want of room.

    The zeros are written: to store into a mapped page that has no block yet kills the process where the disk
    is full.
    """
    file = _unnamed()
    try:
        file.write(bytes(BYTES))
    except OSError:
        file.close()
        raise
    return file


def _unnamed() -> IO[bytes]:
    if sys.platform == "linux":
        try:
            return os.fdopen(os.memfd_create("joulemark"), "w+b", buffering=0)
        except (AttributeError, OSError):  # a C library or a sandbox without it
            pass
    return tempfile.TemporaryFile(buffering=0)
