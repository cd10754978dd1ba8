"""What the meter in a plug knows, as a function of virtual time and of the fault."""

from __future__ import annotations

import math
from dataclasses import dataclass

from doubles.faults import Fault, NowS, Truth

BEFORE_J = 50 * 3_600_000.0  # counted before virtual time 0: 50 kWh


@dataclass(frozen=True)
class MeterCurve:
    """A meter that takes over energy and power every ``update_s``.

    ``fall_j`` is by how much the register falls with `Fault.BACKWARDS`.
    """

    fault: Fault
    truth: Truth
    now_s: NowS
    update_s: float = 1.0
    fall_j: float = 4000.0

    @property
    def is_silent(self) -> bool:
        """Whether the device answers nothing now."""
        now_s, middle_s = self.now_s(), self.truth.middle_s
        if self.fault is Fault.LOST:
            return now_s >= middle_s
        return self.fault is Fault.SHORT_GAP and middle_s <= now_s < middle_s + self.truth.gap_s

    @property
    def updated_s(self) -> float:
        """When the values that it shows were taken."""
        now_s = self.now_s()
        if self.fault in (Fault.FREEZE, Fault.STALE):
            now_s = min(now_s, self.truth.middle_s)
        return math.floor(now_s / self.update_s) * self.update_s

    @property
    def heard_s(self) -> float:
        """When the device last reported: it goes on reporting when its counter stands still."""
        now_s = self.now_s()
        if self.fault is Fault.STALE:
            now_s = min(now_s, self.truth.middle_s)
        return math.floor(now_s / self.update_s) * self.update_s

    @property
    def has_reset(self) -> bool:
        """Whether the register has started again from 0."""
        return self.fault is Fault.RESET and self.updated_s >= self.truth.middle_s

    @property
    def energy_j(self) -> float:
        """The register, in joules, before it is cut to the steps of a protocol."""
        return self.energy_at_j(self.updated_s)

    def energy_at_j(self, t_s: float) -> float:
        """What the register showed after its update at ``t_s``."""
        energy_j = BEFORE_J + self.truth.power_w * t_s  # the device drew as much before virtual time 0
        if self.fault is Fault.RESET and t_s >= self.truth.middle_s:
            energy_j = self.truth.energy_j(t_s) - self.truth.energy_j(self.truth.middle_s)
        if self.fault is Fault.BACKWARDS and t_s >= self.truth.middle_s:
            energy_j -= self.fall_j
        return energy_j * (1000 if self.fault is Fault.WRONG_UNIT else 1)

    @property
    def power_w(self) -> float:
        """The gauge."""
        return self.truth.power_w
