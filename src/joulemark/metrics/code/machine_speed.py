"""How fast a machine was at two evaluations, by the references that both of them ran.

CPU seconds of two hours are not those of one machine: its clock and its neighbours make the same reference
take a fifth more, or less. Ratios to a reference that ran beside are not touched by that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.code.median_interval import median_interval

LEAST_BAND = 0.05
"""To which ratios are measured: a smaller difference is none, also where no band is known."""


@dataclass(frozen=True, slots=True)
class Speeds:
    """``logs``: of the reference's time at the first evaluation over that at the second, by problem."""

    logs: Mapping[str, float]

    @property
    def slower(self) -> float:
        """How many times as long the references took at the first as at the second; median over problems."""
        return math.exp(float(np.median(list(self.logs.values())))) if self.logs else 1.0

    @property
    def either_way(self) -> float:
        """By what factor a time at the speed between both is off, either way, at one of them; 1 at least."""
        return math.sqrt(max(self.slower, 1 / self.slower))

    def factors(self, problem: str) -> tuple[float, float]:
        """Return what turns times of each evaluation into those at the speed between both."""
        half = math.exp(self.logs.get(problem, 0.0) / 2)
        return 1 / half, half

    def differ(self, band: float | None) -> bool:
        """Tell whether the speeds lie further apart than ``band`` (of a program with itself, a share).

        Not where chance alone may have it so: the interval over problems (95 %) must leave out 1 as well.
        """
        if abs(math.log(self.slower)) <= math.log1p(max(band or 0.0, LEAST_BAND)):
            return False
        ends = median_interval(list(self.logs.values()))
        return ends is None or not ends[0] <= 0.0 <= ends[1]


def speeds(first: Mapping[str, float], second: Mapping[str, float]) -> Speeds:
    """Return the speeds by seconds of the reference's runs, by problem; problems of both count."""
    return Speeds({p: math.log(first[p] / second[p]) for p in first if second.get(p) and first[p] > 0})
