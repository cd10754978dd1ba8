"""What single items cost, and what to do with the part of a total that belongs to none of them.

One rule for every figure: what a total holds beyond its items (idle, residual, requests that were cut off) is
spread evenly over the items that count. Where the cost of one of them is not known nothing is spread, for
the rest would hold it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.attribution import items_overlap
from joulemark.metrics.run_view import ItemKey, RunView
from joulemark.record.attribution import Attribution
from joulemark.record.item import Item
from joulemark.record.reason import Reason

Cost = float | Reason


@dataclass(frozen=True, slots=True)
class ItemCosts:
    """The costs of a total's items by ``Item.key``, and the even share that each carries of the rest."""

    known: Mapping[ItemKey, float]
    share: float

    def of(self, items: Iterable[Item]) -> list[float]:
        """Return what each item costs, its share of the rest included."""
        return [self.known[item.key] + self.share for item in items]


def item_costs(total: float, items: Sequence[Item], costs: Mapping[ItemKey, Cost]) -> ItemCosts | Reason:
    """Spread a total over its items, or return why the first of them whose cost is not known has none.

    ``costs`` are in the unit of ``total``; an absent one is not known, reason ``no_samples``.
    """
    known: dict[ItemKey, float] = {}
    for item in items:
        cost = costs.get(item.key, Reason.NO_SAMPLES)
        if isinstance(cost, Reason):
            return cost
        known[item.key] = cost
    rest = total - math.fsum(known.values())
    return ItemCosts(known, rest / len(items) if items else 0.0)


def joules_or_reason(rows: Mapping[ItemKey, Attribution]) -> dict[ItemKey, Cost]:
    """Return the joules of attributions, or the reason of each that has none."""
    return {
        key: row.reason or Reason.NO_SAMPLES if row.joules is None else row.joules
        for key, row in rows.items()
    }


def item_joules(run: RunView) -> dict[ItemKey, Cost]:
    """Return the headline's joules of the items that count."""
    return joules_or_reason(run.headline_attributions())


def item_cpu_seconds(run: RunView) -> dict[ItemKey, Cost]:
    """Return the engine's processor time in seconds of each item that counts."""
    absent = Reason.OVERLAPPED if requests_overlap(run) else Reason.CPU_NOT_OBSERVED
    return {item.key: run.item_cpu_seconds.get(item.key, absent) for item in run.measured_items}


def item_seconds(run: RunView) -> dict[ItemKey, Cost]:
    """Return the time in seconds in which each item that counts had the engine for itself."""
    overlap = requests_overlap(run)
    return {
        item.key: Reason.OVERLAPPED if overlap else (item.t_end - item.t_begin) / 1e9
        for item in run.measured_items
    }


def requests_overlap(run: RunView) -> bool:
    """Tell whether any two requests were in flight together, those that were cut off included."""
    return items_overlap((*run.measured_items, *run.abandoned_items))
