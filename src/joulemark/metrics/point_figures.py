"""The figures of an operating point by name: what limits, axes and objectives are given in."""

from __future__ import annotations

import re

from joulemark.metrics.operands import numbers_of, withheld_like
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.tdp import tdp_ratio
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

LARGER_IS_BETTER = frozenset({"accuracy", "throughput", "tokens_per_second", "throughput_per_watt"})
LATENCY = re.compile(r"[a-z][a-z0-9_]*_(?:mean|p[0-9]{1,2}(?:_[0-9]+)?)")
"""How a latency and its statistic are named: ``tpot_mean``, ``ttft_p99``."""
PLAIN = (
    "energy_j",
    "joules_per_correct",
    "accuracy",
    "throughput",
    "tokens_per_second",
    "mean_power_w",
    "tdp_energy_j",
    "usd",
    "gco2e",
)


def figure_of(point: OperatingPoint, name: str) -> Value:
    """Return a figure of a point; raises ``KeyError`` for a name that is none.

    A latency that the point does not have is withheld: ``not_published`` of a published row, else
    ``not_measured``.
    """
    if name in PLAIN:
        found = getattr(point, name)
        assert isinstance(found, Value)
        return found
    if name == "throughput_per_watt":
        return throughput_per_watt(point)
    if name == "tdp_ratio":
        return tdp_ratio(point.tdp_energy_j, point.energy_j)
    if name in point.latencies_s:
        return point.latencies_s[name]
    if not LATENCY.fullmatch(name):
        raise KeyError(name)
    reason = Reason.NOT_PUBLISHED if point.kind == "published" else Reason.NOT_MEASURED
    return withheld("s", reason)


def throughput_per_watt(point: OperatingPoint) -> Value:
    """Return output tokens (of media: units) a second and watt, which is tokens per joule."""
    rate = point.tokens_per_second if point.unit == "request" else point.throughput
    unit = "tokens/J" if point.unit == "request" else f"{point.unit}s/J"
    found = numbers_of(rate, point.mean_power_w)
    if isinstance(found, Value):
        return withheld_like(found, unit)
    per_s, watts = found
    if watts <= 0:
        return withheld(unit, Reason.NOT_APPLICABLE, detail="The mean power is not above zero.")
    return Value(per_s / watts, unit)
