"""What tells of a mean or a cost: units of answers, and what of them would come anew if asked again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joulemark.frugal.stopping.seen import Floats, Seen
from joulemark.frugal.target import Column, Precision, Quantity
from joulemark.metrics.asked_again import ALL, cost_within, within_share
from joulemark.metrics.carbon import JOULES_PER_KWH
from joulemark.metrics.finite_ratio import BATCHES_OF, Units
from joulemark.metrics.metered_units import metered_units
from joulemark.metrics.money import by_tokens
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value
from joulemark.runs.finished import Repeats


@dataclass(frozen=True, slots=True)
class Observed:
    """Units with what a question fixes of their costs, float64[K, 3]: answers, prompt and output tokens.

    Null where it fixes them altogether; a request that was metered or timed is never twice the same.
    """

    units: Units
    fixed: Floats | None = None

    def within(self, *, sampled: bool, variances: Floats) -> float:
        """Return the part of the variance that having asked a question does not settle."""
        units = self.units
        divisor = float(units.divisor.sum())
        if not divisor > 0:
            return ALL
        errors = units.cost - float(units.cost.sum()) / divisor * units.divisor
        if sampled:
            return within_share(variances, float(errors @ errors) / max(len(errors) - 1, 1))
        return cost_within(units.cost, self.fixed, errors) if self.fixed is not None else 0.0


def observed(
    target: Precision, seen: Seen, questions: list[Repeats], view: RunView | None, in_flight: int
) -> Observed | str:
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
        n_repeats = np.array([len(repeats) for repeats in questions], np.float64)
        found: list[Units] = []
        for values in (_divisors(seen, quantity, n), *_fixed(seen, n)):
            units = metered_units(view, questions, (values * n_repeats).tolist())
            if isinstance(units, Value):
                return _why(units)
            found.append(units)
        units, *others = found
        of_money = Units(units.cost * per_kwh / JOULES_PER_KWH, units.divisor, units.n_items)
        return Observed(of_money, np.stack([one.divisor for one in others], axis=1))
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
    if quantity.column is not Column.LATENCY:
        return Observed(Units(cost[known], divisors[known], n))
    # requests that were in flight together share the moment's load
    size = BATCHES_OF * in_flight if in_flight > 1 else 1
    one, *others = (Units(cost[known], each[known], n).batched(size) for each in (divisors, *_fixed(seen, n)))
    return Observed(one, np.stack([other.divisor for other in others], axis=1))


def _fixed(seen: Seen, n: int) -> tuple[Floats, ...]:
    return np.ones(n), seen.column("prompt_tokens", n), seen.column("tokens", n)


def _divisors(seen: Seen, quantity: Quantity, n: int) -> Floats:
    """Return what a question adds to the divisor: of a mean 1, else what of it was right.

    What could not be graded costs and is not right, as in the run's own figure.
    """
    return np.nan_to_num(seen.column("right", n), nan=0.0) if quantity.per_correct else np.ones(n)


def _why(value: Value) -> str:
    return " ".join(filter(None, (value.reason.text if value.reason else "", value.detail)))


def _times(rate: float | None, pue: float) -> float | None:
    return None if rate is None else rate * pue
