"""Whether two figures can be told apart, and what one saves against the other, with intervals."""

from __future__ import annotations

import math

from joulemark.metrics.operands import numbers_of, withheld_like
from joulemark.metrics.value import IntervalKind, Value, withheld
from joulemark.record.reason import Reason

_LARGEST_EXPONENT = 600.0

Sides = tuple[float, float]  # how far a figure may lie below and above its value


def _sides(value: Value) -> Sides | None:
    if value.value is None or value.lo is None or value.hi is None:
        return None
    return max(0.0, value.value - value.lo), max(0.0, value.hi - value.value)


def _joined(a: Value, b: Value) -> tuple[IntervalKind, bool]:
    """Return the kind of an interval made of two, and whether their sides add in quadrature.

    Two confidence intervals of independent figures do. Bounds add in full, and so does a bound to a
    confidence interval: then the result holds at least as often as a confidence interval.
    """
    both = a.interval == b.interval == "ci95"
    return ("bound" if a.interval == b.interval == "bound" else "ci95"), both


def _sum(one: float, other: float, quadrature: bool) -> float:
    return math.hypot(one, other) if quadrature else one + other


def difference(a: Value, b: Value) -> Value:
    """Return a - b with its interval; without one where either has none, withheld where either is."""
    found = numbers_of(a, b)
    if isinstance(found, Value):
        return withheld_like(found, a.unit)
    point = found[0] - found[1]
    of_a, of_b = _sides(a), _sides(b)
    if of_a is None or of_b is None:
        lacking = a if of_a is None else b
        return Value(point, a.unit, interval_reason=lacking.interval_reason or Reason.NOT_MEASURED)
    kind, quadrature = _joined(a, b)
    lo = point - _sum(of_a[0], of_b[1], quadrature)
    hi = point + _sum(of_a[1], of_b[0], quadrature)
    return Value(point, a.unit, min(lo, point), max(hi, point), kind)


def told_apart(a: Value, b: Value) -> bool | None:
    """Tell whether the interval of a - b leaves out zero; null where there is none to say so."""
    between = difference(a, b)
    if between.lo is None or between.hi is None:
        return None
    return between.lo > 0 or between.hi < 0


def saving(of: Value, against: Value) -> Value:
    """Return ``1 - of / against`` with its interval; negative where it costs more.

    The interval is that of the ratio on a logarithmic scale (sides in quadrature for two confidence
    intervals), or the extremes of two bounds. Withheld against nothing.
    """
    found = numbers_of(of, against)
    if isinstance(found, Value):
        return withheld_like(found, "1")
    cost, base = found
    if base <= 0:
        return withheld("1", Reason.NOT_APPLICABLE, detail="There is nothing to save against zero.")
    share = cost / base
    if not math.isfinite(share):
        return withheld("1", Reason.NOT_APPLICABLE, detail="The ratio is larger than a number can be.")
    down, up = _log_sides(of), _log_sides(against)
    if down is None or up is None:
        lacking = of if down is None else against
        return Value(1 - share, "1", interval_reason=lacking.interval_reason or Reason.NOT_MEASURED)
    kind, quadrature = _joined(of, against)
    lo = share * math.exp(-_sum(down[0], up[1], quadrature))
    hi = share * math.exp(min(_sum(down[1], up[0], quadrature), _LARGEST_EXPONENT))
    return Value(1 - share, "1", min(1 - hi, 1 - share), max(1 - lo, 1 - share), kind)


def _log_sides(value: Value) -> Sides | None:
    """Return the sides on a logarithmic scale, null without an interval above zero."""
    if value.value is None or value.lo is None or value.hi is None or value.lo <= 0 or value.value <= 0:
        return None
    middle = math.log(value.value)
    return max(0.0, middle - math.log(value.lo)), max(0.0, math.log(value.hi) - middle)
