"""The loads at which a calibration looks at power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DUTIES = (0.25, 0.5, 0.75, 1.0)
WALL_DUTIES = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0)  # a plane wants more points than a curve
DEFAULT_LEVELS = (2, 4)


@dataclass(frozen=True, slots=True)
class Step:
    """So many requests at once, each busy for ``duty`` of the time."""

    concurrency: int
    duty: float


def steps(levels: Sequence[int], *, wall: bool) -> list[Step]:
    """Return the loads after the loaded idle (which is the point of no load): light ones first."""
    one_at_a_time = [Step(1, duty) for duty in (WALL_DUTIES if wall else DUTIES)]
    return [*one_at_a_time, *(Step(level, 1.0) for level in sorted(set(levels)) if level > 1)]
