"""A gauge or a counter of the engine's own over stretches of a run, from its readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from joulemark.metrics.occupancy import MAX_HOLD_S, Floats, Ints, Occupancy
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason
from joulemark.record.span import Span

if TYPE_CHECKING:
    from joulemark.metrics.run_view import EngineGauge

MIN_COVERED_SHARE = 0.95
MIN_READINGS = 3

_UNREAD = Withheld(Reason.NOT_REPORTED, "The engine does not show it, or its page was not read.")
_ANEW = Withheld(Reason.NOT_MEASURED, "The engine's counter fell in the window: it was started anew.")


@dataclass(frozen=True, slots=True)
class Course:
    """The readings that stand for some stretches: float64[n] values, and how long each stood (seconds)."""

    value: Floats
    held_s: Floats

    @property
    def mean(self) -> float:
        """The mean over time."""
        return float(np.average(self.value, weights=self.held_s))

    @property
    def largest(self) -> float:
        """The largest reading; what was between two readings is not seen."""
        return float(self.value.max())


def course_of(gauges: Sequence[EngineGauge], quantity: str, parts: Sequence[Span]) -> Course | Withheld:
    """Return a gauge over ``parts``: each reading stands until the next one, for 2 s at most.

    Withheld where nothing was read (``not_reported``), where fewer than three readings lie in the parts
    (``too_short``) and where readings stand for less than 95 % of their time (``gap_too_long``).
    """
    found = [(_readings(gauges, quantity, part.segment), part) for part in parts]
    known = [(readings, part) for readings, part in found if readings is not None]
    if not known:
        return _UNREAD
    inside = sum(int(np.count_nonzero((r.t_ns >= part.t0) & (r.t_ns <= part.t1))) for r, part in known)
    courses = [readings.read_within(part.t0, part.t1) for readings, part in known]
    value, held_s = (np.concatenate(arrays) for arrays in zip(*courses, strict=True))
    total_s, covered_s = sum(part.t1 - part.t0 for part in parts) * 1e-9, float(held_s.sum())
    if inside < MIN_READINGS:
        return Withheld(Reason.TOO_SHORT, f"The engine's page was read {inside} times in the window.")
    if covered_s < MIN_COVERED_SHARE * total_s:
        told = f"The engine's page was read for {covered_s:.1f} of {total_s:.1f} s only."
        return Withheld(Reason.GAP_TOO_LONG, told)
    return Course(value, held_s)


def rise_of(gauges: Sequence[EngineGauge], quantity: str, parts: Sequence[Span]) -> float | Withheld:
    """Return by how much a counter rose in ``parts``, between the readings nearest to the ends of each.

    Withheld where it was not read (``not_reported``), within 2 s of an end (``gap_too_long``), where one
    reading is the nearest to both ends (``too_short``), and where it fell (``not_measured``): an engine that
    was started anew counts from zero.
    """
    if not parts:
        return _UNREAD
    total = 0.0
    for part in parts:
        readings = _readings(gauges, quantity, part.segment)
        if readings is None:
            return _UNREAD
        t_ns, values = readings.t_ns, readings.value
        first, last = _nearest(t_ns, part.t0), _nearest(t_ns, part.t1)
        away_s = max(abs(int(t_ns[first]) - part.t0), abs(int(t_ns[last]) - part.t1)) * 1e-9
        if away_s > MAX_HOLD_S:
            told = f"The engine's page was not read within {away_s:.1f} s of an end of the window."
            return Withheld(Reason.GAP_TOO_LONG, told)
        if first == last:
            return Withheld(Reason.TOO_SHORT, "The engine's page was read once in the window.")
        counted = values[first : last + 1]
        if np.any(np.diff(counted) < 0):
            return _ANEW
        total += float(counted[-1] - counted[0])
    return total


def _readings(gauges: Sequence[EngineGauge], quantity: str, segment: int) -> Occupancy | None:
    for gauge in gauges:
        if gauge.quantity == quantity and gauge.segment == segment and len(gauge.value):
            return gauge.steps
    return None


def _nearest(t_ns: Ints, at_ns: int) -> int:
    return int(np.argmin(np.abs(t_ns - at_ns)))
