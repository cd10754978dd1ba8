"""Whether the first half of what was asked cost what the second did.

Questions come in random order, so what they are makes no half dearer than chance does. When they are asked is
not random: an engine that warms up, throttles or shares its machine costs more or less as time goes on. The
difference of two ratios has the variances of both (W. Cochran, Sampling Techniques, 1977, 6.4), and is held
against Student's t of the smaller half. A drift that is small beside that is not seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from joulemark.metrics.finite_ratio import Units
from joulemark.metrics.student import MIN_DEGREES, t_95

LEAST_EACH = MIN_DEGREES + 1
"""Units in a half, below which it says nothing."""
STRICT = 2.575829 / 1.959964
"""Times the error that 95 % allow: what 99 % do, for a warning that nobody asked for."""


@dataclass(frozen=True, slots=True)
class Halves:
    """A figure of both halves in asking order; ``times`` their difference is its 95 % error."""

    first: float
    second: float
    times: float

    @property
    def apart(self) -> bool:
        """Whether they differ by more than their error allows in 95 % of cases."""
        return self.times > 1

    @property
    def clearly_apart(self) -> bool:
        """Whether they do in 99 %."""
        return self.times > STRICT


def halves(units: Units) -> Halves | None:
    """Compare the halves of ``units``; null where one is too small, or has nothing to divide by."""
    middle, k = len(units.cost) // 2, len(units.cost)
    if middle < LEAST_EACH:
        return None
    figures: list[float] = []
    variances: list[float] = []
    for part in (slice(0, middle), slice(middle, k)):
        cost, divisor = units.cost[part], units.divisor[part]
        of = float(divisor.sum())
        if not of > 0:
            return None
        figure, n = float(cost.sum()) / of, len(cost)
        errors = cost - figure * divisor
        figures.append(figure)
        variances.append(float(errors @ errors) * n / (n - 1) / of**2)
    error = t_95(middle - 1) * math.sqrt(sum(variances))
    first, second = figures
    apart, rounding = abs(second - first), 1e-9 * max(abs(first), abs(second))
    if error <= rounding:
        return Halves(first, second, math.inf if apart > rounding else 0.0)
    return Halves(first, second, apart / error)
