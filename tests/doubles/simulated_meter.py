"""A meter of a known power curve on virtual time: counter with jittered updates, steps, faults; gauge.

`run_items` drives the real `SamplerLoop` with it: sequential items, edge reads, follow-ups, polls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from joulemark.meters.source import SourceLost
from joulemark.record.clock import VirtualClock
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry.sampler import SamplerLoop, SourcePlan
from joulemark.telemetry.timeline import Timeline

BASE_J = 5000.0
UPDATES_IN_SELF_TEST = 30


@dataclass(frozen=True)
class Curve:
    """Power that is constant between ``breaks_s`` (first 0); ``watts[i]`` holds from ``breaks_s[i]`` on."""

    breaks_s: np.ndarray
    watts: np.ndarray
    energy_j: np.ndarray

    @classmethod
    def of(cls, breaks_s: list[float], watts: list[float]) -> Curve:
        at, power = np.asarray(breaks_s), np.asarray(watts)
        return cls(at, power, np.concatenate(([0.0], np.cumsum(np.diff(at) * power[:-1]))))

    def joules_at(self, t_s: float | np.ndarray) -> np.ndarray:
        """Energy from 0 to ``t_s``."""
        t_s = np.asarray(t_s, float)
        i = np.clip(np.searchsorted(self.breaks_s, t_s, side="right") - 1, 0, None)
        return self.energy_j[i] + np.maximum(t_s - self.breaks_s[i], 0) * self.watts[i]

    def peak_w(self, a_s: float, b_s: float) -> float:
        """The highest power in ``[a_s, b_s]``."""
        i = max(int(np.searchsorted(self.breaks_s, a_s, side="right")) - 1, 0)
        j = int(np.searchsorted(self.breaks_s, b_s, side="right"))
        return float(np.max(self.watts[i : max(j, i + 1)]))


@dataclass
class Faults:
    """What goes wrong, in seconds of the curve; null means never."""

    reset_s: float | None = None
    backwards: tuple[float, float] | None = None  # when, by how many joules
    freeze_s: tuple[float, float] | None = None
    lost_s: tuple[float, float] | None = None
    jump: tuple[float, float] | None = None  # when, by how many joules


class SimulatedMeter:
    """A source: its counter updates every ``period_s`` ± ``jitter``, its gauge averages ``window_s``."""

    def __init__(
        self,
        curve: Curve,
        rng: np.random.Generator,
        clock: VirtualClock,
        *,
        duration_s: float,
        period_s: float = 0.1,
        jitter: float = 0.1,
        quantum_j: float = 1e-3,
        modulus_j: float | None = None,
        counter_wraps: bool = False,
        window_s: float | None = None,
        gauge_period_s: float = 0.1,
        power_max_w: float | None = 700.0,
        read_s: tuple[float, float] = (40e-6, 200e-6),
        faults: Faults | None = None,
        base_j: float = BASE_J,
        name: str = "sim:0",
    ) -> None:
        self.curve, self.clock, self.rng = curve, clock, rng
        n = int(duration_s / period_s * 1.5) + UPDATES_IN_SELF_TEST + 10
        gaps = period_s * (1 + jitter * rng.uniform(-1, 1, n))
        self._updates_s = np.cumsum(gaps) - rng.uniform(0, period_s) - gaps[0]
        self._quantum_j, self._modulus_j, self._base_j = quantum_j, modulus_j, base_j
        self._window_s, self._gauge_period_s = window_s, gauge_period_s
        self._gauge_phase_s = rng.uniform(0, gauge_period_s)
        self._read_s, self._faults = read_s, faults or Faults()
        quantities = ("energy_j",) if window_s is None else ("energy_j", "power_w")
        self.info = SourceInfo(
            name,
            "simulated",
            Scope.gpu(0),
            quantities,
            counter_modulus_j=modulus_j,
            counter_wraps=counter_wraps or modulus_j is not None,
            counter_quantum_j=quantum_j,
            power_window_s=window_s,
            power_max_w=power_max_w,
        )
        tested = gaps[:UPDATES_IN_SELF_TEST]
        self.qualified = QualifiedSource(
            self.info,
            Qualification(
                Trust.QUALIFIED,
                update_period_s=float(np.median(tested)),
                update_period_max_s=float(np.max(tested)),
                poll_period_s=0.2,
            ),
        )

    def counter_j(self, t_s: float) -> float:
        """What the counter shows at ``t_s``."""
        faults = self._faults
        if faults.freeze_s is not None and faults.freeze_s[0] <= t_s:
            frozen_s = min(t_s, faults.freeze_s[1])
            held_s = frozen_s - faults.freeze_s[0]
            if t_s < faults.freeze_s[1]:
                t_s = faults.freeze_s[0]
        else:
            held_s = 0.0
        i = int(np.searchsorted(self._updates_s, t_s, side="right")) - 1
        update_s = self._updates_s[max(i, 0)]
        joules = self._base_j + float(self.curve.joules_at(max(update_s, 0.0)))
        if held_s and faults.freeze_s is not None and t_s >= faults.freeze_s[1]:
            start_s, end_s = faults.freeze_s
            joules -= float(self.curve.joules_at(end_s) - self.curve.joules_at(start_s))
        if faults.reset_s is not None and update_s >= faults.reset_s:
            joules -= self._base_j + float(self.curve.joules_at(faults.reset_s))
        if faults.backwards is not None and update_s >= faults.backwards[0]:
            joules -= faults.backwards[1]
        if faults.jump is not None and update_s >= faults.jump[0]:
            joules += faults.jump[1]
        joules = math.floor(joules / self._quantum_j) * self._quantum_j
        return joules if self._modulus_j is None else joules % self._modulus_j

    def gauge_w(self, t_s: float) -> float:
        """What the gauge shows at ``t_s``: an average that the driver took at its last gauge update."""
        held_s = (
            math.floor((t_s - self._gauge_phase_s) / self._gauge_period_s) * self._gauge_period_s
            + self._gauge_phase_s
        )
        held_s = max(held_s, 0.0)
        if not self._window_s:
            return self.curve.peak_w(held_s, held_s)
        start_s = max(held_s - self._window_s, 0.0)
        if held_s <= start_s:
            return float(self.curve.watts[0])
        return float(self.curve.joules_at(held_s) - self.curve.joules_at(start_s)) / (held_s - start_s)

    def read(self, segment: int) -> Reading:
        begin_ns = self.clock.now_ns()
        length_ns = round(self.rng.uniform(*self._read_s) * 1e9)
        at_s = (begin_ns + round(self.rng.uniform() * length_ns)) * 1e-9
        lost_s = self._faults.lost_s
        if lost_s is not None and lost_s[0] <= at_s < lost_s[1]:
            raise SourceLost("gone")
        values = {"energy_j": self.counter_j(at_s)}
        if self._window_s is not None:
            values["power_w"] = self.gauge_w(at_s)
        self.clock.advance_to_ns(begin_ns + length_ns)
        t_ns = self.clock.now_ns()
        return Reading(segment, t_ns, self.info.name, self.info.scope.path, values, read_ns=t_ns - begin_ns)

    def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True)
class SimulatedRun:
    """The timeline of a run and the windows of its items (ns); ``t0_ns``/``t1_ns`` are the run's edges."""

    timeline: Timeline
    meter: SimulatedMeter
    items_ns: list[tuple[int, int]]
    t0_ns: int
    t1_ns: int
    readings: list[Reading]

    def true_j(self, t0_ns: int, t1_ns: int) -> float:
        """The true energy of a window."""
        energy = self.meter.curve.joules_at(np.array([t0_ns, t1_ns]) * 1e-9)
        return float(energy[1] - energy[0])


def run_items(
    meter: SimulatedMeter,
    items_s: list[tuple[float, float]],
    *,
    end_s: float,
    start_s: float = 0.5,
    edges: bool = True,
    finish: bool = True,
    pause_s: tuple[float, float] | None = None,
) -> SimulatedRun:
    """Sample sequential items with the real loop: an edge just before each begins and just after it ends.

    ``pause_s``: the sampler does not get to run in that stretch. ``finish`` false: killed at ``end_s``.
    """
    clock, rng = meter.clock, meter.rng
    clock.advance_to_ns(round(start_s * 1e9))
    update_ns = round((meter.qualified.qualification.update_period_max_s or 0.1) * 1e9)
    loop = SamplerLoop([SourcePlan(meter.info.name, "", 200_000_000, update_ns, lambda: meter)], clock, 0)
    loop.start()
    rows = loop.take_rows()

    def sample_until(t_s: float) -> None:
        until_ns = round(t_s * 1e9)
        while loop.due_ns() < until_ns:
            wake_ns = loop.due_ns() + round(rng.exponential(150e-6) * 1e9)
            if pause_s is not None and pause_s[0] * 1e9 <= wake_ns < pause_s[1] * 1e9:
                wake_ns = round(pause_s[1] * 1e9)
            clock.advance_to_ns(max(wake_ns, clock.now_ns()))
            loop.tick()
        clock.advance_to_ns(max(until_ns, clock.now_ns()))

    t0_ns = loop.edge()
    windows = []
    for begin_s, stop_s in items_s:
        sample_until(begin_s - 300e-6)
        if edges:
            loop.edge()
        sent_ns = max(round(begin_s * 1e9), clock.now_ns())
        sample_until(stop_s)
        windows.append((sent_ns, round(stop_s * 1e9)))
        clock.sleep_s(rng.uniform(50e-6, 300e-6))
        if edges:
            loop.edge()
    sample_until(end_s)
    t1_ns = clock.now_ns()
    if finish:
        t1_ns = loop.edge()
        while loop.watching:
            clock.advance_to_ns(max(loop.due_ns(), clock.now_ns()))
            loop.tick()
    rows += loop.take_rows()
    return SimulatedRun(Timeline.from_readings(rows), meter, windows, t0_ns, t1_ns, rows)
