"""What a configuration has to keep to be picked, and by which figure one of them fails."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from joulemark.metrics.picking import definitions as told
from joulemark.metrics.picking.price import FIGURES, Priced
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

OF_WORKLOAD = {"ttft_mean": told.FIRST.name, "e2el_mean": told.SECONDS.name}
"""Latencies that the workload's own lengths decide; all others are those that the run had."""


@dataclass(frozen=True, slots=True)
class Bound:
    """``name`` is to be at most, or at least, ``bound``: a figure of the workload, or of the run's point."""

    name: str
    bound: float
    at_least: bool = False

    def figure(self, row: Priced) -> Value:
        """Return the figure that is bounded; raises ``KeyError`` for a name that is none."""
        name = OF_WORKLOAD.get(self.name, self.name)
        if name in FIGURES:
            return row.figures[name]
        return figure_of(row.candidate.point, name)


@dataclass(frozen=True, slots=True)
class Named:
    """``name`` (``hardware``, ``model`` or ``task``) is to hold the words of ``wanted``, in any case."""

    name: str
    wanted: str

    def text(self, row: Priced) -> str | None:
        """Return what the candidate has there; null where it is not known."""
        point = row.candidate.point
        return _TEXTS[self.name](point.device, point.model, point.task)


_TEXTS: dict[str, Callable[[str | None, str, str], str | None]] = {
    "hardware": lambda device, model, task: device,
    "model": lambda device, model, task: model,
    "task": lambda device, model, task: task,
}
Constraint = Bound | Named


@dataclass(frozen=True, slots=True)
class Kept:
    """How a candidate stands to a constraint.

    ``value`` is the figure of a `Bound`, ``text`` what a `Named` found. ``met`` is null where it is not
    known: what is unknown keeps nothing. ``within_noise``: the figure's interval reaches over the bound.
    """

    constraint: Constraint
    met: bool | None
    value: Value | None = None
    text: str | None = None

    @property
    def within_noise(self) -> bool:
        """Whether noise decides if the bound is kept."""
        value, constraint = self.value, self.constraint
        if value is None or value.lo is None or value.hi is None or isinstance(constraint, Named):
            return False
        return value.lo <= constraint.bound <= value.hi and value.lo < value.hi


def how_far(check: Kept) -> float:
    """Return by how much a constraint is missed: the logarithm of figure over bound, either way.

    Infinite where the figure is not known, or no ratio tells how far it is.
    """
    constraint, value = check.constraint, check.value
    if check.met:
        return 0.0
    if isinstance(constraint, Named) or value is None or value.value is None:
        return math.inf
    if value.value <= 0 or constraint.bound <= 0:
        return math.inf
    return abs(math.log(value.value / constraint.bound))


FITS = Bound(told.BUSY.name, 1.0)
"""The requests of a day are to fit in one."""


def kept(constraint: Constraint, row: Priced) -> Kept:
    """Return how a candidate stands to a constraint; unrounded, and equal keeps it."""
    if isinstance(constraint, Named):
        text = constraint.text(row)
        if text is None:
            return Kept(constraint, None, text=None)
        words = constraint.wanted.casefold().split()
        return Kept(constraint, all(word in text.casefold() for word in words), text=text)
    value = constraint.figure(row)
    if value.value is None:
        return Kept(constraint, None, value)
    if constraint.at_least:
        return Kept(constraint, value.value >= constraint.bound, value)
    return Kept(constraint, value.value <= constraint.bound, value)


def fits_a_day(row: Priced) -> Kept | None:
    """Return that the requests do not fit in a day, where they surely do not; else null.

    One that is not known is told and does not rule out: nobody asked for it.
    """
    busy = row.figures.get(told.BUSY.name) or withheld("1", Reason.NOT_APPLICABLE)
    if busy.value is None or busy.value <= 1:
        return None
    return Kept(FITS, False, busy)
