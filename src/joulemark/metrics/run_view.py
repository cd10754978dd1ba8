"""What the arithmetic is given: one run in memory, read from disk by somebody else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.accuracy import has_real_values
from joulemark.metrics.answer_blocks import AnswerBlocks
from joulemark.metrics.input_aware_fit import InputAwareFit
from joulemark.metrics.occupancy import Occupancy
from joulemark.metrics.segment_loads import SegmentLoads
from joulemark.metrics.steady_state import SteadyState
from joulemark.record.attribution import Attribution, AttributionCheck
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.item import Chunk, Item, Phase
from joulemark.record.meter import QualifiedSource
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import Manifest, Rates

ItemKey = tuple[str, int]


_NO_METER = Withheld(Reason.NO_METER)


@dataclass(frozen=True, slots=True)
class PowerTimeline:
    """Power of one source in one segment, for the report only: no figure is computed from it.

    ``t_ns`` int64[n], monotonic ns of the segment's clock, non-decreasing; ``power_w`` float64[n], NaN where
    the source could not be read. ``derived`` tells power that is a counter's difference quotient.
    """

    source: str
    scope: str
    segment: int
    t_ns: NDArray[np.int64]
    power_w: NDArray[np.float64]
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Slowed:
    """A stretch of one segment in which a driver's counter of a cause of throttling advanced.

    For the report only: ``t0_ns`` and ``t1_ns`` are the readings around it, so it may be shorter.
    ``cause`` is one of those of `RunView.throttle_s`.
    """

    segment: int
    source: str
    cause: str
    t0_ns: int
    t1_ns: int


@dataclass(frozen=True, slots=True)
class EngineGauge:
    """What an engine said of its own batch in one segment.

    ``quantity`` is one of `joulemark.record.telemetry.Quantity` (``requests_running``, ``preemptions``, …);
    ``t_ns`` int64[n], monotonic ns, ascending; ``value`` float64[n], without NaN.
    """

    quantity: str
    segment: int
    t_ns: NDArray[np.int64]
    value: NDArray[np.float64]

    @property
    def steps(self) -> Occupancy:
        """Its readings as a step function: each stands until the next one."""
        return Occupancy(self.t_ns, self.value)


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as plain values. Everything derived in a report comes from here.

    - ``items``: one an item and repeat. Only those of phase ``measure`` count in a figure. Those of phase
      ``abandoned`` were in flight when a segment ended: stamps without a verdict, which take part in
      shares of energy and in nothing else.
    - ``chunks``: by ``Item.key``; needed for chunk gaps only.
    - ``headline_energy``: metered energy of all ``measure`` windows together, of the headline scopes: failed
      and retried work and the gaps between items included. Withheld with the reason where there is none.
    - ``headline_scope``, ``headline_method``: which rows of ``attributions`` belong to the headline.
    - ``other_energy``: the same windows as other sources saw them, by ``source · scope``; never summed.
    - ``integrated_energy``: the headline scopes' *power* integrated over the same windows; it stands
      against a counter headline as drift.
    - ``attributions``, ``checks``: see `joulemark.metrics.attribution`; all methods and scopes.
    - ``blocks``: energies of consecutive answers together, where the meter is too slow for single ones; null
      where it is not.
    - ``time_blocks``: energies of equal stretches with the answers that ended in each, of a run whose
      requests overlapped; null for any other.
    - ``duration_s``: summed length of the ``measure`` windows.
    - ``cpu_seconds``: processor time of the engine's process tree in the ``measure`` windows, else null with
      ``cpu_reason``; ``item_cpu_seconds`` the same for single items where it could be told.
    - ``throttle_s``: seconds slowed down within the ``measure`` windows by cause (``power_cap``,
      ``sw_thermal``, ``hw_thermal``, ``power_brake``), all of one device, the one that was slowed down
      longest, from the driver's cumulative counters. A cause whose counter does not exist is absent.
    - ``timelines``: power for the chart; ``slowed``: when a device was slowed down, for the chart.
    - ``wanted``: answers asked for in all, items times repeats; null where it is not known.
    - ``foreign_cpu_share``, ``stolen_cpu_share``: shares (0..1) of the machine's processor time in the
      ``measure`` windows that went to processes other than engine, client and sampler, and that the
      hypervisor gave to others; null where it could not be observed.
    - ``effective_rates``: the manifest's rates with those that change with time as single numbers, the means
      over the run's energy (`joulemark.metrics.rate_steps`); null where none changes.
    - ``engine_gauges``: the engine's own account of its batch, where it publishes one.
    - ``steady``: the steady state of a loaded run, with what was metered in it; of a sequential run withheld.
    - ``input_aware``: what prompts and output cost under load, by which the rows of that method were shared.
    - ``loads``: the items by segment, as loads; made from the others where those that are given are not.
    """

    manifest: Manifest
    items: tuple[Item, ...]
    chunks: Mapping[ItemKey, tuple[Chunk, ...]] = field(default_factory=dict)
    headline_energy: MeasuredOrWithheld = _NO_METER
    headline_scope: str | None = None
    headline_method: str | None = None
    other_energy: Mapping[str, MeasuredOrWithheld] = field(default_factory=dict)
    integrated_energy: MeasuredOrWithheld = _NO_METER
    attributions: tuple[Attribution, ...] = ()
    checks: tuple[AttributionCheck, ...] = ()
    blocks: AnswerBlocks | None = None
    time_blocks: AnswerBlocks | None = None
    duration_s: float | None = None
    cpu_seconds: float | None = None
    cpu_reason: Reason | None = Reason.CPU_NOT_OBSERVED
    item_cpu_seconds: Mapping[ItemKey, float] = field(default_factory=dict)
    throttle_s: Mapping[str, float] = field(default_factory=dict)
    timelines: tuple[PowerTimeline, ...] = ()
    slowed: tuple[Slowed, ...] = ()
    wanted: int | None = None
    foreign_cpu_share: float | None = None
    stolen_cpu_share: float | None = None
    effective_rates: Rates | None = None
    engine_gauges: tuple[EngineGauge, ...] = ()
    steady: SteadyState = field(default_factory=SteadyState)
    input_aware: InputAwareFit = field(default_factory=InputAwareFit)
    loads: SegmentLoads = field(default_factory=SegmentLoads, compare=False, repr=False)

    def __post_init__(self) -> None:
        # a copy with other items keeps no loads of the old ones
        if not self.loads.are_of(self.items, self.chunks, self.engine_gauges):
            loads = SegmentLoads(self.items, self.chunks, self.engine_gauges)
            object.__setattr__(self, "loads", loads)

    @property
    def rates(self) -> Rates:
        """The rates that count in the figures."""
        return self.manifest.rates if self.effective_rates is None else self.effective_rates

    @property
    def measured_items(self) -> tuple[Item, ...]:
        """The items that count: neither the warm-up nor what was cut off."""
        return tuple(item for item in self.items if item.phase == Phase.MEASURE)

    @property
    def abandoned_items(self) -> tuple[Item, ...]:
        """The requests that were in flight when a segment ended."""
        return tuple(item for item in self.items if item.phase == Phase.ABANDONED)

    @property
    def real_valued(self) -> bool:
        """Whether answers have a score in place of correct and not: the task says so, or an answer does."""
        return self.manifest.task.score_range is not None or has_real_values(self.measured_items)

    @property
    def sources(self) -> tuple[QualifiedSource, ...]:
        """The sources that were read, each with its self-test."""
        return tuple(meter.qualified for meter in self.manifest.meters)

    def headline_attributions(self) -> dict[ItemKey, Attribution]:
        """Return the energies of the items that count which belong to the headline, by ``Item.key``."""
        return {(row.item_id, row.repeat): row for row in self._headline_rows(self.measured_items)}

    def abandoned_attributions(self) -> tuple[Attribution, ...]:
        """Return the headline's energies of the requests that were cut off."""
        return self._headline_rows(self.abandoned_items)

    def _headline_rows(self, items: tuple[Item, ...]) -> tuple[Attribution, ...]:
        # A request that was cut off is asked again in a later segment, under the same id and repeat.
        wanted = {(item.item_id, item.repeat, item.segment) for item in items}
        return tuple(
            row
            for row in self.attributions
            if row.scope == self.headline_scope
            and row.method == self.headline_method
            and (row.item_id, row.repeat, row.segment) in wanted
        )
