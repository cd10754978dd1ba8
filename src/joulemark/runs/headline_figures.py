"""A run's first figures for a list of runs: points without resampling, in a fraction of a second."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from joulemark.metrics.accuracy import accuracy
from joulemark.metrics.energy_per import PER_CORRECT, joules_per_correct_answer_bound
from joulemark.metrics.plain import JsonValue, reason_json, reasons_json
from joulemark.metrics.tier import Tier, is_replayed, tier_of
from joulemark.metrics.value import Value
from joulemark.record.reason import Reason
from joulemark.record.simulated import is_simulated_kind
from joulemark.runs.recorded import read_run
from joulemark.runs.view import view_of


@dataclass(frozen=True, slots=True)
class HeadlineFigures:
    """Joules per correct answer with the meter's bound, accuracy, and the tier or why there is none.

    ``replayed``: the joules are those of a recorded trace; ``simulated``: an engine that computes made them.
    ``invalid`` are why the client did not keep up. ``loaded``: several requests at a time, so that the joules
    of the whole run hold its start and its drain.
    """

    joules_per_correct_answer: Value
    accuracy: Value
    measurement_tier: Tier | None
    tier_reason: Reason | None
    replayed: bool
    simulated: bool = False
    invalid: tuple[str, ...] = ()
    loaded: bool = False

    @property
    def has_joules(self) -> bool:
        """Tell whether there is an energy that a tier could be of."""
        return self.joules_per_correct_answer.value is not None

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values; each null has its entry under ``reasons``."""
        figures = {PER_CORRECT.name: self.joules_per_correct_answer, "accuracy": self.accuracy}
        reasons = reasons_json(figures)
        if self.tier_reason is not None:
            reasons["measurement_tier"] = reason_json(self.tier_reason)
        found: dict[str, JsonValue] = {name: value.value for name, value in figures.items()}
        return {
            **found,
            "measurement_tier": self.measurement_tier,
            "replayed": self.replayed,
            "simulated": self.simulated,
            "invalid": list(self.invalid),
            "loaded": self.loaded,
            "reasons": reasons,
        }


def headline_figures(root: Path) -> HeadlineFigures:
    """Compute the figures of a run directory anew; raises `InputError` where it is none."""
    view = view_of(read_run(root))
    items, real_valued = view.measured_items, view.real_valued
    return HeadlineFigures(
        joules_per_correct_answer_bound(view.headline_energy, items, real_valued=real_valued),
        accuracy(items, real_valued=real_valued),
        *tier_of(view),
        is_replayed(view.sources, view.headline_energy),
        is_simulated_kind(view.manifest.engine.kind),
        tuple(sorted({code for proof in view.manifest.client for code in proof.invalid})),
        view.manifest.load.mode != "sequential",
    )
