"""A power gauge integrated over windows, and how far off that can be.

A gauge that averages over the trailing window w shows G(t) = (1/w) ∫_{t-w}^{t} P, and what is read is up to
one driver update u old. Integrating over the window moved by w/2 + u/2 weighs P by 1 inside, 0 outside, by a
ramp within ±w/2 of each edge, and may sit u/2 too early or late; with R the range of P around an edge the
error there is at most (w/8 + u/2) R.

Between samples the trapezoid rule knows nothing. The error of an interval of length h is taken as random
with the variance that successive differences d show, (h d)²/2 (von Neumann 1941), independent from interval
to interval, because polls are moved about so that they do not beat with the load. A window of few intervals
has too few differences of its own and takes R²/4, the most that a power within R can vary, less what the
averaging allows. `Z` times the root of the sum is what holds in 99 % of cases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.meters.nvml.plan import AVERAGE_WINDOW_S
from joulemark.record.meter import QualifiedSource
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.cadence import DEFAULT_UPDATE_S, GAP_POLLS, POLL_JITTER
from joulemark.telemetry.timeline import Floats, Ints, Series

Z = 3.0
GAP_S = 3.0
SLOPE_MARGIN = 1.5  # samples show less than the steepest slope of a gauge
HIDDEN_SHARE = 0.2  # of the peak: what a load faster than the gauge may swing unseen
POOL = 5  # samples on either side of an edge that tell the range there
FEW = 20  # intervals; fewer do not tell their own variance
MIN_STEP_S = 1e-3


@dataclass(frozen=True, slots=True)
class Area:
    """Energy under the gauge for each window: joules with a bound; what lies outside or over a gap.

    ``first`` and ``last`` index the samples used, which are those of `Gauge.series`.
    """

    joules: Floats
    lo: Floats
    hi: Floats
    outside: NDArray[np.bool_]
    gap: NDArray[np.bool_]
    first: Ints
    last: Ints


@dataclass(frozen=True, slots=True)
class Gauge:
    """A power series made ready for integration. Times in seconds since ``origin_ns``; shifted, see above.

    ``series`` holds the readings that are samples: those that only repeat one are left out of it.
    """

    series: Series
    origin_ns: int
    at_s: Floats
    watts: Floats
    window_s: float
    lag_s: float
    gap_s: float
    hold_s: float
    peak_w: float
    area_j: Floats
    spread_j2: Floats
    square_s2: Floats

    def between(self, t0_ns: Ints, t1_ns: Ints) -> Area:
        """Integrate over each window."""
        start_s: Floats = np.multiply(t0_ns - self.origin_ns, 1e-9, dtype=np.float64)
        stop_s: Floats = np.multiply(t1_ns - self.origin_ns, 1e-9, dtype=np.float64)
        last_at = len(self.at_s) - 1
        first = np.clip(np.searchsorted(self.at_s, start_s, side="right") - 1, 0, last_at)
        last = np.clip(np.searchsorted(self.at_s, stop_s, side="left"), 0, last_at)
        joules = self._cumulative_j(stop_s) - self._cumulative_j(start_s)

        range_w = np.maximum(self._range_w(start_s), self._range_w(stop_s))
        sampling_j = Z * np.sqrt(self._spread_j2(first, last, range_w))
        edges_j = 2 * (self.window_s / 8 + self.lag_s / 2) * range_w
        held_s = np.maximum(self.at_s[0] - start_s, 0) + np.maximum(stop_s - self.at_s[-1], 0)
        error_j = sampling_j + edges_j + held_s * self.peak_w
        span_j = self.peak_w * (stop_s - start_s)
        lo = np.maximum(joules - error_j, 0.0)
        hi = np.maximum(np.minimum(joules + error_j, span_j), joules)

        outside = (start_s < self.at_s[0] - self.hold_s) | (stop_s > self.at_s[-1] + self.hold_s)
        wide = np.concatenate(([0], np.cumsum(np.diff(self.at_s) > self.gap_s)))
        return Area(joules, lo, hi, outside, wide[last] > wide[first], first, last)

    def _cumulative_j(self, at_s: Floats) -> Floats:
        """Return the integral from the first sample; beyond the ends the nearest sample is held."""
        i = np.clip(np.searchsorted(self.at_s, at_s, side="right") - 1, 0, len(self.at_s) - 1)
        since_s = at_s - self.at_s[i]
        here_w = np.interp(at_s, self.at_s, self.watts)
        area_j: Floats = self.area_j[i] + since_s * (self.watts[i] + here_w) / 2
        return area_j

    def _spread_j2(self, first: Ints, last: Ints, range_w: Floats) -> Floats:
        """Return the variance of the sampling error of each window."""
        own = self.spread_j2[last] - self.spread_j2[first]
        square_s2 = self.square_s2[last] - self.square_s2[first]
        length_s = self.at_s[last] - self.at_s[first]
        # As many equal intervals would have the same sum of squares: reads close together count for little.
        typical_s = square_s2 / np.maximum(length_s, MIN_STEP_S)
        few = length_s < FEW * typical_s
        seen = np.minimum(typical_s / self.window_s, 1.0) if self.window_s else 1.0
        spread_j2: Floats = np.where(few, np.maximum(own, square_s2 * (seen * range_w / 2) ** 2), own)
        return spread_j2

    def _range_w(self, at_s: Floats) -> Floats:
        """Return the range of the power around each instant, from the samples near by and their slopes.

        An average over w that moves at s watts a second holds power that differs by s w. A load that is much
        faster than w hardly shows, hence the floor.
        """
        reach_s = self.window_s + self.lag_s
        left = np.minimum(np.searchsorted(self.at_s, at_s - reach_s), np.searchsorted(self.at_s, at_s) - POOL)
        right = np.maximum(
            np.searchsorted(self.at_s, at_s + reach_s, side="right"), np.searchsorted(self.at_s, at_s) + POOL
        )
        found = np.empty(len(at_s))
        for i, (a, b) in enumerate(zip(left, right, strict=True)):
            found[i] = self._local_range_w(max(int(a), 0), int(b))
        return np.clip(found, HIDDEN_SHARE * self.peak_w, self.peak_w)

    def _local_range_w(self, a: int, b: int) -> float:
        watts, at_s = self.watts[a:b], self.at_s[a:b]
        if len(watts) < 2:
            return self.peak_w
        range_w = float(np.ptp(watts))
        if not self.window_s:
            return range_w
        steepest = np.max(np.abs(np.diff(watts)) / np.maximum(np.diff(at_s), self.lag_s or MIN_STEP_S))
        return SLOPE_MARGIN * max(range_w, float(steepest) * self.window_s)


def _update_s(series: Series, at_most_s: float) -> float:
    """Estimate how long the driver holds a gauge value, from reads that follow each other closely.

    Two reads dt apart differ with probability dt/u; so u is the time between reads over the changes seen.
    Only reads count whose neighbours differ: under steady power an update changes nothing.
    """
    value, apart_s = series.value, np.diff(series.t_ns) * 1e-9
    outer = np.concatenate((value[:1], value, value[-1:]))
    counted = (apart_s < at_most_s) & (outer[:-3] != outer[3:])
    changes = int(np.count_nonzero(np.diff(value)[counted]))
    return min(at_most_s, float(np.sum(apart_s[counted])) / changes) if changes else at_most_s


def renewals(series: Series, age_ns: int) -> Series:
    """Return the readings that tell something new, where a gauge is read oftener than it is renewed.

    The first reading of each value, and of a value that stays one reading an age: what is read in between
    repeats a sample and would pass for knowledge of the power at that time.
    """
    fresh = np.diff(series.value, prepend=np.nan) != 0  # the first is too: it differs from nothing
    at, run = np.flatnonzero(fresh), np.cumsum(fresh) - 1
    since_ns = series.t_ns - series.t_ns[at[run]]
    until_ns = np.append(series.t_ns[at[1:]], series.t_ns[-1] + age_ns)[run] - series.t_ns
    # a repeat right before the next value would pass for a sample from which the power leapt in no time
    kept = fresh | ((np.diff(since_ns // max(age_ns, 1), prepend=0) > 0) & (until_ns >= age_ns))
    kept[-1] = True  # how far the gauge was heard
    return series.only(np.flatnonzero(kept))


def read_gauge(
    series: Series,
    source: QualifiedSource,
    quantity: str = Quantity.POWER_W,
    *,
    renewal_s: float = 0.0,
    limit_w: float | None = None,
) -> Gauge:
    """Prepare the power readings of ``source`` for integration.

    ``renewal_s`` is how old they were seen to be, ``limit_w`` the highest power limit that was read.
    """
    info, test = source.info, source.qualification
    poll_s, age_s = test.poll_period_s, max(info.value_age_s, renewal_s)
    max_w = info.power_max_w or limit_w
    lag_s = max(_update_s(series, test.update_period_s or DEFAULT_UPDATE_S), age_s)
    if age_s > poll_s:
        series = renewals(series, round(age_s * 1e9))
        poll_s = age_s
    elif not age_s and test.update_period_s:
        # at an edge a value is read many times; polls, which are at least so far apart, stay
        series = renewals(series, round((1 - POLL_JITTER) * test.update_period_s * 1e9))
    window_s = AVERAGE_WINDOW_S if quantity == Quantity.POWER_AVERAGE_W else info.power_window_s or 0.0
    origin_ns = int(series.t_ns[0])
    middle_ns = (series.t_ns + series.begin_ns) / 2 - origin_ns
    at_s = middle_ns * 1e-9 - window_s / 2 - lag_s / 2
    watts = np.maximum(series.value, 0.0)
    step_s = np.diff(at_s)
    area_j = np.concatenate(([0.0], np.cumsum(step_s * (watts[1:] + watts[:-1]) / 2)))
    spread_j2 = np.concatenate(([0.0], np.cumsum((step_s * np.diff(watts)) ** 2 / 2)))
    square_s2 = np.concatenate(([0.0], np.cumsum(step_s**2)))
    # what no device of its kind draws says nothing of this one: it would widen every bound of the run
    plausible_w = watts[watts <= info.power_ceiling_w]
    seen_w = float(np.max(plausible_w if len(plausible_w) else watts))
    return Gauge(
        series,
        origin_ns,
        at_s,
        watts,
        window_s,
        lag_s,
        max(GAP_POLLS * poll_s, GAP_S),
        window_s / 2 + lag_s / 2 + poll_s,
        max(max_w, seen_w) if max_w else 2 * seen_w,
        area_j,
        spread_j2,
        square_s2,
    )
