"""A cost per request as one per correct answer."""

from __future__ import annotations

import math

from joulemark.metrics.operands import numbers_of, withheld_like
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason


def per_correct(cost: Value, accuracy: Value) -> Value:
    """Return cost over accuracy in the unit of ``cost``, with the interval of both.

    The sides of the two independent intervals join in quadrature on a logarithmic scale: the method of
    variance estimates recovery (G. Zou and A. Donner, 2008; of ratios, 2010). Where an interval reaches zero
    its end over the accuracy's own stands for it. Without an interval where either has none.
    """
    found = numbers_of(cost, accuracy)
    if isinstance(found, Value):
        return withheld_like(found, cost.unit)
    point, share = found
    if share <= 0:
        return withheld(cost.unit, Reason.NOTHING_CORRECT)
    ratio = point / share
    if cost.lo is None or cost.hi is None or accuracy.lo is None or accuracy.hi is None:
        lacking = cost if cost.lo is None else accuracy
        return Value(ratio, cost.unit, interval_reason=lacking.interval_reason or Reason.NOT_MEASURED)
    if cost.lo > 0 and accuracy.lo > 0 and point > 0:
        down = math.hypot(math.log(point / cost.lo), math.log(accuracy.hi / share))
        up = math.hypot(math.log(cost.hi / point), math.log(share / accuracy.lo))
        lo, hi = ratio * math.exp(-down), ratio * math.exp(up)
    else:
        lo = cost.lo / (accuracy.lo if cost.lo < 0 and accuracy.lo > 0 else accuracy.hi)
        hi = cost.hi / max(accuracy.lo, 1e-9)
    return Value(ratio, cost.unit, lo, hi, "ci95", n=accuracy.n)
