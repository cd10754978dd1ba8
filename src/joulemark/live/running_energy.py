"""What one source saw since a beginning, from its recent readings and what it is known to have seen before.

The bound is that of the whole stretch, not the sum of many pieces' bounds, which would grow with each. A
counter's value at a reading is exact: from one reading to the next only the difference is carried, and the
two ends alone are uncertain. A gauge's pieces add: between two samples the errors are independent, so those
of the inner pieces add as squares (`telemetry.gauge`); the first and the last, which hold the edges, add as
they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from joulemark.live.history import SEGMENT
from joulemark.live.patience import margin_ns
from joulemark.live.source_energy import SourceEnergy, source_energy
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Method, Withheld
from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.counter import Counter
from joulemark.telemetry.interval import EDGE_EXTRAPOLATED, prepared_counter
from joulemark.telemetry.timeline import Timeline

KEEP_S = 120.0
REGISTER_KEEP_S = 600.0  # a register of slow steps tells its pace only in minutes
LONGEST_AWAY_S = 3600.0
_NO_FAULT = (Reason.SHORTER_THAN_STEP, Reason.NOT_APPLICABLE)


class RunningEnergy:
    """One source since ``begin_ns``; readings before ``needed_ns`` may be dropped."""

    def __init__(self, source: QualifiedSource, begin_ns: int, keep_s: float | None = None) -> None:
        """``keep_s``: for how long a reading may still change what is believed of those before it."""
        self.source = source
        self.from_ns = begin_ns  # up to here it is carried, from here on it is read
        usual_s = REGISTER_KEEP_S if source.info.is_register else KEEP_S
        self._keep_ns = round((usual_s if keep_s is None else keep_s) * 1e9)
        self._begin_ns = begin_ns
        self._counted: _Counted | Withheld | None = None
        self._integral: _Integral | Withheld | None = None

    def needed_ns(self, now_ns: int) -> int:
        """Return the stamp of the oldest reading that is needed; a source that is away is not waited for."""
        away_ns = max(round(LONGEST_AWAY_S * 1e9), 3 * self._keep_ns)
        return max(self.from_ns, now_ns - away_ns) - min(margin_ns(self.source), self._keep_ns)

    def until(self, timeline: Timeline, end_ns: int) -> SourceEnergy:
        """Return what it saw from the beginning to ``end_ns``, which never lies before that of the last call.

        ``timeline`` holds the readings from ``needed_ns`` on.
        """
        self._carry(timeline, end_ns)
        recent = source_energy(timeline, self.source, self.from_ns, end_ns)
        if self._counted is None or self._integral is None:
            return recent
        counter, integrated = recent.counter, recent.integrated
        if isinstance(self._counted, Withheld):
            counter = self._counted
        elif isinstance(counter, MeasuredEnergy) or counter.reason is Reason.SHORTER_THAN_STEP:
            counter = self._count(timeline, self._counted, counter, end_ns)
        if isinstance(self._integral, Withheld):
            integrated = self._integral
        elif isinstance(integrated, MeasuredEnergy):
            integrated = self._integral.with_last(integrated)
        return replace(recent, counter=counter, integrated=integrated)

    def _carry(self, timeline: Timeline, end_ns: int) -> None:
        """Take what is old enough into what is carried."""
        if end_ns - self.from_ns < 2 * self._keep_ns:
            return
        at_ns = self._last_reading(timeline, end_ns - self._keep_ns)
        if at_ns is None:
            return
        piece = source_energy(timeline, self.source, self.from_ns, at_ns)
        parts = ((self._counted, piece.counter), (self._integral, piece.integrated))
        doubted = any(
            not isinstance(carried, Withheld) and isinstance(part, Withheld) and part.reason not in _NO_FAULT
            for carried, part in parts
        )
        if doubted and end_ns - self.from_ns < 3 * self._keep_ns:
            return  # a counter that stood still may catch up
        if not isinstance(self._counted, Withheld):
            self._counted = self._carried_count(timeline, self._counted, piece.counter, at_ns)
        if isinstance(piece.integrated, Withheld):
            self._integral = self._integral if isinstance(self._integral, Withheld) else piece.integrated
        elif not isinstance(self._integral, Withheld):
            self._integral = _Integral.of(self._integral, piece.integrated)
        self.from_ns = at_ns

    def _last_reading(self, timeline: Timeline, before_ns: int) -> int | None:
        """Return the stamp of the last reading to carry to: of the counter, else of the gauge."""
        info = self.source.info
        quantity = Quantity.ENERGY_J if Quantity.ENERGY_J in info.quantities else info.power_quantity
        series = timeline.series(SEGMENT, info.name, quantity) if quantity is not None else None
        if series is None:
            return None
        at = int(np.searchsorted(series.t_ns, before_ns, side="right")) - 1
        return int(series.t_ns[at]) if at >= 0 and series.t_ns[at] > self.from_ns else None

    def _carried_count(
        self, timeline: Timeline, counted: _Counted | None, part: MeasuredOrWithheld, at_ns: int
    ) -> _Counted | Withheld:
        if isinstance(part, Withheld) and part.reason is not Reason.SHORTER_THAN_STEP:
            return part
        counter = self._counter(timeline)
        value_j = _value_at(counter, at_ns)
        if value_j is None:
            return Withheld(Reason.GAP_TOO_LONG)
        flags = frozenset(part.flags if isinstance(part, MeasuredEnergy) else ()) - {EDGE_EXTRAPOLATED}
        if counted is None:
            begin = counter.at(np.array([self._begin_ns]))
            flags |= {EDGE_EXTRAPOLATED} if begin.extrapolated[0] else set()
            lo, hi, likeliest = (value_j - float(edge[0]) for edge in (begin.hi, begin.lo, begin.estimate))
            return _Counted(lo, hi, likeliest, flags)
        before_j = _value_at(counter, self.from_ns)
        if before_j is None:
            return Withheld(Reason.GAP_TOO_LONG)
        return counted.plus(value_j - before_j, flags)

    def _count(
        self, timeline: Timeline, counted: _Counted, recent: MeasuredOrWithheld, end_ns: int
    ) -> MeasuredOrWithheld:
        """Return the counter's figure from the beginning; ``recent`` is that since ``from_ns``."""
        counter = self._counter(timeline)
        value_j = _value_at(counter, self.from_ns)
        if value_j is None:
            return Withheld(Reason.GAP_TOO_LONG)
        end = counter.at(np.array([end_ns]))
        lo = max(counted.lo + float(end.lo[0]) - value_j, 0.0)
        hi = max(counted.hi + float(end.hi[0]) - value_j, lo)
        if self.source.info.is_register and lo <= 0:
            return recent
        joules = min(max(counted.likeliest + float(end.estimate[0]) - value_j, lo), hi)
        flags = set(counted.flags) | set(recent.flags if isinstance(recent, MeasuredEnergy) else ())
        if self.source.qualification.trust is Trust.SUSPECT:
            flags.add("suspect")
        method = Method.METER if self.source.info.is_register else Method.COUNTER
        info = self.source.info
        return MeasuredEnergy(joules, lo, hi, info.name, (info.scope,), method, tuple(sorted(flags)))

    def _counter(self, timeline: Timeline) -> Counter:
        counter = prepared_counter(timeline, self.source, SEGMENT)
        assert counter is not None  # its energy was just told
        return counter


@dataclass(frozen=True, slots=True)
class _Counted:
    """From the beginning to the counter's value at a reading (J): its least, its most, the likeliest."""

    lo: float
    hi: float
    likeliest: float
    flags: frozenset[str]

    def plus(self, joules: float, flags: frozenset[str]) -> _Counted:
        return _Counted(self.lo + joules, self.hi + joules, self.likeliest + joules, self.flags | flags)


@dataclass(frozen=True, slots=True)
class _Integral:
    """Pieces under a gauge, with the error of the first (J) and the inner ones' squares (J²)."""

    joules: float
    first_j: float
    inner_j2: float
    flags: frozenset[str]

    @classmethod
    def of(cls, before: _Integral | None, part: MeasuredEnergy) -> _Integral:
        if before is None:
            return cls(part.joules, _error_j(part), 0.0, frozenset(part.flags))
        inner_j2 = before.inner_j2 + _error_j(part) ** 2
        return cls(before.joules + part.joules, before.first_j, inner_j2, before.flags | set(part.flags))

    def with_last(self, part: MeasuredEnergy) -> MeasuredEnergy:
        joules = self.joules + part.joules
        error_j = self.first_j + math.sqrt(self.inner_j2) + _error_j(part)
        flags = tuple(sorted(self.flags | set(part.flags)))
        return replace(part, joules=joules, lo=max(joules - error_j, 0.0), hi=joules + error_j, flags=flags)


def _error_j(part: MeasuredEnergy) -> float:
    return max(part.joules - part.lo, part.hi - part.joules)


def _value_at(counter: Counter, t_ns: int) -> float | None:
    """Return the counter's value at the reading of that stamp; null where it was dropped."""
    at = int(np.searchsorted(counter.series.t_ns, t_ns, side="right")) - 1
    return float(counter.value_j[at]) if at >= 0 and counter.series.t_ns[at] == t_ns else None
