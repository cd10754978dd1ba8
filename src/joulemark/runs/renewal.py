"""How long the headline's meter takes to tell something new: what is shorter has no energy of its own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from joulemark.record.energy import Method
from joulemark.record.telemetry import Quantity
from joulemark.runs.evidence import Evidence
from joulemark.telemetry.renewal import renewal_of
from joulemark.telemetry.timeline import Timeline


def renewal_s(timeline: Timeline, evidence: Mapping[int, Evidence], method: Method) -> float:
    """Return how long the slowest of the headline's sources takes to tell something new.

    Of gauges that is how old their readings may be (`joulemark.telemetry.renewal`); of counters the mean time
    between two values that differ, be it the clock or the energy that makes them, if that is more.
    """
    slowest_s = 0.0
    for segment, one in evidence.items():
        for source in one.chosen:
            known = renewal_of(timeline, source, segment)
            if method is Method.INTEGRATED:
                slowest_s = max(slowest_s, known.gauge_s)
                continue
            slowest_s = max(slowest_s, known.counter_s)
            series = timeline.series(segment, source.info.name, Quantity.ENERGY_J.value)
            if series is None:
                continue
            new_ns = series.t_ns[1:][np.diff(series.value) != 0]
            if len(new_ns) > 1:
                slowest_s = max(slowest_s, float(new_ns[-1] - new_ns[0]) * 1e-9 / (len(new_ns) - 1))
            elif len(series):
                slowest_s = max(slowest_s, float(series.t_ns[-1] - series.t_ns[0]) * 1e-9)
    return slowest_s
