"""When more load is no use any more: the engine gives no more, and everybody waits longer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.value import Value
from joulemark.record.reason import Reason

MIN_GAIN = 0.02
STEPS = 2
"""So many steps in a row must be flat, so that one unlucky point ends nothing."""
LATENCY = "e2el_mean"


def flat_step(before: OperatingPoint, after: OperatingPoint) -> bool | None:
    """Tell whether a step up in load brought less than 2 % throughput and a worse latency.

    The throughput is output tokens a second of the steady state (of media: units), the latency that of the
    whole answer. An open load that the engine cannot keep up with has no steady state: that is flat too. Null
    where a figure is not known.
    """
    rate = _throughput(after)
    if rate.reason is Reason.OVERLOADED:
        return True
    pairs = ((_throughput(before), rate), (figure_of(before, LATENCY), figure_of(after, LATENCY)))
    if any(one.value is None or other.value is None for one, other in pairs):
        return None
    (slow, fast), (short, long) = ((one.value or 0.0, other.value or 0.0) for one, other in pairs)
    return fast < (1 + MIN_GAIN) * slow and long > short


def is_saturated(chain: Sequence[OperatingPoint]) -> bool:
    """Tell whether the last steps of points of rising load were all flat."""
    if len(chain) <= STEPS:
        return False
    last = chain[-STEPS - 1 :]
    return all(flat_step(a, b) is True for a, b in itertools.pairwise(last))


def saturation_text(axis: str, level: float) -> str:
    """Return the sentence that stands at the points that are left out."""
    name = "requests in flight" if axis == "concurrency" else "requests a second"
    return (
        f"saturated: at {level:g} {name} two steps in a row had brought less than {MIN_GAIN:.0%} "
        "throughput and longer waits"
    )


def _throughput(point: OperatingPoint) -> Value:
    return point.tokens_per_second if point.unit == "request" else point.throughput
