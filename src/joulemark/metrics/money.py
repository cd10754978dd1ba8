"""US dollars: metered energy times a tariff, or tokens times their prices; never both together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from joulemark.metrics.accuracy import is_correct, why_not_scored
from joulemark.metrics.carbon import JOULES_PER_KWH, uncovered
from joulemark.metrics.cost_interval import cost_interval
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.token_doubt import CONTRADICTED, WITHHELD_WHEN, counts_contradicted
from joulemark.metrics.value import TOO_LARGE, Value, scaled, withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import Rates

_INPUTS = (
    "rates.usd_per_kwh",
    "rates.tariff",
    "rates.pue",
    "rates.usd_per_million_prompt_tokens",
    "rates.usd_per_million_completion_tokens",
    "items.prompt_tokens",
    "items.completion_tokens",
)
_WHEN = (
    "no price was given (`--usd-per-kwh`, `--tariff` or `--price`)",
    "with electricity priced: the joules are withheld",
    "with a tariff by time: it does not cover all of the time measured",
    "with token prices: one of the two prices or any request's token count is missing",
    f"with token prices: {WITHHELD_WHEN}",
    "the rates make it larger than a number can be",
)
_SOURCE = (
    "declared prices: electricity (metered energy of the headline scope × tariff × PUE) for an engine on "
    "this machine, token prices for one elsewhere; where both are given they are not added. A tariff by time "
    "counts as the mean of its steps weighted by the energy metered within each (by time where the meter "
    "cannot tell the parts of a window); it may be negative. Tokens from a cache are charged in full, tries "
    "before the last one are not; hardware is left out"
)

PER_CORRECT = MetricDefinition(
    "usd_per_correct_answer",
    "Cost per correct answer",
    "USD",
    r"C / n_\mathrm{correct}, \text{ } C = E / 3.6 \cdot 10^6 \cdot p_\mathrm{kWh} \cdot \mathrm{PUE} "
    r"\text{ or } \sum_i (n_{\mathrm{prompt},i}\, p_\mathrm{prompt} + "
    r"n_{\mathrm{completion},i}\, p_\mathrm{completion})",
    ("joules_per_correct_answer", *_INPUTS),
    (*_WHEN, "no answer was correct", "the score is real-valued"),
    f"{_SOURCE}; interval: that of joules per correct answer, or the same bootstrap of token cost per item",
)
PER_REQUEST = MetricDefinition(
    "usd_per_request",
    "Cost per request",
    "USD",
    r"C / n_\mathrm{requests}",
    ("joules_per_request", *_INPUTS),
    _WHEN,
    f"{_SOURCE}; interval: the meter's bound, none with token prices",
)
DEFINITIONS = (PER_CORRECT, PER_REQUEST)
_LARGEST_USD = 1e300


def by_tokens(rates: Rates, *, local: bool | None) -> bool:
    """Tell whether token prices count: they are given; the engine is elsewhere, or electricity unpriced."""
    priced = (
        rates.usd_per_million_prompt_tokens is not None or rates.usd_per_million_completion_tokens is not None
    )
    return priced and (local is not True or not electricity_priced(rates))


def electricity_priced(rates: Rates) -> bool:
    """Tell whether electricity was given a price, be it a tariff that does not cover the run."""
    return rates.usd_per_kwh is not None or bool(rates.tariff) or rates.electricity_source is not None


def usd_per_correct_answer(
    joules_per_correct: Value,
    items: Sequence[Item],
    rates: Rates,
    *,
    local: bool | None,
    real_valued: bool = False,
) -> Value:
    """Return dollars per correct answer; ``local`` tells whether the engine runs on this machine.

    ``real_valued`` as of `why_not_scored`.
    """
    if not by_tokens(rates, local=local):
        return electricity_cost(joules_per_correct, rates)
    costs = token_costs(items, rates)
    if isinstance(costs, Value):
        return costs
    reason = why_not_scored(items, real_valued=real_valued)
    n_correct = sum(map(is_correct, items))
    if reason is not None or not n_correct:
        return withheld("USD", reason or Reason.NOTHING_CORRECT)
    total = math.fsum(costs)
    by_key: dict[tuple[str, int], float | Reason] = {
        item.key: cost for item, cost in zip(items, costs, strict=True)
    }
    interval = cost_interval(total, items, by_key)
    if interval.lo is None or interval.hi is None:
        return Value(total / n_correct, "USD", interval_reason=interval.reason, n=interval.n)
    return Value(total / n_correct, "USD", interval.lo, interval.hi, "ci95", n=interval.n)


def usd_per_request(
    joules_per_request: Value, items: Sequence[Item], rates: Rates, *, local: bool | None
) -> Value:
    """Return dollars per request, failed ones included; ``local`` as of `usd_per_correct_answer`."""
    if not by_tokens(rates, local=local):
        return electricity_cost(joules_per_request, rates)
    costs = token_costs(items, rates)
    if isinstance(costs, Value):
        return costs
    return Value(math.fsum(costs) / len(costs), "USD", n=len(costs))


def electricity_cost(joules: Value, rates: Rates) -> Value:
    """Return joules (a figure with its interval) as dollars by the declared tariff and PUE."""
    if rates.usd_per_kwh is None:
        if electricity_priced(rates):
            return withheld("USD", Reason.RATES_DO_NOT_COVER, detail=uncovered(rates.electricity_source))
        return withheld("USD", Reason.NO_PRICE)
    return scaled(joules, rates.usd_per_kwh * rates.pue / JOULES_PER_KWH, "USD")


def token_costs(items: Sequence[Item], rates: Rates) -> list[float] | Value:
    """Return what each item's tokens cost in dollars, or the withheld value."""
    prompt, output = rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens
    if prompt is None or output is None:
        lacking = "prompt" if prompt is None else "output"
        return withheld("USD", Reason.NO_PRICE, detail=f"The price of {lacking} tokens is missing.")
    if not items:
        return withheld("USD", Reason.NOTHING_SCORED, detail="No request was made.")
    if counts_contradicted(items):
        return withheld("USD", Reason.NOT_REPORTED, detail=CONTRADICTED)
    try:
        costs = [
            (item.prompt_tokens * prompt + item.completion_tokens * output) / 1e6
            for item in items
            if item.prompt_tokens is not None and item.completion_tokens is not None
        ]
    except OverflowError:  # a count beyond any float
        return withheld("USD", Reason.NOT_APPLICABLE, detail=TOO_LARGE)
    # resamples add up to a few times the sum; not `>`, which a NaN would pass
    if not all(abs(cost) <= _LARGEST_USD / len(items) for cost in costs):
        return withheld("USD", Reason.NOT_APPLICABLE, detail=TOO_LARGE)
    if len(costs) < len(items):
        missing = f"{len(items) - len(costs)} of {len(items)} requests lack a token count."
        return withheld("USD", Reason.NOT_REPORTED, detail=missing)
    return costs
