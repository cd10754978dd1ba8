"""The client's proof: whether it kept up, or its own slowness may look like the server's."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from enum import StrEnum
from time import monotonic_ns
from typing import TYPE_CHECKING

from joulemark.engines.client.lag import LoopLag
from joulemark.record.percentile import percentile

if TYPE_CHECKING:
    from joulemark.record.manifest import ClientProof

CPU_SHARE_MAX = 0.8
LOOP_LAG_MAX_S = 0.002
LOOP_LAG_MAX_OF_TTFT = 0.05
LATE_SEND_MAX_OF_GAP = 0.1


class Invalid(StrEnum):
    """Why a run's latencies are not believed."""

    CLIENT_CPU = "client_cpu_over_80pct"
    LOOP_LAG = "loop_lag"
    LATE_SENDS = "late_sends"


class ClientProbe:
    """Watches this process and its loop for the length of an ``async with`` block.

    Processor time is that of the whole process, all threads. ``sent`` is told of scheduled sends (open loop).
    """

    def __init__(self) -> None:
        self._lag = LoopLag()
        self._late_s: array[float] = array("d")
        self._t0 = self._t1 = 0
        self._cpu0_s = self._cpu1_s = 0.0

    async def __aenter__(self) -> ClientProbe:
        self._lag.start()
        self._t0, self._cpu0_s = monotonic_ns(), time.process_time()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._t1, self._cpu1_s = monotonic_ns(), time.process_time()
        self._lag.stop()

    def sent(self, t_scheduled: int, t_sent: int) -> None:
        """Note a send of an open-loop run (monotonic ns)."""
        self._late_s.append(max(t_sent - t_scheduled, 0) / 1e9)

    @property
    def cpu_seconds(self) -> float:
        """Processor seconds of this process in the window, up to now while that is open."""
        return (self._cpu1_s if self._t1 else time.process_time()) - self._cpu0_s

    @property
    def cpu_share(self) -> float | None:
        """Processor seconds a second of the window; null before it began."""
        wall_ns = (self._t1 or monotonic_ns()) - self._t0
        return self.cpu_seconds / (wall_ns / 1e9) if self._t0 and wall_ns > 0 else None

    def loop_lag_s(self, percent: float) -> float | None:
        """A percentile of the loop's lag in seconds; null where it was never sampled."""
        return _percentile(self._lag.delays_s, percent)

    def proof(
        self,
        segment: int,
        *,
        ttft_p50_s: float | None = None,
        mean_gap_s: float | None = None,
        max_chunks_per_s: float | None = None,
    ) -> ClientProof:
        """Return the record with its reason codes.

        Without ``ttft_p50_s`` the loop may lag by 2 ms; ``mean_gap_s``, the mean time between scheduled
        sends, is given for open loops only. ``late_sends`` counts those later than a tenth of it.
        """
        from joulemark.record.manifest import ClientProof

        share, lag_p99_s = self.cpu_share, self.loop_lag_s(99)
        lag_max_s = max(LOOP_LAG_MAX_S, LOOP_LAG_MAX_OF_TTFT * (ttft_p50_s or 0.0))
        late_max_s = None if mean_gap_s is None else LATE_SEND_MAX_OF_GAP * mean_gap_s
        late_p99_s = _percentile(self._late_s, 99)
        invalid = []
        if share is not None and share > CPU_SHARE_MAX:
            invalid.append(Invalid.CLIENT_CPU)
        if lag_p99_s is not None and lag_p99_s > lag_max_s:
            invalid.append(Invalid.LOOP_LAG)
        if late_max_s is not None and late_p99_s is not None and late_p99_s > late_max_s:
            invalid.append(Invalid.LATE_SENDS)
        return ClientProof(
            segment=segment,
            cpu_share=share,
            loop_lag_p99_s=lag_p99_s,
            cpu_seconds=self.cpu_seconds,
            late_sends=0 if late_max_s is None else sum(late > late_max_s for late in self._late_s),
            max_chunks_per_s=max_chunks_per_s,
            invalid=[str(code) for code in invalid],
        )


def _percentile(values: Sequence[float], percent: float) -> float | None:
    return percentile(sorted(values), percent) if values else None
