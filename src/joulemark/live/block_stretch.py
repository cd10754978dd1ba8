"""From two instants and what the process had used at each to the figures of a block of code."""

from __future__ import annotations

import os

from joulemark.live.meter_set import MeterSet
from joulemark.live.process_use import MEMORY_FROM_NS, Usage
from joulemark.live.rates_during import rates_during
from joulemark.live.stretch import Stretch
from joulemark.live.used import Used, board_memory, maxrss_mib, shares
from joulemark.metrics.value import Value, withheld
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason

_FORKED = "The block began in the process from which this one was forked."


def block_stretch(
    meters: MeterSet,
    stamps: tuple[int, int],
    usages: tuple[Usage | None, Usage | None],
    pages: int | None,
    rates: Rates | None,
) -> Stretch:
    """Return the figures between two stamps (monotonic ns); waits as `MeterSet.energies` does.

    ``usages`` are what the process had used at each, ``pages`` its resident memory at the end.
    """
    t0_ns, t1_ns = stamps
    sources = meters.energies(t0_ns, t1_ns)
    timeline = meters.timeline(t0_ns, t1_ns)
    if not meters.here:
        cpu_seconds = withheld("s", Reason.NOT_APPLICABLE, detail=_FORKED)
        peak_memory = withheld("MiB", Reason.NOT_APPLICABLE, detail=_FORKED)
    else:
        cpu_seconds, peak_memory = _seconds(*usages), _peak(*usages, pages)
    foreign, stolen = shares(timeline, t0_ns, t1_ns, cpu_seconds.value)
    memory = board_memory(timeline, t0_ns, t1_ns)
    used = Used(cpu_seconds, peak_memory, foreign, stolen, memory)
    rates = rates_during(meters, rates, t0_ns, t1_ns) if rates is not None else None
    return Stretch((t1_ns - t0_ns) * 1e-9, sources, meters.absent, used, rates, meters.health.notes)


def _seconds(before: Usage | None, after: Usage | None) -> Value:
    if before is None or after is None:
        return withheld("s", Reason.NOT_REPORTED, detail="This system does not count processor time.")
    return Value(max(0.0, after.cpu_s - before.cpu_s), "s")


def _peak(before: Usage | None, after: Usage | None, pages: int | None) -> Value:
    """Return the peak: known where it rose in the block; else between the end's memory and the older peak."""
    if before is None or after is None:
        return withheld("MiB", Reason.NOT_REPORTED, detail="This system does not count memory.")
    highest = maxrss_mib(after.maxrss)
    if after.maxrss > before.maxrss:
        return Value(highest, "MiB")
    if pages is None:
        why = (
            f"It was at most {highest:,.0f} MiB. Its own is not read in blocks below"
            f" {MEMORY_FROM_NS / 1e6:g} ms and on systems that do not tell."
        )
        return withheld("MiB", Reason.NOT_REPORTED, detail=why)
    seen_mib = min(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, highest)
    return Value(seen_mib, "MiB", seen_mib, highest, "bound")
