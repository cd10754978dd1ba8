"""The client's own proof for one segment: how fast it can be, and how busy it was."""

from __future__ import annotations

import statistics
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from joulemark.engines.client import ClientProbe, quiet_gc, self_test
from joulemark.record.item import Item
from joulemark.record.manifest import ClientProof


class CheckedClient:
    """Tests the client before, and watches it during, a segment."""

    def __init__(self, segment: int) -> None:
        self._segment = segment
        self._max_chunks_per_s: float | None = None
        self._probe: ClientProbe | None = None
        self._reasons: dict[str, str] = {}

    async def self_test(self) -> None:
        """Measure the client against the built-in max-rate server."""
        test = await self_test()
        self._max_chunks_per_s = test.max_chunks_per_s
        if test.error is not None:
            self._reasons["max_chunks_per_s"] = test.error

    @asynccontextmanager
    async def measuring(self) -> AsyncIterator[None]:
        """Watch processor share and loop lag while the body runs, with the collector out of the way."""
        async with ClientProbe() as probe:
            self._probe = probe
            with quiet_gc():
                yield

    def proof(self, items: Sequence[Item]) -> ClientProof:
        """Return what was seen; an empty proof where the measurement never began."""
        if self._probe is None:
            return ClientProof(segment=self._segment, reasons=self._reasons)
        ttfts = [(item.t_first - item.t_sent) / 1e9 for item in items if item.t_first is not None]
        proof = self._probe.proof(
            self._segment,
            ttft_p50_s=statistics.median(ttfts) if ttfts else None,
            max_chunks_per_s=self._max_chunks_per_s,
        )
        return proof.model_copy(update={"reasons": self._reasons})
