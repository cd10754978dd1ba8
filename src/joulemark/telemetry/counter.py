"""A cumulative energy counter as a monotone function of time, and what it says of the energy at an instant.

Write E(t) for the true energy since some zero, u_1 < u_2 < … for the instants at which the counter takes
E over, and q for its step. A read at r shows C(r) = E(u) rounded down to q, u the last update before r.
E does not fall, hence for any instant t, with no assumption on the power:

    C(r) <= E(t)            for every read at r <= t,
    E(t) <= C(r') + q       for every read r' whose value differs from that of an earlier read r >= t,

because a change between r and r' proves an update after t. A read stretched over [a, b] is before t when
b <= t and after it when a >= t. An edge read may end up to `edge_slack_ns` on the wrong side of t; it then
counts after correction by the power ceiling times the distance. A value that may be A old when it is read is
treated as if its read had begun A earlier, and may lie A on the wrong side.

An energy register counts in steps of seconds of power each, and nobody waits for its next one. There

    E(t) <= C(r) + q + A P      for the first read r >= t

with P more than was drawn at any time, for C(r) is E rounded down to q at most A before r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.record.meter import CEILING_OVER_MAX, CEILING_UNKNOWN_W, QualifiedSource
from joulemark.record.reason import Reason
from joulemark.telemetry.cadence import DEFAULT_UPDATE_S, GAP_POLLS, edge_slack_ns
from joulemark.telemetry.counter_faults import (
    STEPS_TO_PACE,
    awake,
    flagged,
    frozen,
    leaps,
    plateaus,
    short_of_gauge,
    stopped,
)
from joulemark.telemetry.renewal import CLOCKED_STEPS
from joulemark.telemetry.timeline import Floats, Ints, Series

CEILING_OVER_SLOPE = 3.0
FARTHEST_OVER_MAX = 20.0  # no device draws so many times what it states, however steadily its counter says so
UNKNOWN_MOST_W = 1_500.0  # hardly a board draws more that has no name
ENOUGH_RISES = 8
LEAST_BRIDGED_NS, BRIDGED_UPDATES = 3_000_000_000, 3
MOST_STEPS = 1e15
RESET_SHARE = 0.5  # a counter that falls to less than this share of its value has started again


@dataclass(frozen=True, slots=True)
class EdgeEnergy:
    """Counter energy at instants, in joules on the unwrapped counter; arrays of one entry an instant.

    ``extrapolated``: no changed value was seen afterwards, so ``hi`` rests on the power ceiling.
    ``first`` and ``last`` index the reads that ``lo`` and ``hi`` come from.
    """

    lo: Floats
    hi: Floats
    estimate: Floats
    extrapolated: NDArray[np.bool_]
    first: Ints
    last: Ints


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter made monotone, with the stretches in which it cannot be believed.

    ``value_j`` is unwrapped. ``faults`` lists (reason, index of the read before, index of the read after):
    energy between those two reads is not known. ``ceiling_w`` is more than the device can draw, null where
    nothing is known of that; ``slack_w`` more than it drew at any moment of this segment.
    """

    series: Series
    value_j: Floats
    quantum_j: float
    update_ns: int
    ceiling_w: float | None
    slack_w: float
    change_ns: Floats
    change_j: Floats
    faults: tuple[tuple[Reason, int, int], ...]
    age_s: float = 0.0
    is_register: bool = False

    def at(self, t_ns: Ints) -> EdgeEnergy:
        """Bound and estimate the energy at each instant. Instants lie within the reads, the slack aside."""
        begin, end, value = self.series.begin_ns, self.series.t_ns, self.value_j
        n = len(value)
        age_ns = round(self.age_s * 1e9)
        slack_ns = max(edge_slack_ns(self.update_ns), age_ns)
        per_ns = self.slack_w * 1e-9

        before = np.searchsorted(end, t_ns, side="right") - 1
        after = np.searchsorted(begin - age_ns, t_ns, side="left")

        first = np.maximum(before, 0)
        lo = np.where(before >= 0, value[first], -np.inf)
        late = np.minimum(before + 1, n - 1)
        lateness = np.maximum(end[late] - t_ns, 0)
        lo = np.maximum(lo, np.where(lateness <= slack_ns, value[late] - lateness * per_ns, -np.inf))

        plain, plain_at, plain_open = self._above(np.minimum(after, n - 1))
        early = np.maximum(after - 1, 0)
        earliness = np.maximum(t_ns - (begin[early] - age_ns), 0)
        near, near_at, near_open = self._above(early)
        near = np.where(earliness <= slack_ns, near + earliness * per_ns, np.inf)
        plain = np.where(after < n, plain, np.inf)
        # A bound that rests on a changed value goes before one that rests on the ceiling.
        plain = np.where(plain_open & ~near_open & np.isfinite(near), np.inf, plain)
        use_near = near < plain
        hi = np.where(use_near, near, plain)
        last = np.where(use_near, near_at, plain_at)
        extrapolated = np.where(use_near, near_open, plain_open)
        if self.is_register:
            fresh = np.searchsorted(begin, t_ns, side="left")
            at = np.minimum(fresh, n - 1)
            rounded = value[at] + self.quantum_j + self.slack_w * self.age_s
            use_rounded = (fresh < n) & (rounded < hi)
            hi = np.where(use_rounded, rounded, hi)
            last = np.where(use_rounded, at, last)
            extrapolated &= ~use_rounded

        estimate = self._estimate(t_ns)
        return EdgeEnergy(lo, hi, np.clip(estimate, lo, hi), extrapolated, first, last)

    def _estimate(self, t_ns: Ints) -> Floats:
        """Return the likeliest energy at each instant: one step of power between two updates.

        Between updates i and i+1 the power is taken to go from the slope before i to the slope after i+1 in
        one step, placed so that the increment comes out right: items begin and end with such steps, and a
        straight line would give part of an item to its neighbour. Where no such step explains the increment
        it is a straight line.
        """
        at, joules = self.change_ns, self.change_j
        line = np.interp(t_ns, at, joules)
        if self.is_register and len(at) >= 2:
            # the steps tell energies exactly, what lies before the first and after the last does not show
            slope = np.diff(joules) / np.maximum(np.diff(at), 1.0)
            before, after = np.minimum(t_ns - at[0], 0.0), np.maximum(t_ns - at[-1], 0.0)
            extended: Floats = line + before * slope[0] + after * slope[-1]
            return extended
        if len(at) < 4:
            return line
        i = np.clip(np.searchsorted(at, t_ns, side="right") - 1, 1, len(at) - 3)
        left = (joules[i] - joules[i - 1]) / np.maximum(at[i] - at[i - 1], 1.0)
        right = (joules[i + 2] - joules[i + 1]) / np.maximum(at[i + 2] - at[i + 1], 1.0)
        from_left = joules[i] + left * (t_ns - at[i])
        from_right = joules[i + 1] - right * (at[i + 1] - t_ns)
        mean = (joules[i + 1] - joules[i]) / np.maximum(at[i + 1] - at[i], 1.0)
        inside = (t_ns >= at[i]) & (t_ns <= at[i + 1])
        explains = inside & (np.minimum(left, right) <= mean) & (mean <= np.maximum(left, right))
        step = np.where(right >= left, np.maximum(from_left, from_right), np.minimum(from_left, from_right))
        return np.where(explains, step, line)

    def _above(self, base: Ints) -> tuple[Floats, Ints, NDArray[np.bool_]]:
        """Return what E(t) cannot exceed when read ``base`` began at or after t, and the read it rests on."""
        n = len(self.value_j)
        changed = np.searchsorted(self.value_j, self.value_j[base], side="right")
        open_end = changed >= n
        at = np.minimum(changed, n - 1)
        ceiling = self.value_j[base] + self.slack_w * self.update_ns * 1e-9
        return np.where(open_end, ceiling, self.value_j[at]) + self.quantum_j, at, open_end


def read_counter(
    series: Series,
    source: QualifiedSource,
    gauge: Series | None,
    flag_names: Sequence[str] = (),
    *,
    renewal_s: float = 0.0,
    limit_w: float | None = None,
) -> Counter:
    """Unwrap a counter and find its faults.

    ``gauge`` is the power series of the same source, if any; ``flag_names`` those of the bits of ``series``.
    ``renewal_s`` is how old its values were seen to be, ``limit_w`` the highest power limit that was read.
    """
    info, test = source.info, source.qualification
    raw = series.value
    quantum_j, age_s = info.counter_quantum_j, info.value_age_s
    if info.is_register:
        quantum_j = _step_j(raw, quantum_j)
        age_s = max(age_s, _renewal_s(series, quantum_j))
    update_s = test.update_period_max_s or test.update_period_s or DEFAULT_UPDATE_S
    if info.is_register:
        update_s = age_s or DEFAULT_UPDATE_S  # how soon a step shows, not how often it comes
    update_ns = round(max(update_s, age_s, renewal_s) * 1e9)
    gap_ns = max(round(GAP_POLLS * test.poll_period_s * 1e9), LEAST_BRIDGED_NS, BRIDGED_UPDATES * update_ns)
    most_w = info.power_max_w or limit_w or info.known_max_w
    ceiling_w = _ceiling_w(series, most_w, gauge, update_ns)
    step = np.diff(raw)
    told = flagged(series, flag_names, update_ns)
    faults: list[tuple[Reason, int, int]] = []
    added = step.copy()

    # Since the last change, not since the last read: a counter that stood still may catch up at once.
    changed_at = np.maximum.accumulate(np.where(np.concatenate(([True], step != 0)), np.arange(len(raw)), 0))
    since_ns = series.t_ns[1:] - series.begin_ns[changed_at[:-1]] + update_ns
    allowed_j = (ceiling_w or CEILING_UNKNOWN_W) * since_ns * 1e-9 + info.counter_quantum_j

    apart_ns = np.diff(series.t_ns)
    for i in np.flatnonzero(step < 0):
        modulus_j = info.counter_modulus_j
        wraps = modulus_j is not None and 0 <= step[i] + modulus_j <= allowed_j[i] and raw[i] <= modulus_j
        if wraps and apart_ns[i] <= gap_ns:
            assert modulus_j is not None
            added[i] = step[i] + modulus_j
            continue
        added[i] = 0.0
        if apart_ns[i] > gap_ns and info.counter_wraps:
            reason = Reason.GAP_TOO_LONG  # a wrap and a reset look the same from here
        elif raw[i + 1] > RESET_SHARE * raw[i]:
            reason = Reason.COUNTER_BACKWARDS
        elif info.counter_wraps and modulus_j is None:
            reason = Reason.COUNTER_WRAP_UNKNOWN
        else:
            reason = Reason.COUNTER_RESET
        faults.append((reason, int(i), int(i) + 1))
    for i in np.flatnonzero(added > allowed_j):
        faults.append((Reason.COUNTER_IMPLAUSIBLE, int(i), int(i) + 1))
        added[i] = 0.0
    added = awake(series, added, told, since_ns)
    if gauge is None and not info.is_register:
        turbo = 1.0 if info.scope.kind == "gpu" else CEILING_OVER_MAX  # which packages do not state
        faults += leaps(series, added, max(age_s, renewal_s), turbo * (most_w or UNKNOWN_MOST_W))
    if info.counter_modulus_j is not None:
        far = np.flatnonzero(allowed_j >= info.counter_modulus_j)  # it may have wrapped more than once
        faults += [(Reason.GAP_TOO_LONG, int(i), int(i) + 1) for i in far]

    if gauge is not None:
        faults += short_of_gauge(series, added, np.flatnonzero(apart_ns > gap_ns), gauge)
    value = raw[0] + np.concatenate(([0.0], np.cumsum(added)))
    if info.is_register:
        faults += stopped(series, value, update_ns, quantum_j, gauge)
        change_ns, change_j = _step_times(series, value, round(age_s * 1e9))
        slope_w = _register_slope_w(change_ns, change_j, update_ns, gauge)
    else:
        faults += frozen(series, value, update_ns, quantum_j, gauge)
        period_ns = round(test.update_period_s * 1e9) if test.update_period_s else update_ns
        change_ns, change_j = _update_times(series, value, period_ns)
        rises = np.diff(value) / np.maximum(np.diff(series.t_ns), update_ns)
        slope_w = float(np.max(rises, initial=0.0)) * 1e9
    fastest_w = CEILING_OVER_SLOPE * slope_w or CEILING_UNKNOWN_W
    if not info.is_register and not age_s:
        # a burst shorter than an update leaves a gentle slope: what the device can draw bounds it
        fastest_w = max(fastest_w, most_w or UNKNOWN_MOST_W)
    slack_w = min(ceiling_w or CEILING_UNKNOWN_W, fastest_w)
    return Counter(
        series,
        value,
        quantum_j,
        update_ns,
        ceiling_w,
        slack_w,
        change_ns,
        change_j,
        # what the reading says of itself comes before what its value seems to be
        tuple(sorted(told + faults, key=lambda fault: fault[1])),
        age_s,
        info.is_register,
    )


def _ceiling_w(series: Series, stated_w: float | None, gauge: Series | None, update_ns: int) -> float | None:
    """Return more watts than the device can draw; null where it states no maximum.

    Stated limits of processor packages may lie below what they draw in turbo, so a counter that is steadily
    faster than the statement lifts the ceiling; one jump does not (75th percentile), and a thousand times the
    statement is a wrong unit.
    """
    if not stated_w:
        return None
    candidates = [CEILING_OVER_MAX * stated_w]
    if gauge is not None:
        candidates.append(CEILING_OVER_SLOPE * float(np.max(gauge.value)))
    rises_w = np.diff(series.value) / (np.maximum(np.diff(series.t_ns), update_ns) * 1e-9)
    rises_w = rises_w[rises_w > 0]
    if len(rises_w) >= ENOUGH_RISES:
        candidates.append(CEILING_OVER_SLOPE * float(np.percentile(rises_w, 75)))
    return min(max(candidates), FARTHEST_OVER_MAX * stated_w, CEILING_UNKNOWN_W)


def _step_j(raw: Floats, stated_j: float) -> float:
    """Return the step of a register: a multiple of the stated one where all its rises are such multiples.

    What a home server or an exporter prints has more digits than the register behind it counts.
    """
    rises = np.diff(raw)
    rises = rises[rises > 0]
    if not len(rises) or stated_j <= 0 or float(np.max(rises)) / stated_j > MOST_STEPS:
        return stated_j
    return stated_j * max(1, int(np.gcd.reduce(np.rint(rises / stated_j).astype(np.int64))))


def _renewal_s(series: Series, quantum_j: float) -> float:
    """Return how often a register is renewed, where its rises tell: rises of many steps come with the clock.

    0 where they do not tell. A page may be renewed less often than its exporter is known for.
    """
    starts, _ = plateaus(np.maximum.accumulate(series.value))
    if len(starts) < STEPS_TO_PACE + 1 or quantum_j <= 0:
        return 0.0
    rises = np.diff(series.value[starts])
    if float(np.median(rises)) < CLOCKED_STEPS * quantum_j:
        return 0.0
    return float(np.percentile(np.diff(series.t_ns[starts]), 90)) * 1e-9


def _step_times(series: Series, value: Floats, age_ns: int) -> tuple[Floats, Floats]:
    """Estimate when a register made each step: points (ns, J) at which its energy is known.

    A step happened between what the last read of the value before shows and the first read of the new one.
    The value of the first read is no step: where in its step the register was then is not known.
    """
    starts, lasts = plateaus(value)
    if len(starts) < 2:
        return series.t_ns[:1].astype(np.float64), value[:1]
    not_before = series.begin_ns[lasts[:-1]] - age_ns
    middle = np.maximum.accumulate((not_before + series.t_ns[starts[1:]]) / 2)
    return middle, value[starts[1:]]


def _register_slope_w(change_ns: Floats, change_j: Floats, update_ns: int, gauge: Series | None) -> float:
    """Return the highest power that a register showed between two steps, or the gauge beside it (W)."""
    steps_s = np.maximum(np.diff(change_ns), update_ns) * 1e-9
    slope_w = float(np.max(np.diff(change_j) / steps_s, initial=0.0))
    return slope_w if gauge is None else max(slope_w, float(np.max(gauge.value)))


def _update_times(series: Series, value: Floats, period_ns: int) -> tuple[Floats, Floats]:
    """Estimate when the counter took each value: points (ns, J) to interpolate between.

    The update that made value i happened after the last read of the value before, at most one period before
    the first read of value i and at most one before the last read of it; and, where the next value was seen,
    at least one period before that. The estimate is the middle of what is left. One more point goes on at
    the last slope for a period after the last update.
    """
    starts, lasts = plateaus(value)
    seen_ns = series.t_ns[starts].astype(np.float64)
    not_before = np.maximum(seen_ns, series.begin_ns[lasts]) - period_ns
    not_before[1:] = np.maximum(not_before[1:], series.begin_ns[starts[1:] - 1])
    not_after = seen_ns.copy()
    not_after[:-1] = np.minimum(seen_ns[:-1], seen_ns[1:] - period_ns)
    middle = np.maximum.accumulate((not_before + not_after) / 2)
    change_j = value[starts]
    if len(middle) < 2 or middle[-1] <= middle[-2]:
        return middle, change_j
    slope = (change_j[-1] - change_j[-2]) / (middle[-1] - middle[-2])
    return np.append(middle, middle[-1] + period_ns), np.append(change_j, change_j[-1] + slope * period_ns)
