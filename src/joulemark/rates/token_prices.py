"""What tokens cost: two numbers that the user gives, or a hosted model's price of today from a list."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from joulemark.rates.number import plain_number
from joulemark.record.errors import InputError

_PER_MILLION = 1_000_000
_MAX_USD = 1_000_000  # a price above a dollar a token is a slip of the pen
_TOKENS = 1_000  # below every tier of a price list: a tier that is crossed prices all tokens of a request


def token_prices(price: str) -> tuple[float, float, str | None]:
    """Return USD per million prompt and output tokens, and the list that says so (null: the user's words).

    ``price`` is "PROMPT,COMPLETION" in USD per million tokens, or "PROVIDER/MODEL". Raises `InputError`.
    """
    if "/" in price:
        return _listed_price(price)
    parts = price.split(",")
    try:
        prompt, completion = (plain_number(part) for part in parts)
    except ValueError as error:
        raise _no_price(price, "two numbers or a name were expected") from error
    if not all(math.isfinite(usd) and 0 <= usd <= _MAX_USD for usd in (prompt, completion)):
        raise _no_price(price, f"a price lies between 0 and {_MAX_USD:,} USD per million tokens")
    return prompt, completion, None


def _listed_price(name: str) -> tuple[float, float, str]:
    """Take a price from the list of the library `genai-prices`."""
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
    return (
        float(found.input_price * _PER_MILLION / _TOKENS),
        float(found.output_price * _PER_MILLION / _TOKENS),
        f"{found.provider.id}/{found.model.id}, genai-prices {version('genai-prices')}, {now:%Y-%m-%d}",
    )


def _no_price(price: str, why: str) -> InputError:
    return InputError(
        f"--price {price} is no price",
        why=why,
        fix="write --price PROMPT,COMPLETION in USD per million tokens, or --price PROVIDER/MODEL",
    )
