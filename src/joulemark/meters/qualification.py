"""The self-test of a source: a counter is qualified before it is believed.

The source is read as fast as is fair for a few seconds. What the test sees: how often the counter is updated,
whether it moves, whether it goes backwards, and whether its joules agree with the power gauge of the same
source. Drivers have been seen to fail each of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from joulemark.meters.evidence import Evidence, judge
from joulemark.meters.notes import VIRTUAL_MACHINE, has_note
from joulemark.meters.source import Source, SourceLost
from joulemark.record.clock import Clock
from joulemark.record.meter import Qualification, SourceInfo, Trust
from joulemark.record.telemetry import Quantity, Reading

DEFAULT_POLL_S = 0.2
_LONGEST_TEST_S = 5.0
_FASTEST_STEP_S = 0.001
_MIN_UPDATES = 5  # below this the test goes on, up to its longest
_STEPS_PER_UPDATE = 20  # an edge is then known to 5 % of the period
_FASTEST_POLL_S = 0.02
_SAFE_SHARE_OF_WRAP = 0.45
_UNKNOWN_MAX_W = 2000.0  # no board or package of today draws more


def qualify(
    source: Source,
    clock: Clock,
    *,
    duration_s: float = 2.0,
    max_duration_s: float = _LONGEST_TEST_S,
    segment: int = 0,
) -> Qualification:
    """Test ``source`` for ``duration_s``, at most ``max_duration_s`` where few updates came.

    The source is left open. ``qualified``: it moved and agreed (or it was too idle to disagree, and
    ``reason`` says so). ``suspect``: it answered, but not believably; where the reason begins with
    ``counter``, its gauge may still be good. ``absent``: it gave neither energy nor power, or was lost.
    """
    watch = _Watch(source, clock, segment)
    lost = None
    try:
        watch.run(duration_s, max_duration_s)
    except SourceLost as error:
        lost = str(error) or "lost"
    evidence = Evidence.of(watch.readings, source.info)
    tested_s = evidence.duration_s
    if lost is not None:
        return Qualification(Trust.ABSENT, f"lost: {lost}", duration_s=tested_s, reads=evidence.reads)
    trust, reason = judge(evidence, source.info)
    if trust is Trust.QUALIFIED and has_note(source.info, VIRTUAL_MACHINE):
        trust, reason = Trust.SUSPECT, "a virtual machine: the hypervisor's value need not be the hardware's"
    return Qualification(
        trust=trust,
        reason=reason,
        update_period_s=evidence.update_period_s,
        update_period_max_s=evidence.update_period_max_s,
        counter_over_power=evidence.counter_over_power,
        mean_power_w=evidence.mean_power_w,
        duration_s=tested_s,
        reads=evidence.reads,
        poll_period_s=poll_period_s(source.info, evidence),
    )


def poll_period_s(info: SourceInfo, evidence: Evidence) -> float:
    """Return how often to sample: 0.2 s, faster only where something would be lost.

    A meter that limits how often it is read is read that often. A counter must be read more than twice a
    wrap at full power. A gauge with no window and no counter behind it must be read with each of its updates,
    since nothing else sees what lies between.
    """
    period_s = DEFAULT_POLL_S
    if info.read_period_s is not None:
        return max(period_s, info.read_period_s)
    if info.counter_modulus_j is not None:
        wrap_s = info.counter_modulus_j / (info.power_max_w or _UNKNOWN_MAX_W)
        period_s = min(period_s, _SAFE_SHARE_OF_WRAP * wrap_s)
    if not evidence.has_counter and info.power_window_s == 0 and evidence.update_period_s is not None:
        period_s = min(period_s, max(_FASTEST_POLL_S, evidence.update_period_s))
    return period_s


@dataclass
class _Watch:
    """Reads a source in steps that adapt to its cost and to its update period."""

    source: Source
    clock: Clock
    segment: int
    readings: list[Reading] = field(default_factory=list)
    _updates: int = 0

    def run(self, duration_s: float, max_duration_s: float) -> None:
        begin_ns = self.clock.now_ns()
        slowest_s = self.source.info.read_period_s or 0.0
        step_s = max(_FASTEST_STEP_S, slowest_s)
        while True:
            elapsed_s = (self.clock.now_ns() - begin_ns) * 1e-9
            enough = self._updates >= _MIN_UPDATES and elapsed_s >= duration_s
            if enough or elapsed_s >= max_duration_s:
                return
            self._take()
            if self._updates >= _MIN_UPDATES:
                step_s = max(_FASTEST_STEP_S, slowest_s, elapsed_s / self._updates / _STEPS_PER_UPDATE)
            # at most a third of the time goes into reading, whatever a read costs
            self.clock.sleep_s(max(step_s, 2e-9 * self.readings[-1].read_ns))

    def _take(self) -> None:
        reading = self.source.read(self.segment)
        if self.readings and _watched(reading) != _watched(self.readings[-1]):
            self._updates += 1
        self.readings.append(reading)


def _watched(reading: Reading) -> float | None:
    value = reading.values.get(Quantity.ENERGY_J)
    return reading.values.get(Quantity.POWER_W) if value is None else value
