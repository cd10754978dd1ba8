"""What is known of a task before it is asked: how many items there are, how they spread, what they cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.sample_size import Moments, moments, ratio_moments
from joulemark.frugal.target import Column, Quantity

Kind = Literal["measured", "modelled", "from the file", "stated"]
"""Where a cost comes from; nobody here knows how one that a file tells was come by."""
COST_OF = {
    Column.JOULES: "energy_j",
    Column.USD: "usd",
    Column.GCO2E: "gco2e",
    Column.LATENCY: "e2el_s",
    Column.TOKENS: "completion_tokens",
}
"""The name of a target's column among the costs of items."""
MIN_KNOWN = 6


@dataclass(frozen=True, slots=True)
class KnownCost:
    """What an item costs: ``mean`` and ``sd`` over ``n`` items; null where that was not said."""

    mean: float
    sd: float | None
    n: int | None
    kind: Kind


@dataclass(frozen=True, slots=True)
class KnownTask:
    """A task of ``n_items``.

    ``spreads`` are the moments of the figures that a target may name, by its name; of an accuracy the
    deviation is √(p(1 − p)). ``costs`` by name with their units. ``reasons`` say why a figure has no moments.
    """

    name: str
    n_items: int
    spreads: Mapping[str, Moments]
    costs: Mapping[str, KnownCost] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def why_unknown(self, quantity: Quantity) -> str:
        """Say why nothing is known of a figure."""
        cost = COST_OF.get(quantity.column)
        return self.reasons.get(quantity.name) or f"{cost or quantity.name} of its items is not known"


def known_from(outcomes: Outcomes, *, name: str | None = None, n_items: int | None = None) -> KnownTask:
    """Return what earlier outcomes tell of a task; ``n_items`` where it has more than those asked.

    A figure of fewer than `MIN_KNOWN` items is not known.
    """
    n = len(outcomes)
    spreads: dict[str, Moments] = {}
    reasons: dict[str, str] = {}
    few = f"{n} earlier outcomes are too few; {MIN_KNOWN} are needed"
    binary = outcomes.metric == "accuracy"
    if binary:
        share = float(outcomes.values.mean())
        spreads["accuracy"] = Moments(share, share_deviation(share, n), n)
    else:
        reasons["accuracy"] = "its outcomes are scores, not right and wrong: say `score ±…`"
    spreads["score"] = score_moments(outcomes)
    costs: dict[str, KnownCost] = {}
    for cost, values in outcomes.costs.items():
        known = np.isfinite(values)
        found = moments(values[known])
        if found.n < MIN_KNOWN:
            continue
        measured: Kind = "measured" if outcomes.of_run else "from the file"
        kind: Kind = "modelled" if cost in outcomes.modelled else measured
        costs[cost] = KnownCost(found.mean, found.sd, found.n, kind)
        figure = next((column.value for column, of in COST_OF.items() if of == cost), None)
        if figure is None:
            continue
        spreads[figure] = found
        ratio = ratio_moments(values[known], outcomes.values[known]) if binary else None
        if ratio is not None and math.isfinite(ratio.mean):
            spreads[f"{figure}_per_correct"] = ratio
        else:
            why = (
                "no earlier answer was correct" if binary else "its outcomes are scores, not right and wrong"
            )
            reasons[f"{figure}_per_correct"] = why
    if n < MIN_KNOWN:
        spreads, reasons = {}, dict.fromkeys(spreads, few)
    notes = (*outcomes.warnings, *outcomes.notes)
    if outcomes.is_listed:
        notes = (*notes, "its items were named by a list (`--items`): others may be harder or easier")
    if n_items is None and outcomes.n_items is not None:
        notes = (*notes, f"{n:,} of its {outcomes.n_items:,} questions were asked; it is planned for all")
    return KnownTask(name or outcomes.name, n_items or outcomes.n_items or n, spreads, costs, reasons, notes)


def score_moments(outcomes: Outcomes) -> Moments:
    """Return the moments of the outcomes' values as scores, which have a range."""
    found = moments(outcomes.values)
    return replace(found, far=max(found.mean - outcomes.low, outcomes.high - found.mean))


def share_deviation(share: float, n: int) -> float:
    """Return √(p(1 − p)); where all or none of n answers were right, that of p moved in by two answers.

    The others need not be like them (A. Agresti and B. Coull, 1998, move so).
    """
    moved = share if 0 < share < 1 else (share * n + 2) / (n + 4)
    return math.sqrt(moved * (1 - moved))


def by_domain(outcomes: Outcomes) -> list[KnownTask]:
    """Return each part of a task as a task of its own, in the order in which they come first."""
    domains = outcomes.domains or ()
    found = []
    for domain in dict.fromkeys(domains):
        places = np.array([one == domain for one in domains])
        part = Outcomes(
            name=domain,
            metric=outcomes.metric,
            values=outcomes.values[places],
            low=outcomes.low,
            high=outcomes.high,
            costs={name: of[places] for name, of in outcomes.costs.items()},
            modelled=outcomes.modelled,
            of_run=outcomes.of_run,
        )
        found.append(known_from(part))
    return found
