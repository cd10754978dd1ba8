"""A stretch of time on the clock of one segment."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """From ``t0`` to ``t1`` (monotonic ns) on the clock of one segment."""

    segment: int
    t0: int
    t1: int

    @property
    def duration_s(self) -> float:
        """Its length in seconds."""
        return (self.t1 - self.t0) * 1e-9
