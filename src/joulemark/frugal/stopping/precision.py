"""Whether a figure is known well enough, and about how many more questions that takes."""

from __future__ import annotations

import math

import numpy as np

from joulemark.frugal.stopping.seen import Floats, Seen
from joulemark.frugal.stopping.standing import Standing
from joulemark.frugal.target import Column, Precision
from joulemark.metrics.carbon import JOULES_PER_KWH
from joulemark.metrics.finite_ratio import MIN_UNITS, Estimate, Units, estimate
from joulemark.metrics.finite_share import wilson_bounds
from joulemark.metrics.metered_units import metered_units
from joulemark.metrics.money import by_tokens
from joulemark.metrics.run_view import RunView
from joulemark.metrics.stopped_early import BATCHES_OF
from joulemark.metrics.value import Value
from joulemark.runs.stop import Question


def precision(
    target: Precision,
    seen: Seen,
    questions: list[Question],
    of: int,
    view: RunView | None,
    in_flight: int,
) -> Standing:
    """Return how ``target`` stands after ``questions``, of which ``seen`` has the columns; ``of`` in all.

    ``view`` has their energies, null where the target needs none. ``in_flight``: requests at a time.
    """
    n = len(questions)
    if target.quantity.column is Column.CORRECT:
        return _share(target, seen.column("right", n), of)
    units = _units(target, seen, questions, view, in_flight)
    if isinstance(units, str):
        return Standing(target, why=units)
    found = estimate(units, of)
    if found is None:
        return Standing(target, why=_why_none(units))
    return _standing(target, found, found.figure, n, of)


def _share(target: Precision, right: Floats, of: int) -> Standing:
    scored = right[~np.isnan(right)]
    if not len(scored):
        return Standing(target, why="no answer could be scored")
    # questions without a right answer are in the task as they are in the sample
    population = of * len(scored) / len(right)
    lo, hi = (float(end) for end in wilson_bounds(scored.sum(), len(scored), population))
    share = float(scored.mean())
    return _standing(target, Estimate(share, (hi - lo) / 2), share, len(right), of)


def _standing(target: Precision, found: Estimate, figure: float, n: int, of: int) -> Standing:
    half, allowed = found.half_width, target.allowed(figure)
    met = half <= allowed
    more = None
    if not met and allowed > 0:
        # the variance falls as 1/n - 1/N
        inverse = 1 / of + (allowed / half) ** 2 * (1 / n - 1 / of)
        more = min(max(math.ceil(1 / inverse) - n, 1), of - n)
    return Standing(target, met, figure, half, figure - half, figure + half, more)


def _why_none(units: Units) -> str:
    if len(units.cost) < MIN_UNITS:
        return f"{len(units.cost)} units of answers were metered apart, and {MIN_UNITS} are needed"
    return "no answer was correct"


def _units(
    target: Precision, seen: Seen, questions: list[Question], view: RunView | None, in_flight: int
) -> Units | str:
    """Return costs and divisors, of batches where requests shared a moment; or why there are none."""
    n = len(questions)
    quantity = target.quantity
    rates = seen.rates if view is None else view.rates
    tokens = view is None or by_tokens(rates, local=view.manifest.engine.local)
    if quantity.column in (Column.JOULES, Column.GCO2E) or (quantity.column is Column.USD and not tokens):
        if view is None:
            return "nothing is metered"
        per_kwh = {
            Column.JOULES: JOULES_PER_KWH,
            Column.USD: _times(rates.usd_per_kwh, rates.pue),
            Column.GCO2E: _times(rates.gco2e_per_kwh, rates.pue),
        }[quantity.column]
        if per_kwh is None:
            return "its rate is not known"
        # of a mean every answer counts, right or not
        share = seen.right if quantity.per_correct else [1.0] * n
        units = metered_units(
            view, questions, [len(one) * r for one, r in zip(questions, share, strict=False)]
        )
        if isinstance(units, Value):
            return _why(units)
        return Units(units.cost * per_kwh / JOULES_PER_KWH, units.divisor, units.n_items)
    column = {
        Column.SCORE: "score",
        Column.USD: "usd",
        Column.TOKENS: "tokens",
        Column.LATENCY: "taken_s" if quantity.per_correct else "latency_s",
    }[quantity.column]
    cost = seen.column(column, n)
    right = seen.column("right", n) if quantity.per_correct else np.ones(n)
    known = ~np.isnan(cost) & ~np.isnan(right)
    if not known.all() and quantity.column in (Column.USD, Column.TOKENS):
        return f"{n - int(known.sum())} of {n} questions lack a token count or its price"
    if not known.any():
        return "no answer was streamed" if quantity.column is Column.LATENCY else "no answer could be scored"
    units = Units(cost[known], right[known], n)
    # requests that were in flight together share the moment's load
    batched = quantity.column is Column.LATENCY and in_flight > 1
    return units.batched(BATCHES_OF * in_flight) if batched else units


def _why(value: Value) -> str:
    return " ".join(filter(None, (value.reason.text if value.reason else "", value.detail)))


def _times(rate: float | None, pue: float) -> float | None:
    return None if rate is None else rate * pue
