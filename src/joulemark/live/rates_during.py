"""Rates that change with the time of day, as they were while something was measured."""

from __future__ import annotations

import time

from joulemark.live.meter_set import MeterSet
from joulemark.live.total import total_of
from joulemark.metrics.rate_steps import Part, has_steps, rates_between, split_at, step_edges_ns
from joulemark.record.energy import Withheld
from joulemark.record.manifest import Rates


def rates_during(meters: MeterSet, rates: Rates, t0_ns: int, t1_ns: int) -> Rates:
    """Return ``rates`` with the means over a stretch (monotonic ns) that has just ended.

    They are weighted by the joules of each step; by time where the meters cannot tell the steps apart.
    """
    if not has_steps(rates):
        return rates
    wall_ns = time.time_ns() - time.monotonic_ns()
    begin_ns, end_ns = t0_ns + wall_ns, t1_ns + wall_ns
    parts: list[Part] = []
    for a, b in split_at(step_edges_ns(rates), begin_ns, end_ns):
        energies = meters.energies(a - wall_ns, b - wall_ns, wait=False)
        total = total_of(list(energies.values()))
        if isinstance(total, Withheld):
            return rates_between(rates, begin_ns, end_ns)
        parts.append((a, b, total.joules))
    return rates_between(rates, begin_ns, end_ns, parts)
