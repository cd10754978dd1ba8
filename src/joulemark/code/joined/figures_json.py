"""The figures of a run's programs as plain JSON values, unrounded; each null has its reason."""

from __future__ import annotations

from joulemark.code.joined.figures import ProgramFigures
from joulemark.metrics.code.summary_json import figures_json as values_json
from joulemark.metrics.code.summary_json import summary_json
from joulemark.metrics.plain import JsonValue


def figures_json(figures: ProgramFigures) -> dict[str, JsonValue]:
    """Return the joined figures and the summary of the evaluation."""
    record, cost = figures.record, figures.cost
    curve = [{"runs": n, **values_json({"cost": value})} for n, value in figures.curve]
    return {
        "evaluation_id": record.evaluation_id,
        "environment_id": record.environment_id,
        "settings": record.settings.model_dump(mode="json"),
        "cost_kind": None if cost is None else cost.kind.value,
        "why_no_joules": figures.why_no_joules,
        # measured (or replayed, or simulated) and modelled joules stand side by side here, never added up
        "kinds": {
            "generate_per_correct_answer": figures.source.value,
            "run_cpu_s": "measured",
            "run_j": "modelled",
            "joules_per_cpu_second": figures.source.value,
        },
        **values_json(
            {
                "generate_per_correct_answer": figures.generate,
                "run_cpu_s": figures.run_cpu_s,
                "run_j": figures.run_j,
                "joules_per_cpu_second": figures.joules_per_cpu_second,
            }
        ),
        "cost_with_runs": [*curve],
        "problems_unusable": dict(figures.failures),
        "not_measured": dict(figures.not_measured),
        "evaluation": summary_json(figures.summary),
    }
