"""Power and slow-downs over time for the report's chart; no figure is computed from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joulemark.metrics.run_view import PowerTimeline, Slowed
from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.cumulative import THROTTLE_REASONS
from joulemark.telemetry.timeline import Series, Timeline

_GAUGES = (Quantity.POWER_W.value, Quantity.POWER_AVERAGE_W.value)


def power_timelines(timeline: Timeline, sources: Sequence[QualifiedSource]) -> tuple[PowerTimeline, ...]:
    """Return the power of each source in each segment: its gauge, else its counter's difference quotient."""
    found = []
    for segment, name in timeline.tracks:
        source = next((s for s in sources if s.info.name == name), None)
        if source is None or source.qualification.trust is Trust.ABSENT:
            continue
        drawn = _gauge(timeline, segment, name) or _quotient(timeline, segment, name)
        if drawn is not None:
            t_ns, power_w, derived = drawn
            scope = source.info.scope.label
            found.append(PowerTimeline(name, scope, segment, t_ns, power_w, derived=derived))
    return tuple(found)


_Drawn = tuple[np.ndarray, np.ndarray, bool]


def _gauge(timeline: Timeline, segment: int, name: str) -> _Drawn | None:
    for quantity in _GAUGES:
        series = timeline.series(segment, name, quantity)
        if series is not None:
            return series.t_ns, series.value, False
    return None


def _quotient(timeline: Timeline, segment: int, name: str) -> _Drawn | None:
    """Return rise over time between changes of the counter; a fall (wrap, reset) leaves a hole."""
    series = timeline.series(segment, name, Quantity.ENERGY_J.value)
    if series is None or len(series) < 3:
        return None
    kept = _changes(series)
    t_ns, energy_j = series.t_ns[kept], series.value[kept]
    if len(t_ns) < 2:
        return None
    power_w = np.diff(energy_j) / (np.diff(t_ns) * 1e-9)
    return t_ns[1:], np.where(power_w < 0, np.nan, power_w), True


def _changes(series: Series) -> np.ndarray:
    """Return the places of readings that differ from the one before."""
    return np.flatnonzero(np.diff(series.value, prepend=np.nan) != 0)


def slowed_stretches(timeline: Timeline, sources: Sequence[QualifiedSource]) -> tuple[Slowed, ...]:
    """Return when the throttle counters of each believed source advanced, reading to reading, joined up."""
    believed = {s.info.name for s in sources if s.qualification.trust is not Trust.ABSENT}
    found: list[Slowed] = []
    for segment, name in timeline.tracks:
        for cause, quantity in THROTTLE_REASONS.items() if name in believed else ():
            series = timeline.series(segment, name, quantity)
            if series is None or len(series) < 2:
                continue
            rises = np.flatnonzero(np.diff(series.value) > 0)
            for run in np.split(rises, np.flatnonzero(np.diff(rises) > 1) + 1):
                if len(run):
                    t0_ns, t1_ns = int(series.t_ns[run[0]]), int(series.t_ns[run[-1] + 1])
                    found.append(Slowed(segment, name, cause, t0_ns, t1_ns))
    return tuple(found)
