"""What one source saw in a stretch of time, by each of its ways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from joulemark.live.history import SEGMENT
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.meter import QualifiedSource
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity

if TYPE_CHECKING:
    from joulemark.telemetry.timeline import Timeline

SHARED_BOARD = "shared_board"  # a flag: the joules are the whole board's, of everybody on it
_NO_COUNTER = Withheld(Reason.NOT_APPLICABLE, "The source has no energy counter.")
_NO_GAUGE = Withheld(Reason.NOT_APPLICABLE, "The source has no power gauge.")
_FORKED = Withheld(Reason.NO_SAMPLES, "This process was forked from the one that has the meters.")


@dataclass(frozen=True, slots=True)
class SourceEnergy:
    """What one source saw in a stretch: by its counter or register, and by its power, integrated."""

    source: QualifiedSource
    counter: MeasuredOrWithheld
    integrated: MeasuredOrWithheld

    @property
    def best(self) -> MeasuredOrWithheld:
        """The counter's figure where there is one, else the integral, else why there is neither."""
        if isinstance(self.counter, MeasuredEnergy):
            return self.counter
        if isinstance(self.integrated, MeasuredEnergy) or self.counter.reason is Reason.NOT_APPLICABLE:
            return self.integrated
        return self.counter

    @property
    def believed(self) -> SourceEnergy:
        """The same without the figures of a way that did not pass the source's self-test."""
        test = self.source.qualification
        doubt = Withheld(Reason.METER_NOT_QUALIFIED, test.reason or "")
        counter, integrated = self.counter, self.integrated
        return replace(
            self,
            counter=counter if test.counter_ok or isinstance(counter, Withheld) else doubt,
            integrated=integrated if test.gauge_ok or isinstance(integrated, Withheld) else doubt,
        )


def source_energy(timeline: Timeline, source: QualifiedSource, t0_ns: int, t1_ns: int) -> SourceEnergy:
    """Return what ``source`` saw from ``t0_ns`` to ``t1_ns`` (monotonic ns).

    Where counter and power cannot both be right, neither is told, as in a run.
    """
    from joulemark.live.device import is_shared
    from joulemark.metrics.drift import contradiction
    from joulemark.telemetry.interval import energy_between, integrated_between

    counter: MeasuredOrWithheld = _NO_COUNTER
    integrated: MeasuredOrWithheld = _NO_GAUGE
    if Quantity.ENERGY_J in source.info.quantities:
        counter = energy_between(timeline, source, SEGMENT, t0_ns, t1_ns)
    if (quantity := source.info.power_quantity) is not None:
        integrated = integrated_between(timeline, source, SEGMENT, t0_ns, t1_ns, quantity)
    if (why := contradiction(counter, integrated)) is not None:
        counter = integrated = why
    if is_shared(source.info):
        counter, integrated = _shared(counter), _shared(integrated)
    return SourceEnergy(source, counter, integrated)


def _shared(energy: MeasuredOrWithheld) -> MeasuredOrWithheld:
    if isinstance(energy, Withheld):
        return energy
    return replace(energy, flags=tuple(sorted({*energy.flags, SHARED_BOARD})))


def forked(source: QualifiedSource) -> SourceEnergy:
    """Return what a forked child may say of its parent's meters: nothing."""
    return SourceEnergy(source, _FORKED, _FORKED)
