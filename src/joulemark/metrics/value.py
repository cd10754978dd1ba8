"""A figure of a report: a number with its interval, or null with a reason. Never a made-up 0."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Literal

from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.reason import Reason

IntervalKind = Literal["bound", "ci95"]
TOO_LARGE = "The declared rates make it larger than a number can be."  # completes ``not_applicable``
NOTHING_COMPLETED = "No request was completed."  # completes ``nothing_scored``


@dataclass(frozen=True, slots=True)
class Value:
    """A figure in ``unit``; null exactly when ``reason`` is given.

    ``lo``/``hi`` are a ``bound`` (what the meter can have missed, to hold in 99 % of cases) or a ``ci95``
    (statistics over items); ``interval`` says which, and is null where there is neither.
    ``interval_reason`` says why a figure that should have an interval has none, ``interval_method`` how it
    was made where that is not as the figure's definition says first. ``n`` is what it was computed over.
    ``detail`` completes the sentence of either reason. Raises ``ValueError`` on a contradiction.
    """

    value: float | None
    unit: str
    lo: float | None = None
    hi: float | None = None
    interval: IntervalKind | None = None
    reason: Reason | None = None
    n: int | None = None
    detail: str = ""
    interval_reason: Reason | None = None
    interval_method: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.reason is not None):
            raise ValueError("a value is null exactly when it has a reason")
        has_interval = self.interval is not None
        if (self.lo is not None) != has_interval or (self.hi is not None) != has_interval:
            raise ValueError("lo, hi and the kind of the interval come together")
        if any(x is not None and not math.isfinite(x) for x in (self.value, self.lo, self.hi)):
            raise ValueError("a value is finite; an unknown one is null")
        if self.lo is not None and self.hi is not None:
            if self.value is None or self.lo > self.hi:
                raise ValueError("an interval needs a value, and lo <= hi")
            if self.interval == "bound" and not self.lo <= self.value <= self.hi:
                raise ValueError("a bound holds its value")


def withheld(unit: str, reason: Reason, *, detail: str = "", n: int | None = None) -> Value:
    """Return a figure that is not known, with its reason."""
    return Value(None, unit, reason=reason, detail=detail, n=n)


def energy_value(energy: MeasuredOrWithheld, *, divisor: float = 1.0, unit: str = "J") -> Value:
    """Return an energy divided by a positive exact number, with its bound divided likewise."""
    if isinstance(energy, Withheld):
        return withheld(unit, energy.reason, detail=energy.detail)
    if not divisor > 0:
        raise ValueError(f"the divisor of an energy is positive, not {divisor}")
    # rounding of the three quotients may not push the point out of its bound: division is monotone
    return Value(energy.joules / divisor, unit, energy.lo / divisor, energy.hi / divisor, "bound")


def scaled(value: Value, factor: float, unit: str) -> Value:
    """Return a figure times an exact number, in ``unit``: its interval goes with it, its kind stays.

    A negative factor turns the interval round. A withheld figure stays withheld for the same reason,
    and one that no number can hold any more is withheld too.
    """
    if value.value is None or value.reason is not None:
        return dataclasses.replace(value, unit=unit)
    point = value.value * factor
    ends = [] if value.lo is None or value.hi is None else sorted((value.lo * factor, value.hi * factor))
    if not all(map(math.isfinite, (point, *ends))):
        return withheld(unit, Reason.NOT_APPLICABLE, detail=TOO_LARGE, n=value.n)
    if not ends:
        return dataclasses.replace(value, value=point, unit=unit)
    return dataclasses.replace(value, value=point, unit=unit, lo=ends[0], hi=ends[1])
