"""An energy register of a known power curve on virtual time: a plug, an analyzer, a home server's entity.

It refreshes every ``refresh_s``, shows whole steps of ``quantum_j``, may serve a value up to ``cache_s`` old
and takes tens of milliseconds to answer.
"""

from __future__ import annotations

import math

import numpy as np

from doubles.simulated_meter import Curve
from joulemark.record.clock import VirtualClock
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry.sampler import SamplerLoop, SourcePlan
from joulemark.telemetry.timeline import Timeline

BASE_J = 7.2e6


class SimulatedRegister:
    """The source. ``has_gauge`` adds the power at its last refresh."""

    def __init__(
        self,
        curve: Curve,
        rng: np.random.Generator,
        clock: VirtualClock,
        *,
        quantum_j: float,
        refresh_s: float,
        cache_s: float = 0.0,
        has_gauge: bool = True,
        read_period_s: float = 1.0,
    ) -> None:
        self._curve, self._rng, self.clock = curve, rng, clock
        self._quantum_j, self._refresh_s, self._cache_s = quantum_j, refresh_s, cache_s
        self._phase_s = float(rng.uniform(0, refresh_s))
        self._base_j = BASE_J + float(rng.uniform(0, quantum_j))
        self._has_gauge = has_gauge
        self._shown_s = 0.0
        self.info = SourceInfo(
            "register",
            "simulated",
            Scope("wall"),
            ("energy_j", "power_w") if has_gauge else ("energy_j",),
            counter_quantum_j=quantum_j,
            power_window_s=0.0 if has_gauge else None,
            power_max_w=4000.0,
            is_register=True,
            value_age_s=refresh_s + cache_s,
            read_period_s=read_period_s,
        )
        self.qualified = QualifiedSource(
            self.info, Qualification(Trust.QUALIFIED, update_period_s=refresh_s, poll_period_s=read_period_s)
        )

    def read(self, segment: int) -> Reading:
        begin_ns = self.clock.now_ns()
        length_s = float(self._rng.uniform(0.005, 0.08))
        at_s = (
            begin_ns * 1e-9
            + float(self._rng.uniform(0, length_s))
            - float(self._rng.uniform(0, self._cache_s))
        )
        refreshed_s = max(
            math.floor((at_s - self._phase_s) / self._refresh_s) * self._refresh_s + self._phase_s, 0.0
        )
        self._shown_s = refreshed_s = max(refreshed_s, self._shown_s)  # a cache never goes back
        true_j = self._base_j + float(self._curve.joules_at(refreshed_s))
        values = {"energy_j": math.floor(true_j / self._quantum_j) * self._quantum_j}
        if self._has_gauge:
            values["power_w"] = self._curve.peak_w(refreshed_s, refreshed_s)
        self.clock.advance_to_ns(begin_ns + round(length_s * 1e9))
        t_ns = self.clock.now_ns()
        return Reading(segment, t_ns, self.info.name, "wall", values, read_ns=t_ns - begin_ns)

    def close(self) -> None:
        """Nothing to release."""


def sample(register: SimulatedRegister, edges_s: list[float], end_s: float) -> Timeline:
    """Poll to ``end_s`` with the real loop, with an edge read at each of ``edges_s``."""
    clock = register.clock
    poll_ns = round(register.qualified.qualification.poll_period_s * 1e9)
    loop = SamplerLoop([SourcePlan("register", "wall", poll_ns, None, lambda: register)], clock, 0)
    loop.start()
    for edge_s in [*edges_s, end_s]:
        while loop.due_ns() < edge_s * 1e9:
            clock.advance_to_ns(max(loop.due_ns(), clock.now_ns()))
            loop.tick()
        clock.advance_to_ns(max(round(edge_s * 1e9), clock.now_ns()))
        loop.edge()
    return Timeline.from_readings(loop.take_rows())
