"""The published criteria (score, cost, latency, carbon) at a cut-off, and what is not spent there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.published.cutoff import Progress
from joulemark.frugal.published.loss import cutoff_with_loss
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.shuffles import ValueShuffles
from joulemark.frugal.sample_size import half_width, moments

Kind = Literal["measured", "modelled", "from the file"]
PUBLISHED = {"usd": "cost", "e2el_s": "latency", "gco2e": "carbon"}
"""The criteria beside the score, by the column that holds them."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A column of costs under the cut-off: all of it, what the cut-off's items take, what is saved.

    In the column's unit. ``saved_half`` is the 95 % half-width of what is saved: which items are asked is
    chance. ``fraction`` is the column's own cut-off. Without figures there is ``why``. ``kind`` says who says
    so: a run of ours measured it, it is modelled, or a file holds it, of which nobody knows.
    """

    name: str
    title: str
    kind: Kind = "measured"
    n_items: int = 0
    total: float | None = None
    spent: float | None = None
    saved: float | None = None
    saved_half: float | None = None
    fraction: float | None = None
    relative_loss: float | None = None
    why: str = ""


def criteria_of(
    outcomes: Outcomes,
    fraction: float,
    method: Method,
    progress: Callable[[str], Progress | None] | None = None,
) -> tuple[Criterion, ...]:
    """Return the published criteria, then the other columns; ``fraction`` of the items are asked."""
    first = dict.fromkeys((*PUBLISHED, "energy_j"))
    names = [*first, *(name for name in outcomes.costs if name not in first)]
    fast = replace(method, exact=False, slope=None)
    return tuple(_criterion(name, outcomes, fraction, fast, progress) for name in names)


def _criterion(
    name: str,
    outcomes: Outcomes,
    fraction: float,
    method: Method,
    progress: Callable[[str], Progress | None] | None,
) -> Criterion:
    title = PUBLISHED.get(name, name)
    if name not in outcomes.costs:
        return Criterion(name, title, why=f"no column {name} in the items")
    column = outcomes.costs[name]
    values = column[np.isfinite(column)]
    kind: Kind = (
        "modelled" if name in outcomes.modelled else "measured" if outcomes.of_run else "from the file"
    )
    if not len(values):
        return Criterion(name, title, kind, why=f"no item has a {name}")
    n, found = len(values), moments(values)
    asked = max(1, round(fraction * n))
    total = float(values.sum())
    half = asked * half_width(found.sd, asked, n) if n > 1 else None
    known = Criterion(
        name, title, kind, n, total, found.mean * asked, total - found.mean * asked, half, why=""
    )
    told = progress(title) if progress is not None else None
    of_column = Outcomes(outcomes.name, name, values, float(values.min()), float(values.max()))
    own = cutoff_with_loss(ValueShuffles(values), of_column, method, told)
    if isinstance(own, str):
        return replace(known, why=f"no cut-off of its own: {own}")
    cutoff, loss = own
    return replace(known, fraction=cutoff.mean, relative_loss=loss.relative)
