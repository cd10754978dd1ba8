"""The client's own proof for one segment: how fast it can be, and how busy it was."""

from __future__ import annotations

import statistics
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

from joulemark.engines.client import ClientProbe, quiet_gc, self_test
from joulemark.record.item import Item
from joulemark.record.manifest import ClientProof

_TURN_S = 0.0005


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
            with quiet_gc(), _quick_turns():
                yield

    def sent(self, t_ready: int, t_sent: int) -> None:
        """Note when a request that had a time could be sent, and when it was (monotonic ns)."""
        if self._probe is not None:
            self._probe.sent(t_ready, t_sent)

    def proof(self, items: Sequence[Item], mean_gap_s: float | None = None) -> ClientProof:
        """Return what was seen; an empty proof where the measurement never began.

        ``mean_gap_s`` is the mean time between requests that have a time, null where none has.
        """
        if self._probe is None:
            return ClientProof(segment=self._segment, reasons=self._reasons)
        # of pictures the whole batch is the first that is seen
        firsts = [(item, item.t_end if item.media_units else item.t_first) for item in items]
        ttfts = [(t_first - item.t_sent) / 1e9 for item, t_first in firsts if t_first is not None]
        proof = self._probe.proof(
            self._segment,
            ttft_p50_s=statistics.median(ttfts) if ttfts else None,
            mean_gap_s=mean_gap_s,
            max_chunks_per_s=self._max_chunks_per_s,
        )
        return proof.model_copy(update={"reasons": self._reasons})


@contextmanager
def _quick_turns() -> Iterator[None]:
    """Let the thread that stamps have its turn soon after the one that reads answers: not after 5 ms."""
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(_TURN_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before_s)
