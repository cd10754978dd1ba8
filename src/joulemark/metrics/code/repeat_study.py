"""How far the figures of generated code move when the evaluation is repeated: mean ± standard deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.metrics.repeats import Found, Spread, spread_of
from joulemark.metrics.value import Value
from joulemark.record.reason import Reason


def repeat_study(evaluations: Sequence[Mapping[str, Value]]) -> dict[str, Spread]:
    """Return the spread of each figure over evaluations of the same answers (`CodeSummary.figures`).

    A figure that one evaluation has not is null with its reason; one evaluation has no spread.
    """
    names = list(dict.fromkeys(name for figures in evaluations for name in figures))
    whose = [f"evaluation {k + 1}" for k in range(len(evaluations))]
    found = {}
    for name in names:
        values = [figures.get(name) for figures in evaluations]
        unit = next(value.unit for value in values if value is not None)
        found[name] = spread_of([_found(value) for value in values], unit, whose)
    return found


def _found(value: Value | None) -> Found:
    if value is None:
        return Reason.NOT_MEASURED
    return value.value if value.value is not None else value.reason or Reason.NOT_MEASURED
