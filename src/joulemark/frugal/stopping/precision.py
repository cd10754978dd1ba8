"""Whether a figure is known well enough, and about how many more questions that takes."""

from __future__ import annotations

import math

import numpy as np

from joulemark.frugal.stopping.seen import Floats, Seen
from joulemark.frugal.stopping.standing import Standing
from joulemark.frugal.target import Column, Precision, Quantity
from joulemark.metrics.carbon import JOULES_PER_KWH
from joulemark.metrics.finite_ratio import BATCHES_OF, MIN_UNITS, Units, estimate
from joulemark.metrics.finite_share import wilson_bounds
from joulemark.metrics.metered_units import metered_units
from joulemark.metrics.money import by_tokens
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value
from joulemark.record.reason import Reason
from joulemark.runs.finished import Repeats

COSTS_FROM = 100
"""Questions before which the mean of a cost is not believed; of what one answer in 33 is, 95 % hold one."""


def precision(
    target: Precision,
    seen: Seen,
    questions: list[Repeats],
    of: int,
    view: RunView | None,
    in_flight: int,
    score_range: tuple[float, float] | None = None,
) -> Standing:
    """Return how ``target`` stands after ``questions``, of which ``seen`` has the columns.

    They are a random part of ``of`` questions, whose figure is to be known.
    ``view`` has their energies, null where the target needs none. ``in_flight``: requests at a time.
    ``score_range`` is that of the task, null where there is none. A cost, which knows no range, is not known
    before `COSTS_FROM` questions: what is dear and rare would not have been seen.
    """
    n = len(questions)
    if target.quantity.column is Column.CORRECT:
        return _share(target, seen.column("right", n), of)
    units = _units(target, seen, questions, view, in_flight)
    if isinstance(units, str):
        return Standing(target, why=units)
    score = target.quantity.column is Column.SCORE
    found = estimate(units, of, score_range if score else None)
    if isinstance(found, Reason):
        return Standing(target, why=_why_none(found, units))
    lo, hi = found.figure - found.half_width, found.figure + found.half_width
    return _standing(target, found.figure, (lo, hi), n, of, least=0 if score else COSTS_FROM)


def _share(target: Precision, right: Floats, of: int) -> Standing:
    scored = right[~np.isnan(right)]
    if not len(scored):
        return Standing(target, why="no answer could be scored")
    # questions without a right answer are in the task as they are in the sample
    population = of * len(scored) / len(right)
    lo, hi = (float(end) for end in wilson_bounds(scored.sum(), len(scored), population))
    return _standing(target, float(scored.mean()), (lo, hi), len(right), of)


def _standing(
    target: Precision, figure: float, interval: tuple[float, float], n: int, of: int, least: int = 0
) -> Standing:
    """Return the standing of a target that is met once half of the interval's length is no more than it.

    Not before ``least`` questions.
    """
    half, allowed = (interval[1] - interval[0]) / 2, target.allowed(figure)
    narrow = half <= allowed
    met, more = narrow and n >= least, None
    if narrow and not met:
        more = min(least, of) - n
    elif not narrow and allowed > 0:
        # the variance falls as 1/n - 1/N
        inverse = 1 / of + (allowed / half) ** 2 * (1 / n - 1 / of)
        more = min(max(math.ceil(1 / inverse), least, n + 1), of) - n
    return Standing(target, met, figure, half, *interval, more)


def _why_none(reason: Reason, units: Units) -> str:
    if reason is Reason.NO_SPREAD:
        return "all answers so far are the same"
    if reason is Reason.NOTHING_CORRECT:
        return "no answer was correct"
    if len(units.cost) < MIN_UNITS:
        return f"{len(units.cost)} units of answers were metered apart, and {MIN_UNITS} are needed"
    return f"too few answers were correct, and {MIN_UNITS} are needed"


def _units(
    target: Precision, seen: Seen, questions: list[Repeats], view: RunView | None, in_flight: int
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
        of_requests = _divisors(seen, quantity, n) * [len(repeats) for repeats in questions]
        units = metered_units(view, questions, of_requests.tolist())
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
    divisors = _divisors(seen, quantity, n)
    known = ~np.isnan(cost)
    if not known.all() and quantity.column in (Column.USD, Column.TOKENS):
        return f"{n - int(known.sum())} of {n} questions lack a token count or its price"
    if not known.any():
        return "no answer was streamed" if quantity.column is Column.LATENCY else "no answer could be scored"
    units = Units(cost[known], divisors[known], n)
    # requests that were in flight together share the moment's load
    batched = quantity.column is Column.LATENCY and in_flight > 1
    return units.batched(BATCHES_OF * in_flight) if batched else units


def _divisors(seen: Seen, quantity: Quantity, n: int) -> Floats:
    """Return what a question adds to the divisor: of a mean 1, else what of it was right.

    What could not be graded costs and is not right, as in the run's own figure.
    """
    return np.nan_to_num(seen.column("right", n), nan=0.0) if quantity.per_correct else np.ones(n)


def _why(value: Value) -> str:
    return " ".join(filter(None, (value.reason.text if value.reason else "", value.detail)))


def _times(rate: float | None, pue: float) -> float | None:
    return None if rate is None else rate * pue
