"""What `joulemark pick` reads from the command line: lengths with a spread, and budgets a day."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from joulemark.metrics.picking import Spread

MAX_TOKENS = 100_000_000
_NUMBER = r"([0-9][0-9_,]*(?:\.[0-9]*)?|\.[0-9]+)"
_LENGTH = re.compile(rf"\s*{_NUMBER}\s*(?:(?:±|\+-|\+/-)\s*{_NUMBER})?\s*")
_BUDGET = re.compile(
    rf"\s*(\$)?\s*{_NUMBER}\s*(\$|usd|dollars?|wh|kwh|g|kg|gco2e|kgco2e)?\s*(?:/|\s+an?\s+|\s*per\s*)\s*day\s*",
    re.IGNORECASE,
)
# the figure, and how many of the written units make one of its own
_UNITS = {
    "$": ("usd", 1.0),
    "usd": ("usd", 1.0),
    "dollar": ("usd", 1.0),
    "dollars": ("usd", 1.0),
    "wh": ("kwh", 1e3),
    "kwh": ("kwh", 1.0),
    "g": ("gco2e", 1.0),
    "gco2e": ("gco2e", 1.0),
    "kg": ("gco2e", 1e-3),
    "kgco2e": ("gco2e", 1e-3),
}


def length(text: str) -> Spread:
    """Return ``1200`` or ``1200±400`` (also ``1200+-400``) as a length; raises ``click.BadParameter``.

    Usable as the type of an option.
    """
    from joulemark.metrics.picking import Spread

    found = _LENGTH.fullmatch(text)
    if found is None:
        raise click.BadParameter(f"{text!r} is no number of tokens; write 1200 or 1200±400")
    mean, sd = _number(found[1]), _number(found[2]) if found[2] else 0.0
    if max(mean, sd) > MAX_TOKENS:
        raise click.BadParameter(f"{text!r} is more than {MAX_TOKENS:,} tokens")
    return Spread(mean, sd)


def budget(text: str) -> tuple[str, float]:
    """Return ``$5/day``, ``2kWh/day`` or ``1kg/day`` as (``usd``, ``kwh`` or ``gco2e``, the most a day)."""
    found = _BUDGET.fullmatch(text)
    unit = (found[1] or found[3] or "").lower() if found else ""
    if found is None or not unit or (found[1] and found[3]):
        raise click.BadParameter(f"{text!r} is no budget; write $5/day, 2kWh/day or 1kg/day")
    figure, units = _UNITS[unit]
    most = _number(found[2]) / units
    if not (math.isfinite(most) and most > 0):
        raise click.BadParameter(f"{text!r} is no budget above zero")
    return figure, most


def _number(text: str) -> float:
    return float(text.replace(",", "").replace("_", ""))
