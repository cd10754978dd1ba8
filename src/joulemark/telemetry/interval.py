"""Energy between two instants of a timeline: a measured interval, or a reason why there is none.

The bounds and what their 99 % rests on are derived in ``docs/adr/0003-energy-bounds.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Method, Withheld
from joulemark.record.meter import AGE_STATED, QualifiedSource, Trust
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.counter import Counter, read_counter
from joulemark.telemetry.gauge import Gauge, read_gauge
from joulemark.telemetry.renewal import renewal_of
from joulemark.telemetry.row_flags import SLEPT
from joulemark.telemetry.short_windows import (
    seconds_stood,
    too_few_renewals,
    uncounted,
    why_stood,
    why_too_few,
    why_uncounted,
)
from joulemark.telemetry.timeline import Ints, Series, Timeline, Track

EDGE_EXTRAPOLATED = "edge_extrapolated"
KNOWN_SHARE = (
    0.8  # of a gauge's readings must be powers: a clamp the wrong way round is no gauge of this device
)


def energy_between(
    timeline: Timeline, source: QualifiedSource, segment: int, t0_ns: int, t1_ns: int
) -> MeasuredOrWithheld:
    """Return the energy that the counter of ``source`` saw from ``t0_ns`` to ``t1_ns`` (monotonic ns)."""
    return energies_between(timeline, source, segment, [t0_ns], [t1_ns])[0]


def integrated_between(
    timeline: Timeline,
    source: QualifiedSource,
    segment: int,
    t0_ns: int,
    t1_ns: int,
    quantity: str = Quantity.POWER_W,
) -> MeasuredOrWithheld:
    """Return the energy under the power gauge of ``source`` from ``t0_ns`` to ``t1_ns`` (monotonic ns)."""
    return integrals_between(timeline, source, segment, [t0_ns], [t1_ns], quantity)[0]


def energies_between(
    timeline: Timeline,
    source: QualifiedSource,
    segment: int,
    t0s_ns: Sequence[int] | Ints,
    t1s_ns: Sequence[int] | Ints,
) -> list[MeasuredOrWithheld]:
    """Return the counter energy of each window ``[t0s_ns[i], t1s_ns[i]]``; cost is that of a search a window.

    The method is ``meter`` for an energy register. What is too short for the source is withheld, see
    `short_windows.uncounted`. Raises ``ValueError`` for a window that ends before it begins.
    """
    t0_ns, t1_ns = _windows(t0s_ns, t1s_ns)
    if not source.qualification.counter_ok:
        return _all(Withheld(Reason.METER_NOT_QUALIFIED, source.qualification.reason or ""), len(t0_ns))
    counter = prepared_counter(timeline, source, segment)
    track = timeline.track(segment, source.info.name)
    if counter is None or track is None:
        return _all(Withheld(_why_none(timeline, track, segment)), len(t0_ns))
    series = counter.series
    begin, end = counter.at(t0_ns), counter.at(t1_ns)
    low = np.maximum(end.lo - begin.hi, 0.0)
    high = np.maximum(end.hi - begin.lo, 0.0)
    outside = ~np.isfinite(begin.lo) | ~np.isfinite(high)
    if counter.ceiling_w is not None:
        high = np.minimum(high, np.maximum(counter.ceiling_w * (t1_ns - t0_ns) * 1e-9, low))
    joules = np.clip(end.estimate - begin.estimate, low, high)
    age_s = max(counter.age_s, renewal_of(timeline, source, segment).counter_s)
    poll_s = source.qualification.poll_period_s
    short = uncounted(counter, age_s, poll_s, t1_ns - t0_ns, low, joules)
    bits = _flag_bits(series.flag_bits, begin.first, end.last)
    faults = _first_fault(counter, begin.first, end.last)
    extrapolated = begin.extrapolated | end.extrapolated
    method = Method.METER if source.info.is_register else Method.COUNTER
    energies: list[MeasuredOrWithheld] = []
    for i in range(len(t0_ns)):
        if outside[i]:
            energies.append(Withheld(_why_outside(timeline, track, series, segment, int(t1_ns[i]))))
        elif (fault := faults[i]) is not None:
            energies.append(Withheld(fault))
        elif short[i]:
            energies.append(Withheld(Reason.SHORTER_THAN_STEP, why_uncounted(source.info, counter, age_s)))
        else:
            flags = _flags(source, track, int(bits[i]), EDGE_EXTRAPOLATED if extrapolated[i] else None)
            energies.append(
                MeasuredEnergy(
                    float(joules[i]),
                    float(low[i]),
                    float(high[i]),
                    source.info.name,
                    (source.info.scope,),
                    method,
                    flags,
                )
            )
    return energies


def integrals_between(
    timeline: Timeline,
    source: QualifiedSource,
    segment: int,
    t0s_ns: Sequence[int] | Ints,
    t1s_ns: Sequence[int] | Ints,
    quantity: str = Quantity.POWER_W,
) -> list[MeasuredOrWithheld]:
    """Return the integrated power of each window ``[t0s_ns[i], t1s_ns[i]]``.

    Raises ``ValueError`` for a window that ends before it begins.
    """
    t0_ns, t1_ns = _windows(t0s_ns, t1s_ns)
    if not source.qualification.gauge_ok:
        return _all(Withheld(Reason.METER_NOT_QUALIFIED, source.qualification.reason or ""), len(t0_ns))
    series = timeline.series(segment, source.info.name, quantity)
    track = timeline.track(segment, source.info.name)
    if series is None or track is None:
        return _all(Withheld(_why_none(timeline, track, segment)), len(t0_ns))
    told, series = series, powers(series)
    if len(series) < KNOWN_SHARE * len(told):
        share = 1 - len(series) / len(told)
        detail = f"the power gauge reads 0 W or less in {share:.0%} of its readings"
        return _all(Withheld(Reason.METER_NOT_QUALIFIED, detail), len(t0_ns))
    ceiling_w = source.info.power_ceiling_w
    gauge = _gauge(timeline, source, segment, series, quantity)
    area, samples = gauge.between(t0_ns, t1_ns), gauge.series
    renewal = renewal_of(timeline, source, segment)
    few = too_few_renewals(t1_ns - t0_ns, renewal.gauge_s)
    stood_s = seconds_stood(renewal, t0_ns, t1_ns)
    bits = _flag_bits(samples.flag_bits, area.first, area.last)
    slept = _bit(track, SLEPT)
    energies: list[MeasuredOrWithheld] = []
    for i in range(len(t0_ns)):
        if area.outside[i]:
            energies.append(Withheld(_why_outside(timeline, track, series, segment, int(t1_ns[i]))))
        elif bits[i] & slept:
            energies.append(Withheld(Reason.MACHINE_SLEPT))
        elif stood_s[i]:
            energies.append(Withheld(Reason.GAP_TOO_LONG, why_stood(source.info, stood_s[i])))
        elif area.gap[i]:
            energies.append(Withheld(Reason.GAP_TOO_LONG))
        elif few[i]:
            energies.append(Withheld(Reason.SHORTER_THAN_STEP, why_too_few(source.info, renewal.gauge_s)))
        elif (peak_w := float(np.max(samples.value[area.first[i] : area.last[i] + 1]))) > ceiling_w:
            energies.append(Withheld(Reason.POWER_IMPLAUSIBLE, f"{peak_w:,.0f} W"))
        else:
            energies.append(
                MeasuredEnergy(
                    float(area.joules[i]),
                    float(area.lo[i]),
                    float(area.hi[i]),
                    source.info.name,
                    (source.info.scope,),
                    Method.INTEGRATED,
                    _flags(source, track, int(bits[i]), AGE_STATED if renewal.is_stated else None),
                )
            )
    return energies


def powers(series: Series) -> Series:
    """Return the readings of a gauge that are powers: no device draws 0 W or less, so those are not known."""
    return series.only(np.flatnonzero(series.value > 0))


def _limit_w(timeline: Timeline, source: QualifiedSource, segment: int) -> float | None:
    """Return the highest power limit that was read of the source in a segment; null where none was."""
    limits = timeline.series(segment, source.info.name, Quantity.POWER_LIMIT_W)
    highest_w = float(np.max(limits.value)) if limits is not None else 0.0
    return highest_w if highest_w > 0 else None


def _windows(t0s_ns: Sequence[int] | Ints, t1s_ns: Sequence[int] | Ints) -> tuple[Ints, Ints]:
    t0_ns, t1_ns = np.asarray(t0s_ns, np.int64), np.asarray(t1s_ns, np.int64)
    if t0_ns.shape != t1_ns.shape:
        raise ValueError("as many beginnings as ends are needed")
    if np.any(t1_ns < t0_ns):
        raise ValueError("a window cannot end before it begins")
    return t0_ns, t1_ns


def _all(energy: Withheld, n: int) -> list[MeasuredOrWithheld]:
    return [energy] * n


def prepared_counter(timeline: Timeline, source: QualifiedSource, segment: int) -> Counter | None:
    """Return the counter of ``source`` with its faults; null where none was read in the segment.

    It is kept with the timeline, for windows are asked for one by one too.
    """
    key = ("counter", segment, source)
    counter = timeline.prepared.get(key)
    if not isinstance(counter, Counter):
        series = timeline.series(segment, source.info.name, Quantity.ENERGY_J)
        if series is None:
            return None
        gauge = timeline.series(segment, source.info.name, Quantity.POWER_W)
        gauge = powers(gauge) if gauge is not None else None
        if gauge is not None and not len(gauge):
            gauge = None  # a dead gauge is no witness that nothing was drawn
        track = timeline.track(segment, source.info.name)
        names = track.flag_names if track is not None else ()
        counter = timeline.prepared[key] = read_counter(
            series,
            source,
            gauge,
            names,
            renewal_s=renewal_of(timeline, source, segment).counter_s,
            limit_w=_limit_w(timeline, source, segment),
        )
    return counter


def _gauge(timeline: Timeline, source: QualifiedSource, segment: int, series: Series, quantity: str) -> Gauge:
    key = ("gauge", segment, source, quantity)
    gauge = timeline.prepared.get(key)
    if not isinstance(gauge, Gauge):
        gauge = timeline.prepared[key] = read_gauge(
            series,
            source,
            quantity,
            renewal_s=renewal_of(timeline, source, segment).gauge_s,
            limit_w=_limit_w(timeline, source, segment),
        )
    return gauge


def _flag_bits(bits: Ints, first: Ints, last: Ints) -> Ints:
    """Return, for each window, the flags of the reads after ``first`` up to ``last``.

    A flag speaks of the time before its read, so that of the first read lies before the window.
    """
    result = np.zeros(len(first), np.int64)
    present = int(np.bitwise_or.reduce(bits, initial=0))
    for i in range(present.bit_length()):
        if present >> i & 1:
            count = np.concatenate(([0], np.cumsum(bits >> i & 1)))
            result |= (count[last + 1] > count[np.minimum(first, last) + 1]).astype(np.int64) << i
    return result


def _bit(track: Track, flag: str) -> int:
    """Return the bit of a flag; 0 where no reading of the track has it."""
    return 1 << track.flag_names.index(flag) if flag in track.flag_names else 0


def _flags(source: QualifiedSource, track: Track, bits: int, more: str | None) -> tuple[str, ...]:
    if not bits and more is None and source.qualification.trust is Trust.QUALIFIED:
        return ()
    flags = [*track.flags_of(bits)]
    if more is not None:
        flags.append(more)
    if source.qualification.trust is Trust.SUSPECT:
        flags.append("suspect")
    return tuple(sorted(flags))


def _first_fault(counter: Counter, first: Ints, last: Ints) -> list[Reason | None]:
    """Return the first fault that touches the reads from ``first`` to ``last``, a window."""
    found: list[Reason | None] = [None] * len(first)
    for reason, start, stop in counter.faults:
        for i in np.flatnonzero((first < stop) & (last > start)):
            found[i] = found[i] or reason
    return found


def _why_none(timeline: Timeline, track: Track | None, segment: int) -> Reason:
    if track is not None and track.lost_after(0):
        return Reason.METER_LOST
    return Reason.SAMPLER_LOST if timeline.sampler_lost_ns.get(segment) else Reason.NO_SAMPLES


def _why_outside(timeline: Timeline, track: Track, series: Series, segment: int, t1_ns: int) -> Reason:
    """Say why a window is not covered: nobody read, the meter was gone, or it lies elsewhere."""
    last_ns = int(series.t_ns[-1])
    if t1_ns > last_ns and track.lost_after(last_ns):
        return Reason.METER_LOST
    if t1_ns > last_ns and timeline.sampler_lost_after(segment, last_ns):
        return Reason.SAMPLER_LOST
    return Reason.OUTSIDE_TIMELINE
