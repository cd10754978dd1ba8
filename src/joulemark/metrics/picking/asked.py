"""What somebody asks of a pick, as they write it: lengths, times, budgets, and the limits that they make.

The command line and the board read the same words here. Every error is a ``ValueError`` with a sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from joulemark.metrics.limits import Limit
from joulemark.metrics.picking.constraints import Bound, Constraint, Named
from joulemark.metrics.picking.workload import Spread

MAX_TOKENS = 100_000_000
NO_DAY = "a budget a day needs to know how many requests come"
_NUMBER = r"([0-9][0-9_,]*(?:\.[0-9]*)?|\.[0-9]+)"
_LENGTH = re.compile(rf"\s*{_NUMBER}\s*(?:(?:±|\+-|\+/-)\s*{_NUMBER})?\s*")
_BUDGET = re.compile(
    rf"\s*(\$)?\s*{_NUMBER}\s*(\$|usd|dollars?|wh|kwh|g|kg|gco2e|kgco2e)?\s*(?:/|\s+an?\s+|\s*per\s*)\s*day\s*",
    re.IGNORECASE,
)
_TIME = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(us|µs|ms|s|min|h)?\s*", re.IGNORECASE)
_PER_SECOND = {"us": 1e6, "µs": 1e6, "ms": 1e3}
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
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
_OF_WORKLOAD = ("joules_per_correct", "usd", "gco2e")  # of a point by the same names


def read_length(text: str) -> Spread:
    """Return ``1200`` or ``1200±400`` (also ``1200+-400``) as a length."""
    found = _LENGTH.fullmatch(text)
    if found is None:
        raise ValueError("no number of tokens; write 1200 or 1200±400")
    mean, sd = _number(found[1]), _number(found[2]) if found[2] else 0.0
    if max(mean, sd) > MAX_TOKENS:
        raise ValueError(f"more than {MAX_TOKENS:,} tokens")
    return Spread(mean, sd)


def read_seconds(text: str) -> float:
    """Return ``100ms``, ``5s``, ``2min`` or ``0.1`` in seconds."""
    return _seconds(text, needs_unit=False)


def read_limit_seconds(text: str) -> float:
    """Return a time with its unit in seconds: nobody is to guess whether 100 was seconds or milliseconds."""
    return _seconds(text, needs_unit=True)


def _seconds(text: str, *, needs_unit: bool) -> float:
    found = _TIME.fullmatch(text)
    number = math.nan
    if found is not None:
        number, unit = float(found[1]), (found[2] or "s").lower()
        # divided, so that 100ms is the same float as 0.1
        number = number / _PER_SECOND[unit] if unit in _PER_SECOND else number * _SECONDS[unit]
    if not (math.isfinite(number) and number > 0):
        raise ValueError("no time; write 100ms, 5s or 2min")
    if needs_unit and found is not None and not found[2]:
        raise ValueError("a number without a unit; write 100ms, 5s or 2min")
    return number


def read_budget(text: str) -> tuple[str, float]:
    """Return ``$5/day``, ``2kWh/day`` or ``1kg/day`` as (``usd``, ``kwh`` or ``gco2e``, the most a day)."""
    found = _BUDGET.fullmatch(text)
    unit = (found[1] or found[3] or "").lower() if found else ""
    if found is None or not unit or (found[1] and found[3]):
        raise ValueError("no budget; write $5/day, 2kWh/day or 1kg/day")
    figure, units = _UNITS[unit]
    most = _number(found[2]) / units
    if not (math.isfinite(most) and most > 0):
        raise ValueError("no budget above zero")
    return figure, most


def constraints_of(
    named: Mapping[str, str | None],
    limits: Iterable[Limit],
    budgets: Iterable[tuple[str, float]] = (),
    requests_per_day: float | None = None,
    *,
    of_requests: bool = False,
) -> tuple[Constraint, ...]:
    """Return what has to be kept: names (null: any), limits by a point's figures, and budgets a day.

    ``of_requests``: a budget bounds the requests alone, without the standby between them.
    """
    found: list[Constraint] = [Named(name, text) for name, text in named.items() if text is not None]
    for limit in limits:
        name = "workload_joules" if limit.name == "energy_j" else limit.name
        name = f"workload_{name}" if name in _OF_WORKLOAD else name
        found.append(Bound(name, limit.bound, limit.at_least))
    for quantity, most in budgets:
        if requests_per_day is None:
            raise ValueError(NO_DAY)
        name = f"workload_{quantity}_per_day"
        if of_requests:
            if quantity == "kwh":
                name = "workload_requests_kwh_per_day"
            else:  # of a request, R times
                name, most = f"workload_{quantity}", most / requests_per_day
        found.append(Bound(name, most))
    return tuple(found)


def _number(text: str) -> float:
    return float(text.replace(",", "").replace("_", ""))
