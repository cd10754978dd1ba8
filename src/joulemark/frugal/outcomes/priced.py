"""Energies and tokens of a file's items at rates that are declared: dollars and grams of each."""

from __future__ import annotations

from dataclasses import replace

from joulemark.frugal.outcomes.formats.columns import cost_name, outcomes_of
from joulemark.frugal.outcomes.outcomes import Floats, Outcomes
from joulemark.metrics.carbon import JOULES_PER_KWH
from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.record.errors import InputError

PRICED = ("usd", "gco2e")


def priced(outcomes: Outcomes, declared: DeclaredRates, *, origin: str) -> Outcomes:
    """Return outcomes of a file with ``usd`` and ``gco2e`` of each item, in place of what the file says.

    Raises `InputError` where the file has nothing that the rates are of, or they change with time.
    """
    if declared.tariff is not None or declared.grid_series is not None:
        raise _unpriced(origin, "its items have no times, and these rates change with time")
    if declared.embodied_kg is not None or declared.lifetime_years is not None:
        raise _unpriced(origin, "nobody knows how long a machine was in use for it")
    rates = rates_of(declared)
    costs = dict(outcomes.costs)
    notes = list(outcomes.notes)
    energy = costs.get("energy_j")
    if energy is None and (rates.usd_per_kwh is not None or rates.gco2e_per_kwh is not None):
        raise _unpriced(origin, "it has no column energy_j, in joules")
    if energy is None and declared.price is None:
        raise _unpriced(origin, "no rate was given that it could be priced by")
    if energy is not None:
        for name, rate in (("usd", rates.usd_per_kwh), ("gco2e", rates.gco2e_per_kwh)):
            if rate is not None:
                costs[name] = energy * (rate * rates.pue / JOULES_PER_KWH)
                notes.append(f"{name} of its energy_j at {rate:g} per kWh and a PUE of {rates.pue:g}")
    if declared.price is not None:
        costs["usd"] = _of_tokens(
            outcomes,
            rates.usd_per_million_prompt_tokens or 0.0,
            rates.usd_per_million_completion_tokens or 0.0,
            origin,
        )
        notes.append(f"usd of its tokens at {declared.price} ({rates.token_price_source})")
    return replace(outcomes, costs=costs, notes=tuple(notes))


def with_metric(outcomes: Outcomes, metric: str, *, origin: str) -> Outcomes:
    """Return outcomes whose values are one of their costs; raises `InputError` where it is not there."""
    found = outcomes_of(
        outcomes.name,
        outcomes.values,
        origin=origin,
        metric=cost_name(metric),
        item_ids=outcomes.item_ids,
        domains=outcomes.domains,
        costs=outcomes.costs,
        modelled=outcomes.modelled,
        notes=outcomes.notes,
        task=outcomes.task,
    )
    return replace(found, unanswered=(*outcomes.unanswered, *found.unanswered))


def _of_tokens(outcomes: Outcomes, prompt: float, completion: float, origin: str) -> Floats:
    prompts, completions = (outcomes.costs.get(name) for name in ("prompt_tokens", "completion_tokens"))
    if prompts is None or completions is None:
        raise _unpriced(origin, "it has not both columns prompt_tokens and completion_tokens")
    return (prompts * prompt + completions * completion) / 1e6


def _unpriced(origin: str, why: str) -> InputError:
    return InputError(
        f"{origin} cannot be priced", why=why, fix="leave the rates out, or name a run or another file"
    )
