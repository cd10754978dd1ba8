"""What a board looks for in the course of power: too flat, too low, too much alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.run_view import PowerTimeline, RunView
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.scope import WALL_KINDS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOW_PERCENTILE = 5.0
"""Of all of a gauge's readings: what it shows at its least, a few failed reads aside."""
FINE_KINDS = frozenset({"nvml"})
"""Kinds of meters whose gauge tells milliwatts; others tell whole watts, and may honestly stand still."""
LEAST_SAMPLES = 30
MOVED_SHARE = 0.01
"""How far a course must move (sample σ over mean) before two can be said to move alike."""
TAIL_S = (1.5, 3.5)
"""After the last answer: later than a gauge's own average remembers, sooner than something else begins."""


@dataclass(frozen=True, slots=True)
class PowerCourse:
    """The headline meters' power; null where there are no readings of it.

    ``n_readings`` are the values within the measured windows of the gauge of milliwatts (`FINE_KINDS`) that
    has the most, ``n_levels`` how many of them differ. ``high_w`` is the highest of any gauge there.
    ``low_w`` is the lowest of the `LOW_PERCENTILE` percentiles of single gauges, the time before and after
    the answers included. ``tail_w`` is the mean of all of them together from 1.5 to 3.5 s after the last
    answer.
    """

    n_readings: int | None = None
    n_levels: int | None = None
    low_w: float | None = None
    high_w: float | None = None
    tail_w: float | None = None


def headline_timelines(view: RunView) -> list[PowerTimeline]:
    """Return the courses of the meters whose joules are the headline; none where it is withheld."""
    energy = view.headline_energy
    if not isinstance(energy, MeasuredEnergy):
        return []
    leading = set(energy.source.split("+"))
    return [one for one in view.timelines if one.source in leading]


def power_course(view: RunView) -> PowerCourse:
    """Describe the power that the headline's meters showed."""
    inside = [
        (one, values) for one in headline_timelines(view) if len(values := _within(one, _windows(view, one)))
    ]
    gauges = [values for one, values in inside if not one.derived]
    fine = {source.info.name for source in view.sources if source.info.kind in FINE_KINDS}
    most = max(
        (values for one, values in inside if not one.derived and one.source in fine), key=len, default=None
    )
    return PowerCourse(
        n_readings=None if most is None else len(most),
        n_levels=None if most is None else len(np.unique(most)),
        low_w=_low_w(view),
        high_w=max((float(values.max()) for values in gauges), default=None),
        tail_w=_tail_w(view),
    )


def wall_residual_share(view: RunView) -> float | None:
    """Return how far a meter at the wall strays from a straight line through the headline's power.

    Root mean square over the wall's mean power. Null without such a meter, with fewer than `LEAST_SAMPLES`
    common readings, or where power moved by less than `MOVED_SHARE`. A wall holds fans, memory and a supply
    whose efficiency changes, so one that follows a board exactly was computed from it.
    """
    boards = headline_timelines(view)
    scopes = {one.source for one in boards}
    walls = [
        one for one in view.timelines if one.scope.split(":")[0] in WALL_KINDS and one.source not in scopes
    ]
    found = [
        share
        for wall in walls
        if (share := _residual_share(wall, [one for one in boards if one.segment == wall.segment]))
        is not None
    ]
    return min(found, default=None)


def _residual_share(wall: PowerTimeline, boards: Sequence[PowerTimeline]) -> float | None:
    known = np.isfinite(wall.power_w)
    t_ns, watts = wall.t_ns[known], wall.power_w[known]
    if not boards or len(watts) < LEAST_SAMPLES:
        return None
    first = max((int(one.t_ns[0]) for one in boards if len(one.t_ns)), default=0)
    last = min((int(one.t_ns[-1]) for one in boards if len(one.t_ns)), default=0)
    common = (t_ns >= first) & (t_ns <= last)
    t_ns, watts = t_ns[common], watts[common]
    if len(watts) < LEAST_SAMPLES or not watts.mean() > 0:
        return None
    total = np.zeros(len(t_ns))
    for one in boards:
        read = np.isfinite(one.power_w)
        if read.sum() < 2:
            return None
        total += np.interp(t_ns, one.t_ns[read], one.power_w[read])
    if watts.std() < MOVED_SHARE * watts.mean() or total.std() < MOVED_SHARE * total.mean():
        return None
    from_mean = total - total.mean()
    slope = float(from_mean @ (watts - watts.mean()) / (from_mean @ from_mean))
    residuals = watts - watts.mean() - slope * from_mean
    return float(np.sqrt(np.mean(residuals**2)) / watts.mean())


def _low_w(view: RunView) -> float | None:
    gauges = [one.power_w[np.isfinite(one.power_w)] for one in headline_timelines(view) if not one.derived]
    return min((float(np.percentile(one, LOW_PERCENTILE)) for one in gauges if len(one)), default=None)


def _tail_w(view: RunView) -> float | None:
    """Return the mean power of the headline's meters in `TAIL_S` after the last answer of a segment."""
    sums: dict[int, list[float]] = {}
    for one in headline_timelines(view):
        ends = [item.t_end for item in view.items if item.segment == one.segment]
        after_s = (one.t_ns - max(ends, default=0)) * 1e-9
        later = (after_s >= TAIL_S[0]) & (after_s <= TAIL_S[1])
        values = one.power_w[later & np.isfinite(one.power_w)]
        if not ends or not len(values):
            return None
        sums.setdefault(one.segment, []).append(float(values.mean()))
    return max((sum(watts) for watts in sums.values()), default=None)


def _windows(view: RunView, one: PowerTimeline) -> list[tuple[int, int]]:
    return [
        (window.t0, window.t1)
        for window in view.manifest.windows
        if window.name == "measure" and window.segment == one.segment and window.t1 is not None
    ]


def _within(one: PowerTimeline, windows: Sequence[tuple[int, int]]) -> Floats:
    """Return the known values within the windows."""
    inside = np.zeros(len(one.t_ns), bool)
    for t0, t1 in windows:
        inside |= (one.t_ns >= t0) & (one.t_ns <= t1)
    return one.power_w[inside & np.isfinite(one.power_w)]
