"""How often a source tells something new, by what is known of it and by its own readings.

A page, a cache and a home server show one value until the next. What is stated of that
(``SourceInfo.value_age_s``) is believed no further than the readings go: where a counter ought to have moved
and stood, it was not renewed, and where its gauge stood with it, the gauge was not renewed either.

A counter ought to move where its rises are of many steps each, so that the clock makes them and not the
energy; where it never rose, where the gauge beside it saw many steps' worth.

A gauge alone, of a page or a network, shows its rhythm where its values stand for many reads each and for
about as long, or a few times as long (a value may come twice): powers that truly stand still do so for as
long as they like, and real gauges have noise. Where it does not show one, its age is only stated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.record.meter import QualifiedSource, SourceInfo
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.counter_faults import FROZEN_QUANTA
from joulemark.telemetry.timeline import Floats, Ints, Timeline, Track

FEW_RENEWALS = 3
"""What is shorter than so many renewals has no energy of its own.

From three on a whole renewal lies within a window for certain. In simulation (bursts of 0.3 to 6 s, a page
that is renewed every 5 s) nine of ten counter energies are then within 11 % of the truth; of two renewals
most have no lower bound at all.
"""

CLOCKED_STEPS = 4
USUAL_TIMES = 3.0  # what stands for longer than so many times the median is a stop, not the rhythm
READS = 2  # what is read oftener than so many times a renewal only repeats itself
STOOD_S = 3.0
MANY_READS = 4
ALIKE = 0.2  # of a rhythm
MOST_ALIKE = 3  # renewals in a row with the same value
DEVICE_RHYTHM_S = 1.0  # no counter of a device is renewed more seldom


@dataclass(frozen=True, slots=True)
class Renewal:
    """How old what a source shows may be (s), by its declaration or its readings, whichever is more.

    ``counter_s`` is that of its counter, ``gauge_s`` of its gauge; 0 where every reading may be new.
    ``is_stated``: of the gauge nothing but the declaration is known.
    ``stood`` are the stretches (from, until; ns) in which both stood beyond that although power was drawn:
    nothing that was shown there is known to be of that time.
    """

    counter_s: float
    gauge_s: float
    stood: tuple[tuple[int, int], ...] = ()
    is_stated: bool = False


def renewal_of(timeline: Timeline, source: QualifiedSource, segment: int) -> Renewal:
    """Return how often ``source`` told something new in a segment; it is kept with the timeline."""
    key = ("renewal", segment, source)
    known = timeline.prepared.get(key)
    if not isinstance(known, Renewal):
        track = timeline.track(segment, source.info.name)
        known = timeline.prepared[key] = _renewal(track, source)
    return known


def _renewal(track: Track | None, source: QualifiedSource) -> Renewal:
    info, poll_s, known_s = source.info, source.qualification.poll_period_s, _known_s(source)
    declared = Renewal(info.value_age_s, info.value_age_s)
    if track is None:
        return declared
    if (energy_j := track.values.get(Quantity.ENERGY_J)) is None:
        return _alone(track, info, poll_s) or declared
    power_w = track.values.get(info.power_quantity) if info.power_quantity is not None else None
    read = ~np.isnan(energy_j)
    if not np.any(read):
        return declared
    begin_ns, end_ns, energy_j = track.begin_ns[read], track.t_ns[read], energy_j[read]
    watts = power_w[read] if power_w is not None else np.full(len(energy_j), np.nan)
    moved = np.diff(energy_j) != 0
    page = _Standing.of(begin_ns, end_ns, moved | (np.diff(watts) != 0) if power_w is not None else moved)
    # a counter that never moved beside a gauge that did has stopped, and says nothing of its page
    counter = _Standing.of(begin_ns, end_ns, moved) if np.any(moved) else page
    counter_s = gauge_s = info.value_age_s
    if _ought_to_move(energy_j, watts, counter, info):
        counter_s = _age_s(counter, info, poll_s, known_s)
        gauge_s = _age_s(page, info, poll_s, known_s) if power_w is not None else gauge_s
    return Renewal(counter_s, gauge_s, _stood(page, max(gauge_s, poll_s), watts, info))


def _alone(track: Track, info: SourceInfo, poll_s: float) -> Renewal | None:
    """Return the rhythm of a gauge without a counter; null for one of the device, which is read as it is."""
    power_w = track.values.get(info.power_quantity) if info.power_quantity is not None else None
    if power_w is None or info.read_period_s is None or not info.value_age_s:
        return None
    read = ~np.isnan(power_w)
    if not np.any(read):
        return None
    standing = _Standing.of(track.begin_ns[read], track.t_ns[read], np.diff(power_w[read]) != 0)
    rhythm_s, confirmed_s = standing.rhythm_s(poll_s), max(info.value_age_s, READS * poll_s)
    if rhythm_s > confirmed_s:
        return Renewal(0.0, rhythm_s + poll_s)
    return Renewal(0.0, info.value_age_s, is_stated=not standing.moves_within(confirmed_s + poll_s))


@dataclass(frozen=True, slots=True)
class _Standing:
    """The stretches in which values stood, in order; all arrays have one entry a stretch.

    ``first`` and ``last`` index the readings that showed the same, ``from_ns`` is the end of the first one,
    ``until_ns`` that of the reading after the last one, and ``held_s`` for how long at least they stood.
    """

    first: Ints
    last: Ints
    from_ns: Ints
    until_ns: Ints
    held_s: Floats

    @classmethod
    def of(cls, begin_ns: Ints, end_ns: Ints, new: NDArray[np.bool_]) -> _Standing:
        """``new``: whether each reading but the first shows something else than the one before."""
        first = np.concatenate(([0], np.flatnonzero(new) + 1))
        last = np.concatenate((first[1:] - 1, [len(end_ns) - 1]))
        until_ns = end_ns[np.minimum(last + 1, len(end_ns) - 1)]
        held_s: Floats = np.maximum(begin_ns[last] - end_ns[first], 0) * 1e-9
        return cls(first, last, end_ns[first], until_ns, held_s)

    @property
    def usual_s(self) -> float:
        """The longest that is no outlier."""
        usual = self.held_s <= USUAL_TIMES * np.median(self.held_s)
        return float(np.max(self.held_s[usual], initial=0.0))

    def rhythm_s(self, poll_s: float) -> float:
        """Return the longest time from one new value to the next, where they come by the clock; 0 elsewhere.

        Of the first and the last value only a part was seen: neither may have stood for longer. With one new
        value alone, the rhythm is at least what the longer one stood.
        """
        if len(self.first) < 2 or (len(self.first) == 2 and self._longest_s < STOOD_S):
            return 0.0
        apart_s = np.diff(self.from_ns[1:]) * 1e-9
        shortest_s = float(np.min(apart_s, initial=self._longest_s)) if len(apart_s) else self._longest_s
        if shortest_s < MANY_READS * poll_s:
            return 0.0
        times = np.maximum(np.rint(apart_s / shortest_s), 1.0)
        off_s = np.abs(apart_s - times * shortest_s)
        ends_s = float(max(self.held_s[0], self.held_s[-1]))
        by_clock = np.all(off_s <= READS * poll_s + ALIKE * shortest_s * times) and np.all(
            times <= MOST_ALIKE
        )
        if not by_clock or ends_s > MOST_ALIKE * shortest_s + READS * poll_s:
            return 0.0
        return float(np.max(apart_s[times == 1], initial=shortest_s))

    def moves_within(self, seconds: float) -> bool:
        """Tell whether most new values came so soon after the one before."""
        apart_s = np.diff(self.from_ns[1:]) * 1e-9
        return len(apart_s) > 0 and float(np.median(apart_s)) <= seconds

    @property
    def _longest_s(self) -> float:
        return float(np.max(self.held_s))


def _age_s(standing: _Standing, info: SourceInfo, poll_s: float, known_s: float) -> float:
    """Return the declared age, or the observed one, which is known to a poll, where that contradicts it."""
    seen_s = standing.usual_s
    return seen_s + poll_s if seen_s > max(info.value_age_s, READS * poll_s, known_s) else info.value_age_s


def _known_s(source: QualifiedSource) -> float:
    """Return the rhythm of a device's own counter by its self-test: followed at its edges, it is not old."""
    test = source.qualification
    update_s = test.update_period_max_s or test.update_period_s
    if source.info.is_register or source.info.value_age_s or update_s is None:
        return 0.0
    return min(USUAL_TIMES * update_s, DEVICE_RHYTHM_S)


def _ought_to_move(energy_j: Floats, watts: Floats, counter: _Standing, info: SourceInfo) -> bool:
    rises = np.diff(energy_j)
    rises = rises[rises > 0]
    if len(rises):
        return float(np.median(rises)) >= CLOCKED_STEPS * info.counter_quantum_j
    return _drew(watts, float(np.max(counter.held_s)), info)


def _stood(page: _Standing, usual_s: float, watts: Floats, info: SourceInfo) -> tuple[tuple[int, int], ...]:
    long = np.flatnonzero(page.held_s > max(USUAL_TIMES * usual_s, STOOD_S))
    return tuple(
        (int(page.from_ns[i]), int(page.until_ns[i]))
        for i in long
        if _drew(watts[page.first[i] : page.last[i] + 1], float(page.held_s[i]), info)
    )


def _drew(watts: Floats, seconds: float, info: SourceInfo) -> bool:
    """Tell whether a gauge saw so much that a counter would have shown it."""
    powers = watts[watts > 0]
    return bool(len(powers)) and float(np.min(powers)) * seconds > FROZEN_QUANTA * info.counter_quantum_j
