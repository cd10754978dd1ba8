"""Money and carbon: figures only where a rate was given, and always with that rate and its source."""

from __future__ import annotations

from joulemark.metrics.money import by_tokens
from joulemark.metrics.summary import Summary
from joulemark.record.manifest import Rates
from joulemark.report.wording import number, printable

NO_PRICE = (
    "No price was given. `--usd-per-kwh 0.30` prices the electricity, `--price` the tokens of a hosted "
    "engine."
)
NO_GRID = (
    "No grid intensity was given. `--zone DEU` takes it from a dated table, `--gco2e-per-kwh 381` states it."
)
MONEY = ("usd_per_correct_answer", "usd_per_request")
CARBON = ("gco2e_per_correct_answer", "gco2e_per_request")


def priced(rates: Rates) -> bool:
    """Tell whether any price was given."""
    tokens = (rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens)
    return rates.usd_per_kwh is not None or any(price is not None for price in tokens)


def asked_for(rates: Rates) -> tuple[str, ...]:
    """Return the names of the figures for which a rate was given."""
    return (*(MONEY if priced(rates) else ()), *(CARBON if rates.gco2e_per_kwh is not None else ()))


def rate_lines(rates: Rates, *, local: bool | None) -> list[str]:
    """Return the rates that count, each with its source; ``local``: the engine runs on this machine."""
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
    elif rates.usd_per_kwh is not None:
        source = _source(rates.electricity_source)
        lines.append(f"Electricity: {rates.usd_per_kwh:g} USD per kWh ({source}){_building(rates)}.")
    if rates.gco2e_per_kwh is not None:
        where = _source(", ".join(filter(None, (rates.grid_zone, rates.grid_source))))
        lines.append(
            f"Grid: {rates.gco2e_per_kwh:g} g CO2e per kWh ({where}){_building(rates)}; making the machine "
            "is not counted."
        )
    return lines


def missing_lines(rates: Rates) -> list[str]:
    """Return how to get what was not asked for."""
    return [
        *([] if priced(rates) else [NO_PRICE]),
        *([] if rates.gco2e_per_kwh is not None else [NO_GRID]),
    ]


def a_million(summary: Summary) -> str:
    """Return the dollars of a million correct answers: a correct answer costs too little to picture."""
    value = summary.figures["usd_per_correct_answer"].value
    if value is None or value >= 0.1:
        return ""
    million = value * 1e6
    return f"A million correct answers: {number(million, 2 if million < 1000 else 0)} USD."


def _source(told: str | None) -> str:
    return printable(told or "source not told")


def _building(rates: Rates) -> str:
    return f", times {rates.pue:g} for the building (PUE)" if rates.pue != 1 else ""
