"""Stretches of a counter or register in which its energy is not known, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from joulemark.meters.fault_flags import OVERLOAD, RESET_MARKER
from joulemark.record.reason import Reason
from joulemark.telemetry.row_flags import SLEPT
from joulemark.telemetry.timeline import Floats, Ints, Series

FROZEN_UPDATES = 10
FROZEN_NS = 2_000_000_000
LATE_UPDATES = 3
CAUGHT_UP = 0.5
# of the power on either side of a gap; less is a reset, or idleness that nobody saw
GAP_SHARE = 0.33
FAULT_FLAGS = {
    RESET_MARKER: Reason.COUNTER_RESET,
    OVERLOAD: Reason.OVER_RANGE,
    SLEPT: Reason.MACHINE_SLEPT,
}
FROZEN_QUANTA = 3  # less power than this many counter steps may pass unseen
STEPS_TO_PACE = 4  # a register that made fewer has no pace of its own
STOPPED_STEPS = 10
RISES_TO_JUDGE = 20
LEAP_OVER_MOST = 2.0
LEAST_LEAP = 3.0


def plateaus(value: Floats) -> tuple[Ints, Ints]:
    """Return the first and the last read of each value of a monotone counter."""
    starts = np.concatenate(([0], np.flatnonzero(np.diff(value) > 0) + 1))
    return starts, np.concatenate((starts[1:] - 1, [len(value) - 1]))


def flagged(series: Series, flag_names: Sequence[str], update_ns: int) -> list[tuple[Reason, int, int]]:
    """Find the readings that say themselves that the energy before them is not known.

    What a meter counted while the machine slept shows within ``update_ns`` of the first reading after it.
    """
    faults = []
    for bit, name in enumerate(flag_names):
        if (reason := FAULT_FLAGS.get(name)) is not None:
            at = np.flatnonzero(series.flag_bits >> bit & 1)
            last = at
            if name == SLEPT:
                shown = np.searchsorted(series.begin_ns, series.t_ns[at] + update_ns)
                last = np.minimum(shown, len(series) - 1)
            faults += [(reason, max(int(i) - 1, 0), int(j)) for i, j in zip(at, last, strict=True)]
    return faults


def awake(series: Series, added: Floats, told: Sequence[tuple[Reason, int, int]], since_ns: Ints) -> Floats:
    """Return the rises of a counter, those that hold a suspend no larger than the mean power makes them.

    ``told`` are the faults of `flagged`, ``since_ns`` tells how long before each reading its rise may have
    begun. The energy across a suspend is not known either way; its rise must not pass for the device's power.
    """
    slept = np.zeros(len(added), bool)
    for reason, before, after in told:
        slept[before:after] |= reason is Reason.MACHINE_SLEPT
    if not np.any(slept):
        return added
    apart_ns = np.diff(series.t_ns)
    mean_j_a_ns = float(np.sum(added[~slept])) / max(float(np.sum(apart_ns[~slept])), 1.0)
    return np.where(slept, np.minimum(added, mean_j_a_ns * since_ns), added)


def short_of_gauge(series: Series, added: Floats, gaps: Ints, gauge: Series) -> list[tuple[Reason, int, int]]:
    """Find gaps over which a counter gained far less than the gauge showed on either side of them.

    A reset inside a gap leaves no fall where the counter has passed its old value since.
    """
    faults = []
    for i in gaps:
        near = np.searchsorted(gauge.t_ns, (series.t_ns[i], series.t_ns[i + 1]))
        sides = gauge.value[[min(max(int(near[0]), 0), len(gauge) - 1), min(int(near[1]), len(gauge) - 1)]]
        seconds = (series.begin_ns[i + 1] - series.t_ns[i]) * 1e-9
        if added[i] < GAP_SHARE * float(np.min(sides)) * seconds:
            faults.append((Reason.GAP_TOO_LONG, int(i), int(i) + 1))
    return faults


def frozen(
    series: Series, value: Floats, update_ns: int, quantum_j: float, gauge: Series | None
) -> list[tuple[Reason, int, int]]:
    """Find stretches without a change although power was drawn.

    Alone a counter may stand for max(10 updates, 2 s). Beside a gauge one that stands for longer than three
    updates must catch up: its next step has to hold half of what the gauge saw meanwhile, at its lowest.
    """
    limit_ns = max(FROZEN_UPDATES * update_ns, FROZEN_NS) if gauge is None else LATE_UPDATES * update_ns
    starts, lasts = plateaus(value)
    faults = []
    for plateau in np.flatnonzero(series.t_ns[lasts] - series.t_ns[starts] > limit_ns):
        start, last = int(starts[plateau]), int(lasts[plateau])
        if gauge is not None:
            around = np.searchsorted(gauge.t_ns, (series.t_ns[start], series.t_ns[last]))
            watts = gauge.value[max(int(around[0]) - 1, 0) : int(around[1]) + 1]
            drawn_j = float(np.min(watts, initial=np.inf)) * (series.t_ns[last] - series.t_ns[start]) * 1e-9
            next_j = value[last + 1] - value[last] if last + 1 < len(value) else 0.0
            if not len(watts) or drawn_j <= FROZEN_QUANTA * quantum_j or next_j >= CAUGHT_UP * drawn_j:
                continue
        faults.append((Reason.COUNTER_FROZEN, start, min(last + 1, len(value) - 1)))
    return faults


def leaps(series: Series, added: Floats, age_s: float, most_w: float) -> list[tuple[Reason, int, int]]:
    """Find a single rise that no load explains, where no gauge tells: it is many times the others.

    A rise was made since the update before it, which lies after the last read of the value before that one,
    less ``age_s``: over that time it comes to no more than was drawn, and less on average. By what the mean
    power comes to in the 99th percentile of the other rises, it may be twice the ``most_w`` of the device.
    """
    at = np.flatnonzero(added > 0) + 1  # the first read of each value
    if len(at) < RISES_TO_JUDGE:
        return []
    rises, since_ns = added[at - 1][1:], series.begin_ns[at[:-1] - 1]
    watts = rises / ((series.t_ns[at[1:]] - since_ns) * 1e-9 + age_s)
    highest = int(np.argmax(watts))
    usual_w = float(np.percentile(np.delete(watts, highest), 99))
    mean_w = float(np.sum(np.delete(rises, highest))) / (float(series.t_ns[-1] - series.t_ns[0]) * 1e-9)
    # never less than the device may draw, whatever its load: a burst among idle updates is no leap
    times = max(LEAST_LEAP, LEAP_OVER_MOST * most_w / min(mean_w, LEAP_OVER_MOST * usual_w))
    if watts[highest] <= times * usual_w:
        return []
    after = int(at[1:][highest])
    return [(Reason.COUNTER_IMPLAUSIBLE, after - 1, after)]


def stopped(
    series: Series, value: Floats, update_ns: int, quantum_j: float, gauge: Series | None
) -> list[tuple[Reason, int, int]]:
    """Find stretches in which a register ought to have made a step and did not.

    Where a gauge is read beside it, that tells how many steps were due. Without one, only the register's own
    pace does: many times its median step is a stop.
    """
    starts, lasts = plateaus(value)
    held_ns = series.t_ns[lasts] - series.t_ns[starts]
    faults = []
    if gauge is not None:
        for plateau in np.flatnonzero(held_ns > 2 * update_ns):
            start, last = int(starts[plateau]), int(lasts[plateau])
            watts = gauge.value[(gauge.t_ns >= series.t_ns[start]) & (gauge.t_ns <= series.t_ns[last])]
            if not len(watts):
                continue
            # at least so much was drawn: a few samples of a load that swings may have caught its peaks
            least_w = float(np.mean(watts)) - 3 * float(np.std(watts)) / math.sqrt(len(watts))
            if least_w * (held_ns[plateau] - update_ns) * 1e-9 > FROZEN_QUANTA * quantum_j:
                faults.append((Reason.COUNTER_FROZEN, start, min(last + 1, len(value) - 1)))
        return faults
    if len(starts) < STEPS_TO_PACE:
        return []
    pace_ns = float(np.median(np.diff(series.t_ns[starts])))
    for plateau in np.flatnonzero(held_ns > max(STOPPED_STEPS * pace_ns, 2 * update_ns)):
        start, last = int(starts[plateau]), int(lasts[plateau])
        faults.append((Reason.COUNTER_FROZEN, start, min(last + 1, len(value) - 1)))
    return faults
