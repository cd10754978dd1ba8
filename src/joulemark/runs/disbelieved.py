"""What a run's own record says against its energy: then there is none, while the run goes on and after it."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.metrics.drift import contradiction
from joulemark.metrics.foreign_load import foreign_of, measured_loads
from joulemark.metrics.segment_loads import SegmentLoads
from joulemark.metrics.steady_state import SteadyState
from joulemark.record.energy import Withheld
from joulemark.record.item import Item, Phase
from joulemark.record.manifest import Manifest
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.runs.processor import ProcessorUse
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.steady_energy import steady_state

_ANSWER_OUTSIDE = "An answer lies outside the measured windows, so their energy is not that of the answers."
_ONLY_FORWARDS = "The process behind the URL used next to no processor time: it may only pass requests on."


def judge_energy(
    energy: RunEnergy,
    manifest: Manifest,
    loads: SegmentLoads,
    use: ProcessorUse,
) -> SteadyState:
    """Withhold ``energy`` where it cannot be that of the answers; returns the steady state that told of it.

    Every answer lies in a measured window, the engine works where it is metered, a counter and its gauge
    agree, and nobody else uses the engine.
    """
    if use.forwards and energy.on_processors:
        energy.withheld = Withheld(Reason.ENGINE_NOT_VISIBLE, _ONLY_FORWARDS)
    if energy.withheld is None and not _inside(loads.items, energy.windows):
        energy.withheld = Withheld(Reason.OUTSIDE_TIMELINE, _ANSWER_OUTSIDE)
    energy.withheld = energy.withheld or contradiction(energy.total(), energy.integrated())
    steady = steady_state(manifest, loads, energy.windows, energy.of, energy.renewal_s)
    if energy.withheld is None:
        energy.withheld = foreign_of(steady.window, measured_loads(manifest, loads))
    return steady


def _inside(items: Sequence[Item], windows: Sequence[Span]) -> bool:
    """Tell whether every answer that counts was asked and given within one measured window."""
    return all(
        any(w.segment == item.segment and w.t0 <= item.t_begin and item.t_end <= w.t1 for w in windows)
        for item in items
        if item.phase == Phase.MEASURE
    )
