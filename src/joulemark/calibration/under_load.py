"""Power while an engine is asked: one window of an even load."""

from __future__ import annotations

import asyncio

from joulemark.calibration.document import LoadPoint
from joulemark.calibration.load import EngineLoad, share_of
from joulemark.calibration.watch import watch
from joulemark.live.meter_set import MeterSet

LEAD_IN_S = 1.5  # more than the trailing second over which drivers average power


async def measure_load(
    meters: MeterSet, load: EngineLoad, *, concurrency: int, duty: float, duration_s: float
) -> LoadPoint:
    """Ask for a while, then measure for ``duration_s`` while asking goes on.

    Raises `InputError` where the engine fails.
    """
    load.begin(concurrency, duty)
    try:
        await asyncio.sleep(LEAD_IN_S)
        seen = await watch(meters, duration_s)
    finally:
        requests = await load.end()
    share = share_of(requests, seen.t0, seen.t1)
    reasons = seen.reasons()
    if share.tokens_per_s is None:
        reasons["tokens_per_s"] = share.reason
    return LoadPoint(
        measured_utc=seen.measured_utc,
        duration_s=seen.duration_s,
        powers=seen.powers(),
        reasons=reasons,
        concurrency=concurrency,
        duty=duty,
        utilisation=min(1.0, share.utilisation),
        tokens_per_s=share.tokens_per_s,
    )
