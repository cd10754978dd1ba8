"""Money and carbon: figures only where a rate was given, and always with that rate and its source."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.metrics.carbon import intensity_given
from joulemark.metrics.money import by_tokens, electricity_priced
from joulemark.metrics.summary import Summary
from joulemark.record.manifest import Rates, RateStep
from joulemark.report.wording import number, printable

NO_PRICE = (
    "No price was given. `--usd-per-kwh 0.30` prices the electricity, `--tariff FILE` by time of use, "
    "`--price` the tokens of a hosted engine."
)
NO_GRID = (
    "No grid intensity was given. `--zone DEU` takes it from a dated table, `--gco2e-per-kwh 344` states it, "
    "`--grid-series FILE` has it change with time."
)
MONEY = ("usd_per_correct_answer", "usd_per_request")
CARBON = ("gco2e_per_correct_answer", "gco2e_per_request")
EMBODIED = ("embodied_gco2e_per_correct_answer", "embodied_gco2e_per_request")


def priced(rates: Rates) -> bool:
    """Tell whether any price was given."""
    tokens = (rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens)
    return electricity_priced(rates) or any(price is not None for price in tokens)


def asked_for(rates: Rates) -> tuple[str, ...]:
    """Return the names of the figures for which a rate was given."""
    embodied = rates.embodied_kgco2e is not None or rates.lifetime_years is not None
    return (
        *(MONEY if priced(rates) else ()),
        *(CARBON if intensity_given(rates) else ()),
        *(EMBODIED if embodied else ()),
    )


def rate_lines(rates: Rates, *, local: bool | None) -> list[str]:
    """Return the rates that count, each with its source; ``local``: the engine runs on this machine.

    ``rates`` are the effective ones: those that change with time beside their mean over the run.
    """
    lines = []
    if priced(rates) and by_tokens(rates, local=local):
        prompt, output = (
            "no price" if usd is None else f"{usd:g} USD"
            for usd in (rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens)
        )
        source = _source(rates.token_price_source)
        lines.append(
            f"Tokens: {prompt} per million of the prompt, {output} per million of output ({source})."
        )
    elif electricity_priced(rates):
        told = _rate(rates.usd_per_kwh, "USD per kWh", rates.electricity_source, rates.tariff)
        paid = "; negative: using it was paid for" if (rates.usd_per_kwh or 0) < 0 else ""
        lines.append(f"Electricity: {told}{_building(rates)}{paid}.")
    if intensity_given(rates):
        where = ", ".join(filter(None, (rates.grid_zone, rates.grid_source)))
        told = _rate(rates.gco2e_per_kwh, "g CO2e per kWh", where, rates.grid_series)
        lines.append(f"Grid: {told}{_building(rates)}; making the machine is not in it.")
    if rates.embodied_kgco2e is not None and rates.lifetime_years is not None:
        lines.append(
            f"Making the machine: {rates.embodied_kgco2e:g} kg CO2e over {rates.lifetime_years:g} years "
            f"({_source(rates.embodied_source)}), shared out by time and never added to the grid's."
        )
    return lines


def _rate(mean: float | None, unit: str, source: str | None, steps: Sequence[RateStep]) -> str:
    """Return a rate with its source; of one that changes with time its mean over the run, and its range."""
    if mean is None:
        return f"not known for all of the time that was measured ({_source(source)})"
    if not steps:
        return f"{mean:g} {unit} ({_source(source)})"
    low, high = min(step.rate for step in steps), max(step.rate for step in steps)
    spread = f"; its steps lie between {low:g} and {high:g}" if low != high else ""
    return f"{mean:.4g} {unit} while it was measured{spread} ({_source(source)})"


def missing_lines(rates: Rates) -> list[str]:
    """Return how to get what was not asked for."""
    return [
        *([] if priced(rates) else [NO_PRICE]),
        *([] if intensity_given(rates) else [NO_GRID]),
    ]


def a_million(summary: Summary) -> str:
    """Return the dollars of a million correct answers: a correct answer costs too little to picture."""
    value = summary.figures["usd_per_correct_answer"].value
    if value is None or abs(value) >= 0.1:
        return ""
    million = value * 1e6
    return f"A million correct answers: {number(million, 2 if abs(million) < 1000 else 0)} USD."


def _source(told: str | None) -> str:
    return printable(told or "source not told")


def _building(rates: Rates) -> str:
    return f", times {rates.pue:g} for the building (PUE)" if rates.pue != 1 else ""
