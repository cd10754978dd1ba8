"""Whether what a request costs changed while a run was asked, so that the rest may cost otherwise.

Of a run that a rule ended: its halves differ clearly (`joulemark.metrics.halves`), or what lengths leave of
a cost rises or falls little by little, by as much as matters for its interval
(`joulemark.metrics.cost_drift`). Either is told of about one steady run in a hundred.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.cost_drift import MATTERS, cost_drift
from joulemark.metrics.finite_ratio import BATCHES_OF, Units, estimate
from joulemark.metrics.halves import halves
from joulemark.metrics.item_costs import requests_overlap
from joulemark.metrics.metered_units import metered_units
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value
from joulemark.record.item import Item
from joulemark.record.reason import Reason

_NAMES = {"seconds": "time", "joules": "energy"}
_UNITS = {"seconds": "s", "joules": "J"}


@dataclass(frozen=True, slots=True)
class Unsettled:
    """How one cost changed: the words for ``halves`` that differ, or else for a ``drift``."""

    halves: str = ""
    drift: str = ""


def unsettled(run: RunView) -> Mapping[str, Unsettled]:
    """Return how ``seconds`` and ``joules`` of a request changed, by name; what did not is absent."""
    questions: dict[str, list[Item]] = {}
    for item in run.measured_items:
        questions.setdefault(item.item_id, []).append(item)
    groups = list(questions.values())
    # what a question fixes: how many requests, and their tokens
    fixed = [
        [float(len(repeats)) for repeats in groups],
        _sums(groups, lambda one: one.prompt_tokens),
        _sums(groups, lambda one: one.completion_tokens),
    ]
    taken = [math.fsum(item.t_end - item.t_sent for item in repeats) * 1e-9 for repeats in groups]
    batch = BATCHES_OF * (run.manifest.load.concurrency or 1) if requests_overlap(run) else 1
    columns: dict[str, Sequence[Units | Value]] = {
        "seconds": [Units(np.array(taken), np.array(one), len(groups)).batched(batch) for one in fixed],
        "joules": [metered_units(run, groups, one) for one in fixed],
    }
    found = {}
    for name, of in columns.items():
        known = [one for one in of if isinstance(one, Units)]
        changed = _changed(name, known, run.manifest.task.n_drawn_from) if len(known) == len(of) else None
        if changed is not None:
            found[name] = changed
    return found


def _changed(name: str, known: Sequence[Units], of: int) -> Unsettled | None:
    """``known``: the cost with each of what a question fixes as its divisor; first with the requests.

    ``of``: how many questions the figures, and a rule that may have ended the run, speak of.
    """
    units, unit = known[0], _UNITS[name]
    parts = halves(units)
    if parts is not None and parts.clearly_apart:
        return Unsettled(
            halves=f"{parts.first:.4g} {unit} in its first half and {parts.second:.4g} {unit} in its second"
        )
    course = cost_drift(units.cost, np.stack([one.divisor for one in known], axis=1))
    if course is None or not course.drifts:
        return None
    drift = Unsettled(drift=f"its {_NAMES[name]} by about {100 * course.change:+.2g} %")
    found = estimate(units, None)
    if isinstance(found, Reason) or not found.figure:
        return drift
    shift = course.shift(units.n_items / max(of, 1))
    return drift if shift >= MATTERS * found.half_width / abs(found.figure) else None


def _sums(groups: Sequence[Sequence[Item]], of: Callable[[Item], int | None]) -> list[float]:
    """Return the sum of a count over each question's repeats, nan where one is missing."""
    return [math.fsum(math.nan if (n := of(one)) is None else n for one in repeats) for repeats in groups]
