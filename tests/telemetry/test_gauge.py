from __future__ import annotations

import numpy as np
import pytest

from doubles.power_curves import KINDS, random_curve, random_items
from doubles.simulated_meter import Curve, SimulatedMeter, SimulatedRun, run_items
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy, Method
from joulemark.record.telemetry import Quantity, Reading
from joulemark.telemetry.interval import integrals_between, integrated_between
from joulemark.telemetry.timeline import Timeline


def a_run(replication: int, window_s: float) -> SimulatedRun:
    rng = np.random.default_rng([31, replication])
    items = random_items(rng)
    end_s = items[-1][1] + float(rng.uniform(0, 0.5))
    meter = SimulatedMeter(
        random_curve(KINDS[replication % 5], rng, items, end_s + 2),
        rng,
        VirtualClock(),
        duration_s=end_s + 2,
        period_s=float(rng.uniform(0.02, 0.2)),
        window_s=window_s,
        gauge_period_s=float(rng.choice([0.02, 0.1])),
    )
    return run_items(meter, items, end_s=end_s)


def check(window_s: float, replications: int) -> None:
    held, widths = [], []
    for replication in range(replications):
        run = a_run(replication, window_s)
        windows = [*run.items_ns, (run.t0_ns, run.t1_ns)]
        begins, stops = zip(*windows, strict=True)
        for (t0_ns, t1_ns), energy in zip(
            windows, integrals_between(run.timeline, run.meter.qualified, 0, begins, stops), strict=True
        ):
            assert isinstance(energy, MeasuredEnergy), energy
            assert energy.method is Method.INTEGRATED
            assert energy.hi <= 700 * (t1_ns - t0_ns) * 1e-9 + 1e-6
            true_j = run.true_j(t0_ns, t1_ns)
            held.append(energy.lo - 1e-6 <= true_j <= energy.hi + 1e-6)
            widths.append(energy.width_j / true_j)
    print(
        f"gauge over {window_s} s: held {np.mean(held):.2%} of {len(held)};"
        f" median width {np.median(widths):.2f} x energy"
    )
    assert np.mean(held) >= 0.99


@pytest.mark.parametrize("window_s", [1.0, 0.1, 0.0])
def test_bounds_hold(window_s: float) -> None:
    check(window_s, 100)


@pytest.mark.slow
@pytest.mark.parametrize("window_s", [1.0, 0.0])
def test_bounds_hold_in_two_thousand_runs(window_s: float) -> None:
    check(window_s, 2000)


def test_a_trailing_window_is_moved_back_by_half() -> None:
    """One second at 300 W between idle: an average over 1 s smears it over two, but not out of place."""
    curve = Curve.of([0.0, 5.0, 6.0], [50.0, 300.0, 50.0])
    meter = SimulatedMeter(
        curve, np.random.default_rng(1), VirtualClock(), duration_s=12, window_s=1.0, gauge_period_s=0.02
    )
    run = run_items(meter, [(5.0, 6.0)], end_s=9.0)
    timeline, source = run.timeline, run.meter.qualified
    early, late = (
        integrated_between(timeline, source, 0, int(a * 1e9), int(b * 1e9))
        for a, b in [(4.0, 5.5), (5.5, 7.0)]
    )
    assert isinstance(early, MeasuredEnergy)
    assert isinstance(late, MeasuredEnergy)
    assert early.joules == pytest.approx(late.joules, rel=0.08)
    whole = integrated_between(timeline, source, 0, int(3e9), int(8e9))
    assert isinstance(whole, MeasuredEnergy)
    assert whole.joules == pytest.approx(500, rel=0.02)


def test_run_totals_are_within_one_percent() -> None:
    for replication in range(5):
        rng = np.random.default_rng([32, replication])
        curve = random_curve("steps", rng, [], 62)
        meter = SimulatedMeter(curve, rng, VirtualClock(), duration_s=62, window_s=1.0)
        run = run_items(meter, [], end_s=60)
        energy = integrated_between(run.timeline, meter.qualified, 0, run.t0_ns, run.t1_ns)
        assert isinstance(energy, MeasuredEnergy)
        assert energy.joules == pytest.approx(run.true_j(run.t0_ns, run.t1_ns), rel=0.01)


def test_the_drivers_average_counts_as_one_second() -> None:
    run = a_run(0, 1.0)
    rows = [
        Reading(0, r.t_ns, r.source, r.scope, {"power_average_w": r.values["power_w"]}, r.read_ns)
        for r in run.readings
    ]
    t0_ns, t1_ns = run.items_ns[-1]
    source = run.meter.qualified
    assert integrated_between(
        Timeline.from_readings(rows), source, 0, t0_ns, t1_ns, Quantity.POWER_AVERAGE_W
    ) == integrated_between(run.timeline, source, 0, t0_ns, t1_ns)
