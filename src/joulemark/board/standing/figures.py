"""From a figure of the metrics to one that a board keeps, and two figures made of others."""

from __future__ import annotations

import math

from joulemark.board.standing.board_row import Figure
from joulemark.metrics.operands import numbers_of, withheld_like
from joulemark.metrics.value import IntervalKind, Value, withheld
from joulemark.record.reason import Reason
from joulemark.report.wording import printable, why, why_no_interval


def figure_from(value: Value) -> Figure:
    """Return a figure as it is kept: ``reason`` is the code, ``detail`` the sentence that goes with it.

    Of a known figure ``detail`` says how its interval was made, or why there is none.
    """
    if value.reason is not None:
        return Figure(None, value.unit, n=value.n, reason=value.reason.value, detail=why(value))
    told = why_no_interval(value) or printable(value.interval_method)
    return Figure(value.value, value.unit, value.lo, value.hi, value.interval, value.n, detail=told)


def value_from(figure: Figure) -> Value:
    """Return a kept figure as the metrics know it, for the words in which all reports tell one."""
    if figure.value is None:
        reason = Reason(figure.reason) if figure.reason in _REASONS else Reason.NOT_REPORTED
        return withheld(figure.unit, reason, detail=figure.detail)
    kind: IntervalKind = "ci95" if figure.interval == "ci95" else "bound"
    if figure.lo is None or figure.hi is None or figure.interval is None:
        return Value(figure.value, figure.unit, n=figure.n)
    return Value(figure.value, figure.unit, figure.lo, figure.hi, kind, n=figure.n)


def inverse(value: Value, unit: str) -> Value:
    """Return one over a figure, its interval turned round."""
    if value.value is None or value.reason is not None:
        return withheld_like(value, unit)
    if value.value <= 0 or not math.isfinite(1 / value.value):
        return withheld(unit, Reason.NOT_APPLICABLE, detail="It is one over nothing.")
    point = 1 / value.value
    if value.lo is None or value.hi is None or value.interval is None or value.lo <= 0:
        return Value(point, unit, n=value.n, interval_reason=value.interval_reason)
    lo, hi = min(1 / value.hi, point), 1 / value.lo
    if not math.isfinite(hi):
        return Value(point, unit, n=value.n, interval_reason=Reason.NOT_APPLICABLE)
    return Value(point, unit, lo, max(hi, point), value.interval, n=value.n)


def ratio(above: Value, below: Value, unit: str) -> Value:
    """Return a ratio of two figures, without an interval; withheld where either is, or it is endless."""
    found = numbers_of(above, below)
    if isinstance(found, Value):
        return withheld_like(found, unit)
    if found[1] <= 0 or not math.isfinite(found[0] / found[1]):
        return withheld(unit, Reason.NOT_APPLICABLE, detail="It is divided by nothing.")
    return Value(found[0] / found[1], unit, n=above.n)


_REASONS = frozenset(reason.value for reason in Reason)
