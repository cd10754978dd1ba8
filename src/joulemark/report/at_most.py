"""A figure whose bound is wider than itself: nothing is told but how much it is at most."""

from __future__ import annotations

import math

from joulemark.metrics.value import Value
from joulemark.report.wording import figure_texts

_DIGITS = 3


def bounded_texts(name: str, value: Value) -> tuple[str, str]:
    """Return what `figure_texts` does; of a figure with a bound wider than itself, what `at_most` says.

    The bound stays beside it where its lower end says something too.
    """
    text, bound = figure_texts(name, value)
    most = at_most(name, value)
    return (most, bound if value.lo else "") if most else (text, bound)


def at_most(name: str, value: Value) -> str:
    """Return "below" and the most that a figure can be where its bound is wider than itself, else nothing."""
    if value.interval != "bound" or value.value is None or value.lo is None or value.hi is None:
        return ""
    if value.lo < 0 or value.hi - value.lo <= value.value:
        return ""
    return f"below {figure_texts(name, Value(_rounded_up(value.hi), value.unit))[0]}"


def _rounded_up(value: float) -> float:
    """Return ``value`` (above 0) with three digits, and no less than it."""
    places = _DIGITS - 1 - math.floor(math.log10(value))
    return math.ceil(value * 10.0**places) / 10.0**places
