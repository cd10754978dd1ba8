"""How long a request may take, and what is raised where nothing usable came of it."""

from __future__ import annotations

import time

REQUEST_S = 2.0


class Unanswered(Exception):
    """No usable answer came. ``reason`` is a code for records, ``detail`` words for the user, or empty.

    Reasons of `Connection.get`: ``name_unknown``, ``connection_refused``, ``unreachable``, ``tls_failed``,
    ``timeout``, ``closed`` (not one byte came), ``cut_off``, ``not_http``, ``too_large``,
    ``unknown_encoding``, ``bad_gzip``, ``malformed_request``; of a status: see `status_reason`.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


class Deadline:
    """The real time that is left for an exchange; a virtual clock does not move sockets."""

    def __init__(self, seconds: float = REQUEST_S) -> None:
        self._end_s = time.monotonic() + seconds
        self.seconds = seconds

    def left_s(self) -> float:
        """Return the seconds that are left; raises `Unanswered` (``timeout``) when there are none."""
        left_s = self._end_s - time.monotonic()
        if left_s <= 0:
            raise self.missed()
        return left_s

    def missed(self) -> Unanswered:
        """Return what to raise where the time is over."""
        return Unanswered("timeout", f"within {self.seconds:g} s")
