"""A recorded trace played back against the clock, as if it were a meter.

What it gives is marked in every reading and in the source's notes: these joules were measured at another
time, on whatever ran then. It serves demonstrations and tests, never a claim about the present run.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from pathlib import Path

from joulemark.meters.address import MeterAddress
from joulemark.meters.notes import REPLAYED, note
from joulemark.meters.source import Finding, SourceLost, SourceSpec
from joulemark.meters.trace import GAP, LOST, Row, Trace, load_trace
from joulemark.record.clock import Clock, SystemClock
from joulemark.record.meter import SourceInfo
from joulemark.record.replayed import REPLAY, trace_name
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity, Reading


class ReplaySource:
    """Plays a trace: at each instant the last row before it holds, as a meter holds its last update.

    ``start_ns`` is when row 0 is due (null: at opening). With ``loop`` the trace starts over and its energy
    goes on rising; else the source is lost after the last row.
    """

    def __init__(
        self,
        trace: Trace,
        name: str,
        *,
        clock: Clock | None = None,
        start_ns: int | None = None,
        loop: bool = False,
    ) -> None:
        self._clock: Clock = clock or SystemClock()
        self._trace, self._loop = trace, loop and trace.duration_ns > 0
        self._times_ns = [row.t_ns for row in trace.rows]
        self._start_ns = self._clock.now_ns() if start_ns is None else start_ns
        self._cycle_j = _span_j(trace)
        facts, quantities = trace.info, trace.quantities
        self.info = SourceInfo(
            name=trace_name(name),
            kind=REPLAY,
            scope=Scope(facts.scope),
            quantities=quantities,
            counter_modulus_j=facts.counter_modulus_j,
            counter_wraps=facts.counter_wraps,
            counter_quantum_j=facts.counter_quantum_j,
            power_window_s=facts.power_window_s if Quantity.POWER_W in quantities else None,
            power_max_w=facts.power_max_w,
            notes=(note(REPLAYED, f"played back from the recorded trace {name}, not measured now"),),
        )

    def read(self, segment: int) -> Reading:
        """Return the row that holds now; raises `SourceLost` where the trace says so or has ended."""
        t_ns = self._clock.now_ns()
        row, cycle = self._row_at(max(0, t_ns - self._start_ns))
        if row.fault == LOST:
            raise SourceLost("the recorded source was lost here")
        flags = [REPLAYED, *row.flags]
        values: dict[str, float] = {}
        if row.fault == GAP:
            flags.extend(f"{name}:{GAP}" for name in self.info.quantities)
        else:
            values = dict(row.values)
            if cycle and Quantity.ENERGY_J in values:
                values["energy_j"] = self._wrapped_j(values["energy_j"] + cycle * self._cycle_j)
        return Reading(segment, t_ns, self.info.name, self.info.scope.path, values, flags=tuple(flags))

    def close(self) -> None:
        """Release nothing: the trace lies in memory."""

    def _row_at(self, elapsed_ns: int) -> tuple[Row, int]:
        cycle = 0
        if self._loop:
            cycle, elapsed_ns = divmod(elapsed_ns, self._trace.duration_ns)
        elif elapsed_ns > self._trace.duration_ns and self._trace.rows[-1].fault != LOST:
            raise SourceLost("the recorded trace has ended")
        return self._trace.rows[bisect_right(self._times_ns, elapsed_ns) - 1], cycle

    def _wrapped_j(self, energy_j: float) -> float:
        modulus_j = self.info.counter_modulus_j
        return energy_j if modulus_j is None else math.fmod(energy_j, modulus_j)


def open_replay(spec: SourceSpec, clock: Clock | None = None) -> ReplaySource:
    """Open the trace that ``spec`` names; raises `InputError` where it cannot be read."""
    path = Path(str(spec.args["path"]))
    source, start_ns = spec.args.get("source"), spec.args.get("start_ns")
    trace = load_trace(path, None if source is None else str(source))
    return ReplaySource(
        trace,
        str(spec.args.get("name") or path.stem).removeprefix(trace_name("")),
        clock=clock,
        start_ns=None if start_ns is None else int(start_ns),
        loop=bool(spec.args.get("loop")),
    )


def replay_spec(path: Path, *, source: str | None = None, loop: bool = False) -> SourceSpec:
    """Return how to play a trace in another process; playing begins when the source is opened."""
    return SourceSpec(REPLAY, {"path": str(path.resolve()), "source": source, "loop": int(loop)})


def find_replay(address: MeterAddress) -> list[Finding]:
    """Return what discovery says of a trace; raises `InputError` where it cannot be read."""
    spec = replay_spec(Path(address.address))
    info = open_replay(spec).info
    measures = f"nothing now: plays back {', '.join(info.quantities) or 'an empty record'} recorded earlier"
    return [Finding(REPLAY, info.name, measures, spec=spec, info=info)]


def _span_j(trace: Trace) -> float:
    """Return what the counter gains from the first to the last row, past wraps of known modulus (joules)."""
    gained_j, last_j = 0.0, None
    for row in trace.rows:
        energy_j = row.values.get("energy_j")
        if energy_j is None:
            continue
        if last_j is not None:
            step_j = energy_j - last_j
            if step_j < 0 and trace.info.counter_modulus_j is not None:
                step_j += trace.info.counter_modulus_j
            gained_j += max(0.0, step_j)
        last_j = energy_j
    return gained_j
