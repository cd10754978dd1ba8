"""What a source's counter is known to have counted since a beginning: a number that never falls.

Wraps are undone and faults left out by the very counter that the energy of a window rests on
(`telemetry.interval.prepared_counter`): where it was set back, fell or jumped, the ledger goes on from what
was believed before, and counts the fault.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from joulemark.live.history import SEGMENT
from joulemark.record.meter import QualifiedSource
from joulemark.record.reason import Reason
from joulemark.telemetry.interval import prepared_counter
from joulemark.telemetry.timeline import Timeline

_REMEMBERED = 64  # faults that may still lie in the readings that come again


class Ledger:
    """Adds up one source. ``joules`` is what it counted; ``faults`` how often each kind of fault was seen."""

    def __init__(self, source: QualifiedSource) -> None:
        self.source = source
        self.joules = 0.0
        self.faults: Counter[Reason] = Counter()
        self.seen_ns: int | None = None
        self._known: list[tuple[Reason, int]] = []

    def advance(self, timeline: Timeline) -> None:
        """Take in what ``timeline`` holds after the last reading that was taken in.

        It should hold that reading too, and what lies before it; where it does not, what passed in between
        is not known, counts as nothing and is noted as a gap.
        """
        counter = prepared_counter(timeline, self.source, SEGMENT)
        if counter is None:
            return
        series = counter.series
        if self.seen_ns is not None and int(series.t_ns[-1]) <= self.seen_ns:
            return
        first = 0
        if self.seen_ns is not None:
            first = int(np.searchsorted(series.t_ns, self.seen_ns, side="left"))
            if int(series.t_ns[first]) != self.seen_ns:
                self._note(Reason.GAP_TOO_LONG, self.seen_ns)
        self.seen_ns = int(series.t_ns[-1])
        if len(series) < 2:
            return
        steps_j = np.diff(counter.value_j)
        for reason, before, after in counter.faults:
            if reason is not Reason.COUNTER_FROZEN:
                steps_j[before:after] = 0.0  # it may have wrapped more than once: what it gained is not known
            if after > first:
                self._note(reason, int(series.t_ns[before]))
        self.joules += float(np.sum(steps_j[first:]))

    def _note(self, reason: Reason, at_ns: int) -> None:
        if (reason, at_ns) not in self._known:
            self._known = [*self._known[-_REMEMBERED:], (reason, at_ns)]
            self.faults[reason] += 1
