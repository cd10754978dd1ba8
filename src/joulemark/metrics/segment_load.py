"""One segment of a run as a load: its requests, its streams and what the engine said of its batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from joulemark.metrics.occupancy import MAX_HOLD_S, Occupancy
from joulemark.metrics.token_course import TokenCourse, token_course
from joulemark.record.energy import Withheld
from joulemark.record.item import Chunk, Item
from joulemark.record.telemetry import Quantity

if TYPE_CHECKING:
    from joulemark.metrics.run_view import EngineGauge

MIN_GAUGE_READINGS = 10


@dataclass(frozen=True)
class SegmentLoad:
    """All requests of one segment, lead requests and those that were cut off included, in order of sending.

    ``gauges`` are the segment's own.
    """

    segment: int
    items: tuple[Item, ...]
    chunks: Mapping[tuple[str, int], Sequence[Chunk]]
    gauges: tuple[EngineGauge, ...] = ()

    @classmethod
    def of(
        cls,
        segment: int,
        items: Sequence[Item],
        chunks: Mapping[tuple[str, int], Sequence[Chunk]],
        gauges: Sequence[EngineGauge] = (),
    ) -> SegmentLoad:
        """Pick what belongs to a segment."""
        here = sorted((item for item in items if item.segment == segment), key=lambda item: item.t_begin)
        return cls(segment, tuple(here), chunks, tuple(g for g in gauges if g.segment == segment))

    @cached_property
    def in_flight(self) -> Occupancy:
        """Requests from first sending to end."""
        return Occupancy.of_intervals(
            (item.t_begin for item in self.items), (item.t_end for item in self.items)
        )

    @cached_property
    def being_tried(self) -> Occupancy:
        """Requests while a try of theirs is under way: not between one that failed and the next."""
        spans = [
            span
            for item in self.items
            for span in [(one.t_sent, one.t_end) for one in item.attempts] or [(item.t_sent, item.t_end)]
        ]
        return Occupancy.of_intervals((begin for begin, _ in spans), (end for _, end in spans))

    @cached_property
    def generating(self) -> Occupancy:
        """Requests from first token to end."""
        seen = [item for item in self.items if item.t_first is not None]
        return Occupancy.of_intervals((item.t_first or 0 for item in seen), (item.t_end for item in seen))

    def running(self, t0_ns: int, t1_ns: int) -> Occupancy | None:
        """Return the engine's own count; null where it was read too seldom in the stretch."""
        return self.gauge(Quantity.REQUESTS_RUNNING.value, t0_ns, t1_ns)

    def gauge(self, quantity: str, t0_ns: int, t1_ns: int) -> Occupancy | None:
        """Return a gauge of the engine as a step function; null where it was read too seldom.

        Too seldom: fewer than ten times in the stretch, or not for longer than a reading stands. A curve in
        which a level is looked for has no holes, unlike the mean of `joulemark.metrics.gauge_course`.
        """
        for gauge in self.gauges:
            if gauge.quantity != quantity:
                continue
            inside = gauge.t_ns[(gauge.t_ns >= t0_ns) & (gauge.t_ns <= t1_ns)]
            edges = np.concatenate([[t0_ns], inside, [t1_ns]])
            if len(inside) >= MIN_GAUGE_READINGS and np.diff(edges).max() <= MAX_HOLD_S * 1e9:
                return gauge.steps
        return None

    @cached_property
    def tokens(self) -> TokenCourse | Withheld:
        """The output tokens of all requests over time."""
        return token_course(self.items, self.chunks)

    def answered_between(self, t0_ns: int, t1_ns: int) -> int:
        """Return how many requests ended after ``t0_ns`` and up to ``t1_ns`` without having failed."""
        return sum(t0_ns < item.t_end <= t1_ns and not item.failed for item in self.items)
