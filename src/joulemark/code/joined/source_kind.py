"""From where the cost of generating comes: a live meter, a recorded trace or a simulation."""

from __future__ import annotations

from enum import StrEnum

from joulemark.metrics.run_view import RunView
from joulemark.metrics.tier import is_replayed, is_simulated
from joulemark.record.energy import Withheld
from joulemark.record.simulated import is_simulated_kind


class SourceKind(StrEnum):
    """What joules, or processor time in their place, are; only the first says anything of a machine."""

    MEASURED = "measured"
    REPLAYED = "replayed"
    SIMULATED = "simulated"


def source_kind(view: RunView) -> SourceKind:
    """Return what a run's joules are; where they are withheld, what its processor time is."""
    if is_simulated_kind(view.manifest.engine.kind):
        return SourceKind.SIMULATED
    energy = view.headline_energy
    if isinstance(energy, Withheld):
        return SourceKind.MEASURED
    if is_simulated(view.sources, energy):
        return SourceKind.SIMULATED
    return SourceKind.REPLAYED if is_replayed(view.sources, energy) else SourceKind.MEASURED
