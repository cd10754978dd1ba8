"""An energy is an interval, and its kind is its type.

``lo..hi`` is a *bound* on what the meter can have missed, to hold in at least 99 % of cases. It is no
confidence interval: statistics over items live in ``metrics``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from joulemark.record.reason import Reason
from joulemark.record.scope import Scope, require_antichain


class Method(StrEnum):
    """How a measured energy came about."""

    COUNTER = "counter"
    INTEGRATED = "integrated"
    METER = "meter"


@dataclass(frozen=True, slots=True)
class MeasuredEnergy:
    """Joules that a meter saw.

    ``scopes`` are the parts of the machine it covers (an antichain), ``source`` names the meter.
    """

    joules: float
    lo: float
    hi: float
    source: str
    scopes: tuple[Scope, ...]
    method: Method
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not all(math.isfinite(x) for x in (self.joules, self.lo, self.hi)):
            raise ValueError(f"an energy is finite, not {self.joules} [{self.lo}, {self.hi}]")
        if not 0 <= self.lo <= self.joules <= self.hi:
            raise ValueError(f"0 <= lo <= joules <= hi does not hold: {self.lo}, {self.joules}, {self.hi}")
        if not self.scopes:
            raise ValueError("an energy covers at least one scope")
        require_antichain(self.scopes)

    @property
    def width_j(self) -> float:
        """The width of the bound in joules."""
        return self.hi - self.lo


@dataclass(frozen=True, slots=True)
class ModelledEnergy:
    """Joules that somebody's model gives; never summed or ranked with measured ones."""

    joules: float
    lo: float
    hi: float
    estimator: str
    version: str
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Withheld:
    """No energy, and why."""

    reason: Reason
    detail: str = ""


MeasuredOrWithheld = MeasuredEnergy | Withheld
"""What a meter saw, or why nothing is told."""


def _flags(parts: Sequence[MeasuredEnergy]) -> tuple[str, ...]:
    return tuple(sorted({flag for part in parts for flag in part.flags}))


def _source(parts: Sequence[MeasuredEnergy]) -> str:
    return "+".join(sorted({part.source for part in parts}))


def _one_method(parts: Sequence[MeasuredEnergy]) -> Method:
    methods = {part.method for part in parts}
    if len(methods) != 1:
        raise TypeError(f"energies of different methods do not add: {sorted(methods)}")
    return methods.pop()


def _require_measured(parts: Sequence[MeasuredEnergy]) -> None:
    if not parts:
        raise ValueError("nothing to add")
    for part in parts:
        if not isinstance(part, MeasuredEnergy):
            raise TypeError(f"only measured energies add, not {type(part).__name__}")


def sum_over_scopes(parts: Sequence[MeasuredEnergy]) -> MeasuredEnergy:
    """Add the energies of disjoint scopes in one window.

    Raises `OverlappingScopes` for a parent with its child and `TypeError` for a modelled part.
    """
    _require_measured(parts)
    scopes = tuple(scope for part in parts for scope in part.scopes)
    return MeasuredEnergy(
        sum(p.joules for p in parts),
        sum(p.lo for p in parts),
        sum(p.hi for p in parts),
        _source(parts),
        scopes,
        _one_method(parts),
        _flags(parts),
    )


def sum_over_windows(parts: Sequence[MeasuredEnergy]) -> MeasuredEnergy:
    """Add the energies of one set of scopes in disjoint windows (segments of a run)."""
    _require_measured(parts)
    if len({frozenset(p.scopes) for p in parts}) != 1:
        raise ValueError("windows of different scopes do not add")
    return MeasuredEnergy(
        sum(p.joules for p in parts),
        sum(p.lo for p in parts),
        sum(p.hi for p in parts),
        _source(parts),
        parts[0].scopes,
        _one_method(parts),
        _flags(parts),
    )
