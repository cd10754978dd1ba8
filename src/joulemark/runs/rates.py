"""From what the user says of prices and of the grid to the rates of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from joulemark.metrics.grid import GRID, grid_intensity
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates

DECLARED = "declared by the user"
_PER_MILLION = 1_000_000
_MAX_USD = 1_000_000  # a price above a dollar a token is a slip of the pen
_TOKENS = 1_000  # below every tier of a price list: a tier that is crossed prices all tokens of a request


@dataclass(frozen=True, slots=True)
class DeclaredRates:
    """The user's words. ``price``: "PROMPT,COMPLETION" in USD per million tokens, or "PROVIDER/MODEL"."""

    usd_per_kwh: float | None = None
    price: str | None = None
    gco2e_per_kwh: float | None = None
    zone: str | None = None
    pue: float | None = None

    @property
    def given(self) -> bool:
        """Whether anything was said."""
        return self != DeclaredRates()


def rates_of(declared: DeclaredRates, before: Rates | None = None) -> Rates:
    """Return the rates with their sources; what is not said stays as it was ``before``.

    Raises `InputError` for what is no price and no known zone.
    """
    rates = Rates() if before is None else before.model_copy()
    if declared.pue is not None:
        rates.pue = declared.pue
    if declared.gco2e_per_kwh is not None:
        rates.gco2e_per_kwh = declared.gco2e_per_kwh
        rates.grid_zone, rates.grid_source = declared.zone, DECLARED
    elif declared.zone is not None:
        try:
            grid = grid_intensity(declared.zone.upper())
        except KeyError as error:
            raise InputError(
                f"the grid intensity of {declared.zone!r} is not known here",
                why=f"there are {', '.join(sorted(GRID))}",
                fix="give it with --gco2e-per-kwh NUMBER",
            ) from error
        rates.gco2e_per_kwh, rates.grid_zone = grid.gco2e_per_kwh, grid.zone
        rates.grid_source = grid.source
    if declared.usd_per_kwh is not None:
        rates.usd_per_kwh, rates.electricity_source = declared.usd_per_kwh, DECLARED
    if declared.price is not None:
        _price(declared.price, rates)
        if declared.usd_per_kwh is None and before is not None:
            # asked anew what the tokens would cost: a tariff from before must not stand in the way
            rates.usd_per_kwh = rates.electricity_source = None
    return rates


def _price(price: str, rates: Rates) -> None:
    if "/" in price:
        _listed_price(price, rates)
        return
    parts = price.split(",")
    try:
        prompt, completion = (float(part) for part in parts)
    except ValueError as error:
        raise _no_price(price, "two numbers or a name were expected") from error
    if not all(math.isfinite(usd) and 0 <= usd <= _MAX_USD for usd in (prompt, completion)):
        raise _no_price(price, f"a price lies between 0 and {_MAX_USD:,} USD per million tokens")
    rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens = prompt, completion
    rates.token_price_source = DECLARED


def _listed_price(name: str, rates: Rates) -> None:
    """Take a hosted model's price of today from the list of the library `genai-prices`."""
    try:
        from importlib.metadata import version

        from genai_prices import Usage, calc_price
    except ModuleNotFoundError as error:
        raise InputError(
            f"the price of {name} cannot be looked up",
            why="the library with the price lists is not installed",
            fix="pip install 'joulemark[prices]', or give the price: --price PROMPT,COMPLETION",
        ) from error
    provider, _, model = name.partition("/")
    now = datetime.now(UTC)
    try:
        found = calc_price(
            Usage(input_tokens=_TOKENS, output_tokens=_TOKENS),
            model_ref=model,
            provider_id=provider,
            genai_request_timestamp=now,
        )
    except LookupError as error:
        raise _no_price(name, str(error)) from error
    rates.usd_per_million_prompt_tokens = float(found.input_price * _PER_MILLION / _TOKENS)
    rates.usd_per_million_completion_tokens = float(found.output_price * _PER_MILLION / _TOKENS)
    rates.token_price_source = (
        f"{found.provider.id}/{found.model.id}, genai-prices {version('genai-prices')}, {now:%Y-%m-%d}"
    )


def _no_price(price: str, why: str) -> InputError:
    return InputError(
        f"--price {price} is no price",
        why=why,
        fix="write --price PROMPT,COMPLETION in USD per million tokens, or --price PROVIDER/MODEL",
    )
