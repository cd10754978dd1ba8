"""How an engine was while a point was measured: those figures of its run that a sweep tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.metrics.engine_figures import DECODE_SHARE, KV_MEAN, PREEMPTIONS
from joulemark.metrics.loaded_definitions import MEAN_BATCH
from joulemark.metrics.plain import JsonValue, intervals_json, reasons_json
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value

ENGINE_FIGURES = tuple(one.name for one in (MEAN_BATCH, DECODE_SHARE, PREEMPTIONS, KV_MEAN))


@dataclass(frozen=True, slots=True)
class EngineState:
    """Figures of a run by name, `ENGINE_FIGURES`; what the engine does not publish is withheld."""

    figures: Mapping[str, Value]

    def to_json(self) -> JsonValue:
        """Return the figures as plain JSON values, nulls with their reasons."""
        return {
            **{name: value.value for name, value in self.figures.items()},
            "intervals": intervals_json(self.figures),
            "reasons": reasons_json(self.figures),
        }


def engine_state(summary: Summary) -> EngineState:
    """Return how the engine was."""
    return EngineState({name: summary.figures[name] for name in ENGINE_FIGURES})
