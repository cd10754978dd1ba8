"""What a process no longer holds of the files it had mapped: memory that seems to be free and is not.

A program may tell the kernel to forget pages of its libraries (they come back from the disk when needed), and
what it then takes hides below the resident memory that it began with. So what is gone is added to its peak.
"""

from __future__ import annotations

import contextlib

from joulemark.code.contain.vitals import Gone, ProcessVitals

_SLACK_BYTES = 256 << 10  # the kernel keeps these counts by thread and adds them up now and then


class Dropped:
    """Bytes of mapped files that were resident at the start and are so no more; looked at now and then."""

    def __init__(self, vitals: ProcessVitals) -> None:
        self._vitals = vitals
        self._at_start = vitals.file_bytes()
        self.most_bytes = 0

    def now_bytes(self) -> int:
        """Return how much is gone now; 0 where the system does not tell. Raises `Gone`."""
        if self._at_start is None or (now := self._vitals.file_bytes()) is None:
            return 0
        gone = self._at_start - now
        gone = gone if gone > _SLACK_BYTES else 0
        self.most_bytes = max(self.most_bytes, gone)
        return gone

    def look(self) -> None:
        """Remember the most of it."""
        with contextlib.suppress(Gone):
            self.now_bytes()
