"""All figures of a service level objective that a run was given: what kept it, and what that cost."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.plain import JsonValue, intervals_json, reasons_json
from joulemark.metrics.run_view import RunView
from joulemark.metrics.slo import Slo, slo_share
from joulemark.metrics.slo_energy import joules_per_correct_answer_at, share_correct_at
from joulemark.metrics.value import Value


@dataclass(frozen=True, slots=True)
class SloFigures:
    """The figures at the limits ``slo``; a figure X is defined as ``slo_X``.

    ``share`` (0..1) of all counted requests kept the limits; ``share_correct`` (0..1) of those of the steady
    window's segment were correct too; ``joules_per_correct_answer`` is what one of these cost.
    """

    slo: Slo
    share: Value
    share_correct: Value
    joules_per_correct_answer: Value

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain JSON values, unrounded; each null figure has its entry under ``reasons``."""
        figures = {
            "share": self.share,
            "share_correct": self.share_correct,
            "joules_per_correct_answer": self.joules_per_correct_answer,
        }
        return {
            "limits_s": dict(self.slo.limits),
            "n": self.share.n,
            **{name: value.value for name, value in figures.items()},
            "intervals": intervals_json(figures),
            "reasons": reasons_json(figures),
        }


def slo_figures(run: RunView) -> SloFigures | None:
    """Return the figures at the limits that the run's manifest names; null where it names none."""
    slo = Slo.of(run.manifest.limits_s)
    if not slo.limits:
        return None
    return SloFigures(
        slo,
        slo_share(run.measured_items, run.chunks, slo),
        share_correct_at(run, slo),
        joules_per_correct_answer_at(run, slo),
    )
