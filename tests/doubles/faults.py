"""What can go wrong with a meter, and the truth that it is held against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """A column of the fault matrix. Times are those of `Truth`."""

    HEALTHY = "healthy"
    WRAP = "wrap"  # the counter runs over its range once, in the middle of the window
    SHORT_GAP = "short_gap"  # nothing can be read for `gap_s` in the middle, the counter goes on
    RESET = "reset"  # the counter starts again from 0 in the middle
    BACKWARDS = "backwards"  # the counter falls by a little in the middle
    FREEZE = "freeze"  # the counter (and the gauge) stand still from the middle on, the device draws power
    STALE = "stale"  # the meter answers, but with what it knew at the middle (and says so where it can)
    NOT_SUPPORTED = "not_supported"  # the driver or meter lacks the quantity
    LOST = "lost"  # the meter goes away in the middle and does not come back
    DUPLICATE_SCOPE = "duplicate_scope"  # the same device is shown twice
    WRONG_UNIT = "wrong_unit"  # the counter is a thousand times too large or its unit is not known


@dataclass(frozen=True)
class Truth:
    """What the device really draws: ``power_w`` constant, from virtual time 0 on.

    The window that is judged is ``[t0_s, t1_s]``; faults happen at ``middle_s``.
    """

    power_w: float = 120.0
    t0_s: float = 20.0
    t1_s: float = 140.0
    gap_s: float = 1.0

    @property
    def middle_s(self) -> float:
        return (self.t0_s + self.t1_s) / 2

    def energy_j(self, t_s: float) -> float:
        """Energy since virtual time 0."""
        return self.power_w * max(t_s, 0.0)

    @property
    def true_j(self) -> float:
        """The energy of the judged window."""
        return self.power_w * (self.t1_s - self.t0_s)


NowS = Callable[[], float]
