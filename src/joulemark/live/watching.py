"""What the meters show now: power, joules since the start, and what is wrong with whom."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from joulemark.live.freshness import age_s, is_present, is_stale
from joulemark.live.meter_set import MeterSet
from joulemark.live.running_energy import RunningEnergy
from joulemark.live.source_energy import SourceEnergy
from joulemark.live.stretch import energy_json
from joulemark.metrics.plain import JsonValue, reason_json
from joulemark.metrics.tier import is_trace
from joulemark.metrics.value import Value, energy_value, withheld
from joulemark.record.energy import MeasuredOrWithheld
from joulemark.record.meter import QualifiedSource
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.simulated import is_simulated_board
from joulemark.record.telemetry import Quantity, Reading
from joulemark.telemetry.row_flags import GAP, LOST, SLEPT
from joulemark.telemetry.wire import SAMPLER_LOST


@dataclass(frozen=True, slots=True)
class LiveRow:
    """One meter now.

    ``depth``: how many of the shown scopes hold this one. ``watts``: what its gauge shows, else its joules
    since the look before over the time (``by_counter``). ``energy``: since the watch began, up to the look
    before this one, when its counter is known to have moved on; of the first look, up to now. ``wrong``: in
    words, empty where all is well.
    """

    source: QualifiedSource
    depth: int
    watts: Value
    by_counter: bool
    energy: MeasuredOrWithheld
    temperature_c: float | None
    wrong: tuple[str, ...]

    def to_json(self) -> JsonValue:
        """Return plain JSON values, unrounded."""
        info, test = self.source.info, self.source.qualification
        reason = self.watts.reason
        return {
            "source": info.name,
            "scope": info.scope.path,
            "watts": self.watts.value,
            "watts_from": "counter" if self.by_counter else "gauge",
            "watts_reason": reason_json(reason, self.watts.detail) if reason is not None else None,
            "energy": energy_json(self.energy),
            "temperature_c": self.temperature_c,
            "trust": test.trust.value,
            "trust_reason": test.reason,
            "replayed": is_trace(self.source),
            "simulated": is_simulated_board(info),
            "wrong": list(self.wrong),
        }


@dataclass(frozen=True, slots=True)
class Look:
    """All meters at one moment.

    ``t`` is UTC, ``since_s`` how long the watch has lasted, ``energy_s`` how much of it the energies cover.
    """

    t: datetime
    since_s: float
    energy_s: float
    rows: tuple[LiveRow, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain JSON values, unrounded."""
        return {
            "t": self.t.isoformat().replace("+00:00", "Z"),
            "since_s": self.since_s,
            "energy_s": self.energy_s,
            "sources": [row.to_json() for row in self.rows],
        }


class Watch:
    """Looks at a set of meters again and again, for weeks: the set's readings are dropped behind it."""

    def __init__(self, meters: MeterSet, *, keep_s: float | None = None) -> None:
        """``keep_s`` as of `RunningEnergy`."""
        self._meters = meters
        self._begin_ns = meters.edge()
        self._edges_ns: tuple[int | None, int] = (None, self._begin_ns)
        self._sources = sorted(meters.sources, key=lambda source: (source.info.scope.path, source.info.name))
        self._running = [RunningEnergy(source, self._begin_ns, keep_s) for source in self._sources]

    def look(self) -> Look:
        """Read every meter and return what they show."""
        now_ns = self._meters.edge()
        latest = self._meters.latest()
        before_ns, last_ns = self._edges_ns
        # up to the look before this one the counters have moved on; the first look is wider, and in time
        end_ns = now_ns if before_ns is None else last_ns
        step_from_ns = last_ns if before_ns is None else before_ns
        step = self._meters.energies(step_from_ns, end_ns, wait=False)
        step_s = (end_ns - step_from_ns) * 1e-9
        self._edges_ns = (last_ns, now_ns)
        lost = self._meters.health.gave_up
        rows = tuple(
            self._row(
                running.source,
                latest,
                running.until(self._meters.timeline(running.from_ns, end_ns), end_ns),
                step[running.source.info.name],
                step_s,
                sampler_lost=lost,
            )
            for running in self._running
        )
        self._meters.forget(min((one.needed_ns(end_ns) for one in self._running), default=end_ns))
        since_s, energy_s = ((t_ns - self._begin_ns) * 1e-9 for t_ns in (now_ns, end_ns))
        return Look(datetime.now(UTC), since_s, energy_s, rows)

    def _row(
        self,
        source: QualifiedSource,
        latest: dict[str, Reading],
        total: SourceEnergy,
        step: SourceEnergy,
        step_s: float,
        *,
        sampler_lost: bool,
    ) -> LiveRow:
        info = source.info
        reading = latest.get(info.name)
        now_ns = time.monotonic_ns()
        wrong = [*_wrong(source, reading, now_ns), *(["nobody samples any more"] if sampler_lost else [])]
        gauge = info.power_quantity
        if gauge is None:
            watts = energy_value(step.best, divisor=step_s, unit="W")
        elif reading is None or gauge not in reading.values or not is_present(source, reading, now_ns):
            watts = withheld("W", Reason.NO_SAMPLES)
        else:
            watts = Value(reading.values[gauge], "W")
        return LiveRow(
            source,
            depth(info.scope, [other.info.scope for other in self._sources]),
            watts,
            gauge is None,
            total.best,
            reading.values.get(Quantity.TEMPERATURE_C) if reading is not None else None,
            tuple(wrong),
        )


def depth(scope: Scope, shown: Sequence[Scope]) -> int:
    """Return how many different scopes among ``shown`` hold ``scope``."""
    return len({other.path for other in shown if other.path != scope.path and other.contains(scope)})


def _wrong(source: QualifiedSource, reading: Reading | None, now_ns: int) -> list[str]:
    """Say what is wrong with a source, in words."""
    if reading is None:
        return ["no reading yet"]
    told = []
    for flag in reading.flags:
        name, _, reason = flag.partition(":")
        words = reason.replace("_", " ")
        if name == LOST:
            told.append(f"lost: {words}")
        elif reason:
            told.append(f"{name} {words}")
        else:
            told.append(_FLAGS.get(name, name.replace("_", " ")))
    if is_stale(source, reading, now_ns):
        told.append(f"stale: no reading for {age_s(reading, now_ns):.0f} s")
    return told


_FLAGS = {GAP: "was not read for a while", SLEPT: "the machine slept", SAMPLER_LOST: "was not sampled"}
