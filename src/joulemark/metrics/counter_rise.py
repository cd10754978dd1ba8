"""How a counter of the engine's own rose over a stretch, and ours counted the way that it counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.segment_load import SegmentLoad
from joulemark.record.telemetry import Quantity

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Curve = Callable[[Ints], Floats]
"""Our tokens counted until each instant."""

EDGE_NS = 500_000_000  # what is counted this long before or after the client saw it


class Rise(NamedTuple):
    """A counter's readings ``value`` at ``t_ns``; from begin_ns to end_ns ours may be in them."""

    t_ns: Ints
    value: Floats
    begin_ns: int
    end_ns: int


def rise_in(segment: SegmentLoad, quantity: Quantity, t0_ns: int, t1_ns: int) -> Rise | None:
    """Return how a counter rose; null where it was read too seldom, or fell with a new start."""
    counter = segment.gauge(quantity.value, t0_ns, t1_ns)
    if counter is None:
        return None
    inside = (counter.t_ns >= t0_ns) & (counter.t_ns <= t1_ns)
    t_ns, value = counter.t_ns[inside], counter.value[inside]
    if np.any(np.diff(value) < 0):
        return None
    return Rise(t_ns, value, int(t_ns[0]) - EDGE_NS, int(t_ns[-1]) + EDGE_NS)


def counted(each: Sequence[tuple[int, float]]) -> Curve:
    """Return the sum over (instant, tokens) until and with each instant."""
    stamps, tokens = zip(*sorted(each), strict=True) if each else ((), ())
    until = np.concatenate([[0.0], np.cumsum(tokens)])
    return lambda t_ns: np.asarray(until[np.searchsorted(stamps, t_ns, "right")], np.float64)
