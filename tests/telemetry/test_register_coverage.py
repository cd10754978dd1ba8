"""Energy registers on virtual time: their bounds hold, what is shorter than their step is withheld."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from doubles.power_curves import KINDS, random_curve
from doubles.simulated_meter import Curve
from doubles.simulated_register import SimulatedRegister, sample
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.interval import energies_between, integrated_between


def slow_curve(rng: np.random.Generator, end_s: float, idle_w: float, load_w: float) -> Curve:
    """Loads that last seconds to minutes, as runs do."""
    breaks, watts = [0.0], [idle_w]
    while breaks[-1] < end_s:
        breaks.append(breaks[-1] + float(rng.uniform(1, 40)))
        watts.append(float(rng.choice([idle_w, load_w, rng.uniform(idle_w, load_w)])))
    return Curve.of(breaks, watts)


@dataclass
class Tally:
    held: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    withheld: int = 0

    def replicate(self, seed: int, replication: int) -> None:
        rng = np.random.default_rng([seed, replication])
        end_s = float(rng.uniform(120, 400))
        if replication % 2:
            curve = slow_curve(rng, end_s + 5, float(rng.uniform(20, 90)), float(rng.uniform(150, 650)))
        else:
            kind = KINDS[replication // 2 % len(KINDS)]
            curve = random_curve("ramps" if kind == "items" else kind, rng, [], end_s + 5)
        register = SimulatedRegister(
            curve,
            rng,
            VirtualClock(),
            quantum_j=float(rng.choice([3.6, 36.0, 360.0, 3600.0])),
            refresh_s=float(rng.choice([0.1, 1.0, 5.0])),
            cache_s=float(rng.choice([0.0, 0.0, 3.0])),
            has_gauge=bool(rng.integers(2)),
        )
        t0_s = float(rng.uniform(6, end_s / 3))
        t1_s = float(rng.uniform(end_s / 2, end_s - 5))
        timeline = sample(register, [t0_s, t1_s], end_s)
        t0_ns, t1_ns = round(t0_s * 1e9), round(t1_s * 1e9)
        energy = energies_between(timeline, register.qualified, 0, [t0_ns], [t1_ns])[0]
        if isinstance(energy, Withheld):
            # without a gauge a load that falls to a tenth looks like a register that stopped
            frozen = (
                Quantity.POWER_W not in register.info.quantities and energy.reason is Reason.COUNTER_FROZEN
            )
            assert frozen or energy.reason is Reason.SHORTER_THAN_STEP, energy
            self.withheld += 1
            return
        assert energy.method is Method.METER
        true_j = float(curve.joules_at(t1_s) - curve.joules_at(t0_s))
        self.held.append(energy.lo <= true_j <= energy.hi)
        self.widths.append(energy.width_j / true_j)
        self.errors.append(energy.joules / true_j - 1)

    def check(self) -> None:
        print(
            f"held {np.mean(self.held):.2%} of {len(self.held)}, {self.withheld} withheld; "
            f"median width {np.median(self.widths):.1%} of the energy; "
            f"error median {np.median(self.errors):+.2%}, "
            f"90 % within {np.quantile(np.abs(self.errors), 0.9):.2%}"
        )
        assert np.mean(self.held) >= 0.99
        assert np.median(self.widths) < 0.3
        assert abs(np.median(self.errors)) < 0.005
        assert self.withheld < len(self.held) / 4


def test_bounds_hold_in_two_hundred_runs() -> None:
    tally = Tally()
    for replication in range(200):
        tally.replicate(2027, replication)
    tally.check()


@pytest.mark.slow
def test_bounds_hold_in_two_thousand_runs() -> None:
    tally = Tally()
    for replication in range(2000):
        tally.replicate(2028, replication)
    tally.check()


def constant(power_w: float, **facts: float) -> SimulatedRegister:
    settings = {"quantum_j": 3600.0, "refresh_s": 1.0, **facts}
    curve = Curve.of([0.0], [power_w])
    return SimulatedRegister(curve, np.random.default_rng(5), VirtualClock(), **settings)  # type: ignore[arg-type]


def test_a_window_shorter_than_the_step_is_withheld_and_the_power_beside_it_is_not() -> None:
    register = constant(100.0)
    timeline = sample(register, [100.0, 120.0], 130.0)
    window = (100_000_000_000, 120_000_000_000)
    energy = energies_between(timeline, register.qualified, 0, [window[0]], [window[1]])[0]
    assert isinstance(energy, Withheld)
    assert energy.reason is Reason.SHORTER_THAN_STEP
    assert "3,600 J" in energy.detail
    beside = integrated_between(timeline, register.qualified, 0, *window)
    assert isinstance(beside, MeasuredEnergy)
    assert beside.joules == pytest.approx(2000, rel=0.02)


@pytest.mark.parametrize("has_gauge", [True, False])
def test_a_register_that_stops_is_not_believed_beyond_its_last_step(has_gauge: bool) -> None:
    register = constant(500.0, quantum_j=360.0, has_gauge=has_gauge)
    stop_s = 100.0
    register._curve = _Stopped(register._curve.joules_at, stop_s)  # type: ignore[assignment]
    timeline = sample(register, [20.0, 180.0], 190.0)
    energy = energies_between(timeline, register.qualified, 0, [20_000_000_000], [180_000_000_000])[0]
    assert isinstance(energy, Withheld)
    assert energy.reason is Reason.COUNTER_FROZEN
    before = energies_between(timeline, register.qualified, 0, [20_000_000_000], [90_000_000_000])[0]
    assert isinstance(before, MeasuredEnergy)
    assert before.joules == pytest.approx(35_000, rel=0.02)


class _Stopped:
    """A register that stands still from ``stop_s`` on beside a gauge that goes on."""

    def __init__(self, joules_at: object, stop_s: float) -> None:
        self._joules_at, self._stop_s = joules_at, stop_s

    def joules_at(self, t_s: float) -> float:
        return float(self._joules_at(min(t_s, self._stop_s)))  # type: ignore[operator]

    def peak_w(self, _a_s: float, _b_s: float) -> float:
        return 500.0


def test_an_old_value_widens_the_bound_and_does_not_break_it() -> None:
    widths = []
    for cache_s in (0.0, 20.0):
        register = constant(200.0, quantum_j=36.0, cache_s=cache_s)
        timeline = sample(register, [50.0, 250.0], 300.0)
        energy = energies_between(timeline, register.qualified, 0, [50_000_000_000], [250_000_000_000])[0]
        assert isinstance(energy, MeasuredEnergy)
        assert energy.lo <= 40_000 <= energy.hi
        widths.append(energy.width_j)
    assert widths[1] > widths[0] + 2 * 200 * 15
