"""Sequences that once gave a wrong energy with a confident bound: each is bounded or withheld now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.simulated_meter import Curve
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry.interval import energy_between, integrated_between
from joulemark.telemetry.timeline import Timeline

POWER_W = 300.0
S = 1_000_000_000


def source(*, update_s: float = 0.02, poll_s: float = 0.2, **facts: object) -> QualifiedSource:
    settings: dict[str, object] = {
        "power_max_w": 700.0,
        "counter_quantum_j": 1e-3,
        "power_window_s": 0.0,
        **facts,
    }
    info = SourceInfo("m", "nvml", Scope.gpu(0), ("energy_j", "power_w"), **settings)  # type: ignore[arg-type]
    return QualifiedSource(
        info,
        Qualification(
            Trust.QUALIFIED, update_period_s=update_s, update_period_max_s=update_s, poll_period_s=poll_s
        ),
    )


def readings(
    counter_j: Callable[[float], float],
    *,
    until_s: float = 30.0,
    step_s: float = 0.2,
    gauge_w: Callable[[float], float] = lambda _t: POWER_W,
    silent_s: tuple[float, float] = (1e9, 1e9),
    flags: Callable[[float], tuple[str, ...]] = lambda _t: (),
) -> Timeline:
    rows = []
    for i in range(int(until_s / step_s)):
        t_s = i * step_s
        if not silent_s[0] < t_s < silent_s[1]:
            values = {"energy_j": counter_j(t_s), "power_w": gauge_w(t_s)}
            rows.append(Reading(0, round(t_s * S), "m", "gpu", values, read_ns=100_000, flags=flags(t_s)))
    return Timeline.from_readings(rows)


def counted(timeline: Timeline, meter: QualifiedSource, t0_s: float, t1_s: float) -> MeasuredOrWithheld:
    return energy_between(timeline, meter, 0, round(t0_s * S), round(t1_s * S))


def why(energy: MeasuredOrWithheld) -> Reason:
    assert isinstance(energy, Withheld), energy
    return energy.reason


@pytest.mark.parametrize("begin_s", [5.5, 10.0, 14.0])
def test_a_short_freeze_that_does_not_catch_up_is_seen_beside_a_gauge(begin_s: float) -> None:
    lost_j = 1.9 * POWER_W

    def counter_j(t_s: float) -> float:
        if begin_s <= t_s < begin_s + 1.9:
            return begin_s * POWER_W
        return t_s * POWER_W - (lost_j if t_s >= begin_s else 0.0)

    assert why(counted(readings(counter_j), source(), 5, 16.5)) is Reason.COUNTER_FROZEN


def test_a_counter_that_is_late_and_catches_up_is_believed() -> None:
    def counter_j(t_s: float) -> float:
        return (10.0 if 10 <= t_s < 11.5 else t_s) * POWER_W

    energy = counted(readings(counter_j), source(), 5, 15)
    assert isinstance(energy, MeasuredEnergy)
    assert energy.joules == pytest.approx(3000, rel=0.02)


def test_a_reset_that_a_gap_hides_is_not_taken_for_little_energy() -> None:
    def counter_j(t_s: float) -> float:
        return 100.0 + t_s * POWER_W if t_s < 300 else (t_s - 250) * POWER_W + 5000

    timeline = readings(counter_j, until_s=400, step_s=1.0, silent_s=(10, 320))
    assert why(counted(timeline, source(), 5, 380)) is Reason.GAP_TOO_LONG


def test_a_gap_over_which_the_counter_went_on_is_bridged() -> None:
    timeline = readings(lambda t_s: t_s * POWER_W, until_s=400, step_s=1.0, silent_s=(10, 320))
    energy = counted(timeline, source(), 5, 380)
    assert isinstance(energy, MeasuredEnergy)
    assert energy.joules == pytest.approx(375 * POWER_W, rel=0.01)


def test_a_fall_across_a_gap_is_no_wrap() -> None:
    def counter_j(t_s: float) -> float:
        return 230_000 + 50 * t_s if t_s < 100 else 50 * (t_s - 290)

    meter = source(counter_modulus_j=262_144.0, counter_wraps=True, power_max_w=125.0)
    timeline = readings(counter_j, until_s=400, step_s=1.0, silent_s=(20, 300), gauge_w=lambda _t: 50.0)
    assert why(counted(timeline, meter, 5, 380)) is Reason.GAP_TOO_LONG


@pytest.mark.parametrize(
    ("flag", "reason"), [("reset_marker", Reason.COUNTER_RESET), ("overload", Reason.OVER_RANGE)]
)
def test_what_the_meter_itself_says_is_missing_is_missing(flag: str, reason: Reason) -> None:
    timeline = readings(lambda t_s: t_s * POWER_W, flags=lambda t_s: (flag,) if abs(t_s - 10) < 0.05 else ())
    assert why(counted(timeline, source(), 5, 15)) is reason
    assert isinstance(counted(timeline, source(), 12, 20), MeasuredEnergy)


def test_zeros_and_negatives_of_a_gauge_are_unknown_and_not_nothing() -> None:
    half = readings(lambda t_s: t_s, gauge_w=lambda t_s: POWER_W if t_s < 15 or t_s > 17 else -POWER_W)
    energy = integrated_between(half, source(), 0, 5 * S, 20 * S)
    assert isinstance(energy, MeasuredEnergy)
    assert energy.joules == pytest.approx(15 * POWER_W, rel=0.02)
    long = readings(lambda t_s: t_s, gauge_w=lambda t_s: POWER_W if t_s < 15 or t_s > 20 else 0.0)
    assert why(integrated_between(long, source(), 0, 5 * S, 25 * S)) is Reason.GAP_TOO_LONG
    turned = readings(lambda t_s: t_s, gauge_w=lambda t_s: -POWER_W if round(t_s * 5) % 3 else POWER_W)
    assert why(integrated_between(turned, source(), 0, 5 * S, 25 * S)) is Reason.METER_NOT_QUALIFIED


@pytest.mark.parametrize("renewal_s", [15.0, 30.0, 60.0])
def test_a_gauge_that_is_renewed_seldom_has_a_bound_that_knows_it(renewal_s: float) -> None:
    meter = source(poll_s=1.0, value_age_s=renewal_s, read_period_s=1.0, power_max_w=4000.0)
    held = []
    for seed in range(40):
        rng = np.random.default_rng([11, seed])
        breaks, watts = [0.0], [50.0]
        while breaks[-1] < 1000:
            breaks.append(breaks[-1] + rng.exponential(8))
            watts.append(400.0 if watts[-1] == 50.0 else 50.0)
        curve, phase_s = Curve.of(breaks, watts), rng.uniform(0, renewal_s)

        def gauge_w(t_s: float, curve: Curve = curve, phase_s: float = phase_s) -> float:
            at_s = max(np.floor((t_s - phase_s) / renewal_s) * renewal_s + phase_s, 0.0)
            return curve.peak_w(at_s, at_s)

        timeline = readings(lambda t_s: t_s, until_s=900, step_s=1.0, gauge_w=gauge_w)
        energy = integrated_between(timeline, meter, 0, 100 * S, 700 * S)
        assert isinstance(energy, MeasuredEnergy)
        held.append(energy.lo <= float(curve.joules_at(700.0) - curve.joules_at(100.0)) <= energy.hi)
    assert np.mean(held) >= 0.99


def register(counter_j: Callable[[float], float], stated_j: float) -> MeasuredOrWithheld:
    meter = source(
        poll_s=1.0,
        counter_quantum_j=stated_j,
        is_register=True,
        value_age_s=2.0,
        read_period_s=1.0,
        power_max_w=4000.0,
    )
    timeline = readings(counter_j, until_s=1300, step_s=1.0)
    return counted(timeline, meter, 100, 1200)


@pytest.mark.parametrize("stated_j", [3.6, 360.0, 3600.0])
def test_a_register_counts_in_coarser_steps_than_it_is_printed(stated_j: float) -> None:
    true_step_j = 36_000.0
    energy = register(lambda t_s: (t_s * POWER_W + 17_000) // true_step_j * true_step_j, stated_j)
    assert isinstance(energy, MeasuredEnergy)
    assert energy.lo <= 1100 * POWER_W <= energy.hi
    assert energy.width_j > true_step_j


def test_a_register_that_is_renewed_with_the_clock_shows_how_seldom() -> None:
    power = [200.0 + 100 * ((i * 7) % 5) for i in range(50)]
    energy_j = np.concatenate(([0.0], np.cumsum(np.array(power) * 30.0)))

    def true_j(t_s: float) -> float:
        return float(np.interp(t_s, np.arange(51) * 30.0, energy_j))

    energy = register(lambda t_s: true_j(t_s // 30 * 30) // 1.0, 1.0)
    assert isinstance(energy, MeasuredEnergy)
    assert energy.lo <= true_j(1200) - true_j(100) <= energy.hi


def alone(name: str | None = None, **facts: object) -> QualifiedSource:
    """A board's counter without a gauge beside it, which states no most."""
    info = SourceInfo("m", "dcgm", Scope.gpu(0), ("energy_j",), device_name=name, **facts)  # type: ignore[arg-type]
    test = Qualification(Trust.QUALIFIED, update_period_s=0.1, update_period_max_s=0.5, poll_period_s=0.25)
    return QualifiedSource(replace(info, counter_quantum_j=1e-3, value_age_s=0.1), test)


def without_gauge(joules_at: Callable[[float], float], *, step_s: float = 0.25) -> Timeline:
    rows = [
        Reading(0, round(t_s * S), "m", "gpu", {"energy_j": joules_at(t_s)}, read_ns=100_000)
        for t_s in np.arange(0, 30, step_s).tolist()
    ]
    return Timeline.from_readings(rows)


@pytest.mark.parametrize(
    ("leap_j", "meter"),
    [
        (4000.0, alone()),
        (4000.0, alone("NVIDIA H100 80GB HBM3")),
        (500.0, alone("NVIDIA H100 80GB HBM3")),
        (500.0, alone(power_max_w=700.0)),
    ],
)
def test_one_leap_of_a_counter_that_stands_alone_is_no_energy(leap_j: float, meter: QualifiedSource) -> None:
    timeline = without_gauge(lambda t_s: 400.0 * t_s + leap_j * (t_s >= 12))
    assert why(counted(timeline, meter, 5, 20)) is Reason.COUNTER_IMPLAUSIBLE
    assert isinstance(counted(timeline, meter, 14, 20), MeasuredEnergy)


@given(
    seed=st.integers(0, 10_000),
    idle_w=st.floats(5, 100),
    bursts=st.integers(1, 12),
    name=st.sampled_from([None, "NVIDIA H100 80GB HBM3", "RTX 4090"]),
)
@settings(deadline=None, max_examples=60)
def test_bursts_of_any_load_are_believed(seed: int, idle_w: float, bursts: int, name: str | None) -> None:
    """Up to what the board can draw, for 50 ms to a second each, between idle updates or among others."""
    rng = np.random.default_rng(seed)
    most_w = 450.0 if name == "RTX 4090" else 700.0
    begin_s = np.sort(rng.uniform(1, 28, bursts))
    edges, watts = [0.0], []
    for at_s in begin_s.tolist():
        edges += [max(at_s, edges[-1]), max(at_s, edges[-1]) + float(rng.uniform(0.05, 1.0))]
        watts += [idle_w, float(rng.uniform(idle_w, most_w))]
    at_s = np.array([*edges, 60.0])
    drawn_j = np.concatenate([[0.0], np.cumsum(np.diff(at_s) * [*watts, idle_w])])
    phase_s = float(rng.uniform(0, 0.1))

    def joules_at(t_s: float) -> float:
        return float(np.interp(max(np.floor((t_s - phase_s) / 0.1) * 0.1 + phase_s, 0), at_s, drawn_j))

    for step_s in (0.1, 0.25, 1.0):
        energy = counted(without_gauge(joules_at, step_s=step_s), alone(name), 0.5, 28.5)
        assert isinstance(energy, MeasuredEnergy), energy
