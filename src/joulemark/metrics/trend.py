"""Whether a quantity changes over a window: a line through the means of its blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Trend:
    """A least-squares line through values of equal blocks.

    ``change`` is how much it rises from the window's beginning to its end, in the values' unit; ``t`` the
    slope over its standard error (0 for fewer than three blocks, or where nothing varies), of ``degrees``.
    """

    mean: float
    change: float
    t: float
    degrees: int

    @property
    def z(self) -> float:
        """As many standard deviations of a normal variable are as rare as ``t``, within 2 %.

        Few blocks make a large ``t`` by chance. Source: D. Wallace, Annals of Mathematical Statistics 30
        (1959).
        """
        d = self.degrees
        if d < 1 or math.isinf(self.t):
            return self.t
        size = (8 * d + 1) / (8 * d + 3) * math.sqrt(d * math.log1p(self.t**2 / d))
        return math.copysign(size, self.t)


def trend_of(values: NDArray[np.float64]) -> Trend:
    """Fit a line through float64[k] values of blocks of equal length, in order of time."""
    n = len(values)
    mean = float(values.mean()) if n else 0.0
    if n < 3:
        return Trend(mean, 0.0, 0.0, 0)
    place = np.arange(n) - (n - 1) / 2
    spread = float(place @ place)
    slope = float(place @ values) / spread
    left = values - mean - slope * place
    error = math.sqrt(float(left @ left) / (n - 2) / spread)
    if error == 0:
        return Trend(mean, slope * n, math.copysign(math.inf, slope) if slope else 0.0, n - 2)
    return Trend(mean, slope * n, slope / error, n - 2)
