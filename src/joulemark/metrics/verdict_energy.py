"""What was spent on answers of each verdict: energy, or processor time where there are no joules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from joulemark.metrics.accuracy import VERDICT_NAMES, verdict_of
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.item_costs import item_cpu_seconds, item_joules
from joulemark.metrics.run_view import ItemKey, RunView
from joulemark.metrics.value import Value, energy_value, scaled, withheld
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.item import Item
from joulemark.record.reason import Reason

BY_VERDICT = MetricDefinition(
    "energy_by_verdict",
    "Energy by verdict",
    "J",
    r"E_v = \sum_{i: v_i = v} E_i",
    ("attribution.joules", "items.verdict", "total_joules"),
    (
        "there are no joules (then it is processor time, in s)",
        "the energy of a request with this verdict is not known (a slow meter tells none, however many)",
    ),
    "all verdicts are charged; with what belongs to no request (idle and residual) they sum to the total",
)
DEFINITIONS = (BY_VERDICT,)

Resource = Literal["joules", "cpu_seconds"]


@dataclass(frozen=True, slots=True)
class Spent:
    """What one request cost, with the meter's bound where there is one."""

    amount: float
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True, slots=True)
class VerdictCost:
    """One verdict: ``n`` requests, their share of all, what they cost in all, of all, and in the mean."""

    verdict: str
    n: int
    share_of_requests: float | None
    cost: Value
    share_of_cost: Value
    mean_cost: Value


@dataclass(frozen=True, slots=True)
class VerdictCosts:
    """The bill by verdict: ``rows`` in the order of `VERDICT_NAMES`, and what belongs to none of them.

    ``resource`` says what is counted, null where neither joules nor processor time is known. The known rows
    and ``unattributed`` sum to ``total``; a row that is withheld has its cost inside ``unattributed``.
    """

    resource: Resource | None
    unit: str
    total: Value
    rows: tuple[VerdictCost, ...]
    unattributed: Value
    share_unattributed: Value


def costs_by_verdict(run: RunView) -> VerdictCosts:
    """Charge every measured request to its verdict, in joules where metered, else in processor seconds."""
    items = run.measured_items
    energy = run.headline_energy
    if isinstance(energy, MeasuredEnergy):
        rows = run.headline_attributions()
        spent: dict[ItemKey, Spent | Reason] = {
            key: joules if isinstance(joules, Reason) else Spent(joules, rows[key].lo, rows[key].hi)
            for key, joules in item_joules(run).items()
        }
        told = charge(items, spent, energy_value(energy), "joules")
        return told if run.blocks is None else _advised(told, run.blocks.no_single)
    if run.cpu_seconds is not None:
        spent = {k: s if isinstance(s, Reason) else Spent(s) for k, s in item_cpu_seconds(run).items()}
        return charge(items, spent, Value(run.cpu_seconds, "s"), "cpu_seconds")
    return charge(items, {}, energy_value(energy), None)


def _advised(costs: VerdictCosts, advice: str) -> VerdictCosts:
    """Say in each withheld row what would tell it."""

    def told(value: Value) -> Value:
        if value.reason in (None, Reason.NOT_APPLICABLE):
            return value
        return replace(value, detail=f"{value.detail} {advice}".strip())

    rows = tuple(
        replace(
            row, cost=told(row.cost), share_of_cost=told(row.share_of_cost), mean_cost=told(row.mean_cost)
        )
        for row in costs.rows
    )
    return replace(costs, rows=rows)


def charge(
    items: Sequence[Item], spent: Mapping[ItemKey, Spent | Reason], total: Value, resource: Resource | None
) -> VerdictCosts:
    """Sum what was ``spent`` on each item (by ``Item.key``) by verdict; an absent item is not known."""
    missing = total.reason or Reason.NO_SAMPLES
    rows, known_rows = [], []
    for verdict in VERDICT_NAMES:
        mine = [spent.get(item.key, missing) for item in items if verdict_of(item) == verdict]
        cost = _sum(mine, total.unit)
        if cost.value is not None:
            known_rows.append(cost.value)
        rows.append(
            VerdictCost(
                verdict,
                len(mine),
                len(mine) / len(items) if items else None,
                cost,
                _share(cost, total),
                scaled(cost, 1 / len(mine), total.unit)
                if mine
                else withheld(total.unit, Reason.NOT_APPLICABLE, detail="No request has this verdict."),
            )
        )
    unattributed = total
    if total.value is not None:
        withheld_rows = [row.verdict for row in rows if row.cost.value is None]
        inside = f"Holds the cost of {', '.join(withheld_rows)}, which is not known." if withheld_rows else ""
        unattributed = Value(total.value - math.fsum(known_rows), total.unit, detail=inside)
    return VerdictCosts(resource, total.unit, total, tuple(rows), unattributed, _share(unattributed, total))


def _sum(mine: Sequence[Spent | Reason], unit: str) -> Value:
    known = [one for one in mine if isinstance(one, Spent)]
    if len(known) < len(mine):
        reason = next(one for one in mine if isinstance(one, Reason))
        few = f"{len(mine) - len(known)} of {len(mine)} requests are not known."
        return withheld(unit, reason, detail=few, n=len(mine))
    amount = math.fsum(one.amount for one in known)
    bounds = [(one.lo, one.hi) for one in known if one.lo is not None and one.hi is not None]
    if not known or len(bounds) < len(known):
        return Value(amount, unit, n=len(mine))
    lo, hi = (math.fsum(side) for side in zip(*bounds, strict=True))
    return Value(amount, unit, min(lo, amount), max(hi, amount), "bound", n=len(mine))


def _share(cost: Value, total: Value) -> Value:
    """Return cost over total as a point: the bounds of the two are not independent."""
    for value in (cost, total):
        if value.reason is not None:
            return withheld("1", value.reason, detail=value.detail)
    if not total.value or cost.value is None:
        return withheld("1", Reason.NO_SAMPLES, detail="The total is 0.")
    return Value(cost.value / total.value, "1")
