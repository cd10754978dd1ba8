"""Any program measured: its joules by every meter, its time, processor seconds and memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joulemark.live.forwarding import Forwarding
from joulemark.live.gate import Ended, WaitingProgram
from joulemark.live.meter_set import MeterSet
from joulemark.live.rates_during import rates_during
from joulemark.live.stretch import Stretch
from joulemark.live.used import Used, board_memory, shares, tree_memory_mib, tree_seconds
from joulemark.metrics.plain import JsonValue
from joulemark.metrics.value import Value, withheld
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason
from joulemark.telemetry.timeline import Timeline


@dataclass(frozen=True, slots=True)
class MeasuredProgram:
    """A program's end and what it took. ``stretch`` is null where the system did not start it."""

    command: tuple[str, ...]
    end: Ended
    stretch: Stretch | None

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain JSON values, unrounded."""
        figures = self.stretch.to_json() if self.stretch is not None else {}
        head: dict[str, JsonValue] = {"command": list(self.command), "exit_code": self.end.exit_code}
        return {**head, "signal": self.end.signal, "started": self.stretch is not None, **figures}


def measure_program(
    command: Sequence[str],
    meters: Sequence[str],
    *,
    poll_s: float | None = None,
    rates: Rates | None = None,
    progress: Callable[[str], None] | None = None,
) -> MeasuredProgram:
    """Run ``command`` and return what it took; its streams and signals are its own.

    The meters are tested before it starts, which takes some seconds. Raises `InputError` for a meter that was
    named wrongly, before anything runs.
    """
    program = WaitingProgram(command)
    try:
        meter_set = MeterSet.open(meters, pid=program.pid, poll_s=poll_s, progress=progress)
    except BaseException:
        program.cancel()
        raise
    with meter_set:
        own_s = time.process_time()
        with Forwarding(program.send):
            meter_set.edge()
            t0_ns = time.monotonic_ns()
            begun_ns = program.go()
            end = program.wait()
            t1_ns = time.monotonic_ns()
            meter_set.edge()
            own_s = time.process_time() - own_s
            stretch = None
            if end.errno is None:
                sources = meter_set.energies(t0_ns, t1_ns)
                timeline = meter_set.timeline(t0_ns, t1_ns)
                rates = rates_during(meter_set, rates, t0_ns, t1_ns) if rates is not None else None
        health = meter_set.close()
    if end.errno is None:
        used = _used(timeline, (t0_ns, begun_ns, t1_ns), end, own_s)
        duration_s = (t1_ns - t0_ns) * 1e-9
        stretch = Stretch(duration_s, sources, meter_set.absent, used, rates, health.notes)
    return MeasuredProgram(tuple(command), end, stretch)


def _used(timeline: Timeline, stamps: tuple[int, int, int], end: Ended, own_s: float) -> Used:
    """Account for a program: ``stamps`` are when it was let go, when it began and when it ended."""
    t0_ns, begun_ns, t1_ns = stamps
    # what nobody waited for (a daemon) only the readings saw, what ended between two of them only the system
    cpu_s = max(end.cpu_s, tree_seconds(timeline, begun_ns, t1_ns) or 0.0)
    foreign, stolen = shares(timeline, t0_ns, t1_ns, cpu_s + own_s)
    memory = board_memory(timeline, t0_ns, t1_ns)
    return Used(Value(cpu_s, "s"), _peak(timeline, begun_ns, t1_ns, end), foreign, stolen, memory)


def _peak(timeline: Timeline, begun_ns: int, t1_ns: int, end: Ended) -> Value:
    """Return the peak of the tree as far as it was seen, or of its largest process where that is more.

    Of a small program the system does not tell the size: it lies between what was seen and its starter's.
    """
    seen = tree_memory_mib(timeline, begun_ns, t1_ns)
    if end.maxrss_mib is not None:
        return Value(max(seen or 0.0, end.maxrss_mib), "MiB")
    if seen is None:
        small = f"It ended before it was looked at, and was never above {end.floor_mib:.3g} MiB."
        return withheld("MiB", Reason.NO_SAMPLES, detail=small)
    return Value(seen, "MiB", seen, max(seen, end.floor_mib), "bound")
