"""Times on the command line: a number with its unit, in seconds where it has none."""

from __future__ import annotations

import math
import re

import click

_TIME = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(us|µs|ms|s|min|h)?\s*", re.IGNORECASE)
_PER_SECOND = {"us": 1e6, "µs": 1e6, "ms": 1e3}
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}


def seconds(text: str) -> float:
    """Return ``100ms``, ``5s``, ``2min`` or ``0.1`` in seconds; raises ``click.BadParameter``.

    Usable as the type of an option.
    """
    found = _TIME.fullmatch(text)
    number = math.nan
    if found is not None:
        number, unit = float(found[1]), (found[2] or "s").lower()
        # divided, so that 100ms is the same float as 0.1
        number = number / _PER_SECOND[unit] if unit in _PER_SECOND else number * _SECONDS[unit]
    if not (math.isfinite(number) and number > 0):
        raise click.BadParameter(f"{text!r} is no time; write 100ms, 5s or 2min")
    return number
