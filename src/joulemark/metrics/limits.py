"""A limit on a figure of an operating point, and by how much a point meets or misses it."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import LATENCY, PLAIN, figure_of
from joulemark.metrics.value import Value


@dataclass(frozen=True, slots=True)
class Limit:
    """``name`` (a figure of `joulemark.metrics.point_figures`) is to be at most, or at least, ``bound``.

    Unrounded values are compared, and one that is equal to the bound meets it.
    """

    name: str
    bound: float
    at_least: bool = False

    @property
    def of_latency(self) -> bool:
        """Whether it bounds a latency."""
        return self.name not in PLAIN and LATENCY.fullmatch(self.name) is not None

    def check(self, point: OperatingPoint) -> Checked:
        """Return how a point stands to the limit."""
        return Checked(self, figure_of(point, self.name))


@dataclass(frozen=True, slots=True)
class Checked:
    """A limit and the figure of one point that it bounds."""

    limit: Limit
    value: Value

    @property
    def met(self) -> bool | None:
        """Whether the limit is met; null where the figure is withheld: what is unknown passes no limit."""
        if self.value.value is None:
            return None
        if self.limit.at_least:
            return self.value.value >= self.limit.bound
        return self.value.value <= self.limit.bound

    @property
    def within_noise(self) -> bool:
        """Whether the figure's interval reaches over the limit, so that noise decides whether it is met."""
        if self.value.lo is None or self.value.hi is None:
            return False
        return self.value.lo <= self.limit.bound <= self.value.hi and self.value.lo < self.value.hi

    @property
    def missed_by(self) -> float | None:
        """How far the figure is beyond the limit, in its unit; zero where it is met."""
        if self.value.value is None:
            return None
        beyond = self.value.value - self.limit.bound
        return max(0.0, -beyond if self.limit.at_least else beyond)

    @property
    def missed_share(self) -> float | None:
        """``missed_by`` as a share of the limit; infinite beyond a limit of zero."""
        missed = self.missed_by
        if not missed:
            return missed
        return missed / self.limit.bound if self.limit.bound > 0 else float("inf")
