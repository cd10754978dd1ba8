"""Times of microseconds: by the program's own clock, where the one outside does not contradict it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.code.baseline import Baseline, baseline_of, call_ns
from joulemark.record.code_run import WORK_OUTSIDE_CALL, CodeRun, Outcome, Purpose

Clock = Callable[[CodeRun], float | None]
"""Reads the time of a run in s; null where it has none."""

MIN_INSIDE_FLOOR_NS = 500.0  # the step of two reads of a process's clock from inside
USUAL_GAP_NS = 100_000.0  # between the two clocks, where no program that does nothing tells it
_GAPS = 2.0
_GAP_QUANTILE = 0.95
_SLACK_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class LevelClock:
    """Reads the CPU time of a call of which many take a few microseconds.

    Seen from outside, a call has the messages about it in its time: ``gap_ns``, in 95 % of the runs of a
    program that does nothing. That is more than many a reference takes. So the time is that of the clock
    inside, less ``inside_ns`` that nothing takes, where both clocks differ by no more than twice the gap and
    5 %; else that of the clock outside. A program that forges its own clock gains no more than these.
    """

    baseline: Baseline
    inside_ns: float = 0.0
    floor_ns: float = MIN_INSIDE_FLOOR_NS
    gap_ns: float = USUAL_GAP_NS

    def __call__(self, run: CodeRun) -> float | None:
        """Return the time of a run in s, at least the floor; null where it was not read."""
        outside, inside = run.cpu_ns, run.cpu_inside_ns
        if outside is None:
            return None
        is_charged = WORK_OUTSIDE_CALL in run.flags  # with time that its own clock has not seen
        gap_ns = _GAPS * self.gap_ns + _SLACK_SHARE * outside
        if inside is None or is_charged or outside - inside > gap_ns:
            time_ns = call_ns(run, self.baseline)
            return None if time_ns is None else time_ns / 1e9
        return max(inside - self.inside_ns, self.floor_ns) / 1e9


def level_clock(runs: Sequence[CodeRun]) -> LevelClock:
    """Return the clock by the runs of a program that does nothing."""
    mine = [r for r in runs if r.purpose is Purpose.BASELINE and r.outcome is Outcome.RETURNED]
    known = [
        (r.cpu_ns, r.cpu_inside_ns) for r in mine if r.cpu_ns is not None and r.cpu_inside_ns is not None
    ]
    if not known:
        return LevelClock(baseline_of(runs))
    inside = [float(one) for _, one in known]
    floor = max(MIN_INSIDE_FLOOR_NS, float(np.median(inside)) - min(inside))
    gap = float(np.quantile([outside - one for outside, one in known], _GAP_QUANTILE))
    return LevelClock(baseline_of(runs), min(inside), floor, gap)
