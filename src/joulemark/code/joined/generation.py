"""What the answers of a run took to generate: each answer's part, and that over the correct ones."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from joulemark.metrics.accuracy import is_graded_later
from joulemark.metrics.cpu import cpu_seconds, cpu_seconds_per_correct_answer
from joulemark.metrics.energy_per import joules_per_correct_answer_bound
from joulemark.metrics.item_costs import item_costs, item_cpu_seconds, item_joules
from joulemark.metrics.run_view import ItemKey, RunView
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason


def generate_per_correct(view: RunView, unjudged: Collection[ItemKey] = ()) -> Value:
    """Return what a correct answer took to generate: joules with the meter's bound, else CPU seconds.

    It is the run's own headline. ``unjudged``: answers to problems that could not judge, which may have been
    correct; where there are some, what they took is left out as they are. Withheld while an answer waits for
    its grade, and where those parts are not known.
    """
    unit = "s" if isinstance(view.headline_energy, Withheld) and view.cpu_seconds is not None else "J"
    waiting = sum(map(is_graded_later, view.measured_items))
    if waiting:
        return withheld(unit, Reason.GRADED_LATER, n=len(view.measured_items))
    if not unjudged:
        return _headline(view)
    judged = _without(view, unjudged)
    if judged is None:
        detail = f"What answers ({len(unjudged)}) took whose problems could not judge is not known apart."
        return withheld(unit, Reason.NOT_MEASURED, detail=detail, n=len(view.measured_items))
    return replace(
        _headline(judged), detail=f"Without answers ({len(unjudged)}) whose problems could not judge."
    )


def shares(total: float, known: Mapping[ItemKey, float], keys: Sequence[ItemKey]) -> dict[ItemKey, float]:
    """Return what each request took of a total: its own where all are known, and an equal part of the rest.

    The parts add up to the total: what lies between requests is a cost of the answers too.
    """
    own = {key: known[key] for key in keys} if all(key in known for key in keys) else dict.fromkeys(keys, 0.0)
    rest = (total - math.fsum(own.values())) / len(keys) if keys else 0.0
    return {key: value + rest for key, value in own.items()}


def _headline(view: RunView) -> Value:
    items, real = view.measured_items, view.real_valued
    if isinstance(view.headline_energy, Withheld) and view.cpu_seconds is not None:
        spent = cpu_seconds(view.cpu_seconds, view.cpu_reason)
        return cpu_seconds_per_correct_answer(spent, items, item_cpu_seconds(view), real_valued=real)
    figure = joules_per_correct_answer_bound(view.headline_energy, items, real_valued=real)
    return replace(figure, n=len({item.item_id for item in items}))


def _without(view: RunView, left_out: Collection[ItemKey]) -> RunView | None:
    """Return the run without some of its answers and what they took, null where that is not known."""
    judged = [item for item in view.measured_items if item.key not in left_out]
    kept = replace(view, items=tuple(item for item in view.items if item.key not in left_out))
    energy = view.headline_energy
    total = view.cpu_seconds if isinstance(energy, Withheld) else energy.joules
    parts = item_cpu_seconds(view) if isinstance(energy, Withheld) else item_joules(view)
    if not total:
        return None
    costs = item_costs(total, view.measured_items, parts)
    if isinstance(costs, Reason):
        return None
    part = math.fsum(costs.of(judged))
    if isinstance(energy, Withheld):
        return replace(kept, cpu_seconds=part)
    share = part / total
    scaled = replace(energy, joules=part, lo=energy.lo * share, hi=energy.hi * share)
    return replace(kept, headline_energy=scaled)
