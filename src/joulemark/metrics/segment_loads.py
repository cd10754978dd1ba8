"""The requests of a run by segment, put together once for all that look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from joulemark.metrics.segment_load import SegmentLoad
from joulemark.record.item import Chunk, Item

if TYPE_CHECKING:
    from joulemark.metrics.run_view import EngineGauge

Chunks = Mapping[tuple[str, int], Sequence[Chunk]]
_NO_CHUNKS: Chunks = MappingProxyType({})


class SegmentLoads:
    """The loads of a run's segments by their numbers: each is made when it is first asked for, and kept.

    What a load computes of itself (occupancies, the course of its tokens) is so computed once a run.
    """

    __slots__ = ("_made", "chunks", "gauges", "items")

    def __init__(
        self, items: Sequence[Item] = (), chunks: Chunks = _NO_CHUNKS, gauges: Sequence[EngineGauge] = ()
    ) -> None:
        self.items = items
        self.chunks = chunks
        self.gauges = gauges
        self._made: dict[int, SegmentLoad] = {}

    def __getitem__(self, segment: int) -> SegmentLoad:
        """Return the load of a segment; one without requests is empty."""
        if segment not in self._made:
            self._made[segment] = SegmentLoad.of(segment, self.items, self.chunks, self.gauges)
        return self._made[segment]

    def are_of(self, items: Sequence[Item], chunks: Chunks, gauges: Sequence[EngineGauge]) -> bool:
        """Tell whether these very objects are what the loads are made from."""
        return self.items is items and self.chunks is chunks and self.gauges is gauges
