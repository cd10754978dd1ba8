from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from doubles.power_curves import KINDS, random_curve, random_items
from doubles.simulated_meter import Curve, SimulatedMeter, SimulatedRun, run_items
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity, Reading
from joulemark.telemetry.interval import integrals_between, integrated_between
from joulemark.telemetry.timeline import Timeline

PAGE_S = 5
S = 10**9


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


def a_page(odd_s: range, *, watts: float | None = None, flag: str | None = None) -> Timeline:
    """A gauge on a page that is renewed every five seconds and polled every second.

    At the seconds of ``odd_s`` it shows ``watts`` or has ``flag``.
    """
    rows = []
    for i in range(400):
        shown_w = 200.0 + (i // PAGE_S % 7) * 3
        odd = i in odd_s
        flags = (flag,) if flag is not None and odd else ()
        power_w = watts if watts is not None and odd else shown_w
        rows.append(Reading(0, i * S, "page", "wall", {"power_w": power_w}, flags=flags))
    return Timeline.from_readings(rows)


def of_the_page(timeline: Timeline, t0_s: int, t1_s: int) -> MeasuredEnergy | Withheld:
    info = SourceInfo(
        "page",
        "prometheus",
        Scope("wall"),
        ("power_w",),
        power_window_s=0.0,
        power_max_w=500.0,
        value_age_s=float(PAGE_S),
        read_period_s=1.0,
    )
    test = Qualification(Trust.QUALIFIED, None, PAGE_S, PAGE_S, poll_period_s=1.0)
    return integrated_between(timeline, QualifiedSource(info, test), 0, t0_s * S, t1_s * S)


def test_an_impossible_power_on_a_page_withholds_the_window_that_holds_it() -> None:
    energy = of_the_page(a_page(range(320, 325), watts=50_000.0), 300, 360)
    assert isinstance(energy, Withheld)
    assert energy.reason is Reason.POWER_IMPLAUSIBLE


def test_an_impossible_power_elsewhere_leaves_a_window_and_its_bound_alone() -> None:
    energy = of_the_page(a_page(range(60, 65), watts=50_000.0), 300, 360)
    clean = of_the_page(a_page(range(0)), 300, 360)
    assert isinstance(clean, MeasuredEnergy)
    assert energy == clean
    assert clean.joules == pytest.approx(60 * 209, rel=0.02)


@pytest.mark.parametrize("odd_s", [320, 322, 324])  # the first of its value, and two that repeat it
def test_a_flag_of_a_reading_that_repeats_a_sample_is_not_overlooked(odd_s: int) -> None:
    timeline = a_page(range(odd_s, odd_s + 1), flag="odd")
    inside, before, after = (of_the_page(timeline, a, b) for a, b in [(300, 340), (200, 300), (340, 380)])
    assert isinstance(inside, MeasuredEnergy)
    assert "odd" in inside.flags
    for energy in (before, after):
        assert isinstance(energy, MeasuredEnergy)
        assert "odd" not in energy.flags


def test_a_flag_of_a_reading_without_a_power_is_not_overlooked() -> None:
    rows = [Reading(0, i * S, "page", "wall", {"power_w": 200.0 + i % 2}) for i in range(60)]
    rows[30] = replace(rows[30], values={"power_w": 0.0}, flags=("odd",))
    energy = of_the_page(Timeline.from_readings(rows), 10, 50)
    assert isinstance(energy, MeasuredEnergy)
    assert "odd" in energy.flags


@pytest.mark.parametrize("window_s", [2, 5])
@pytest.mark.parametrize("held_s", [0.1, 0.02])
def test_a_value_read_again_is_no_second_sample(held_s: float, window_s: int) -> None:
    """Tiny blocks have the gauge read every other millisecond: its values are as old as they were before."""
    held = []
    for replication in range(30):
        rng = np.random.default_rng([5, replication])
        breaks_s = np.concatenate(([0.0], np.cumsum(rng.uniform(0.005, 0.04, 200 * window_s))))
        dense_s = np.arange(1.5, 2.5 + window_s, 0.002)
        read_s = np.sort(np.concatenate((np.arange(0.0, window_s + 4, 0.1), dense_s)))
        phase_s = rng.uniform(0, held_s)
        renewed_s = np.maximum(np.floor((read_s - phase_s) / held_s) * held_s + phase_s, 0.0)
        level_w = rng.choice([60.0, 400.0], len(breaks_s))
        curve = Curve.of(list(breaks_s), list(level_w))
        power_w = level_w[np.searchsorted(breaks_s, renewed_s, side="right") - 1]
        timeline = Timeline.from_readings(
            Reading(0, round(t_s * 1e9), "g", "", {Quantity.POWER_W: float(w)})
            for t_s, w in zip(read_s, power_w, strict=True)
        )
        info = SourceInfo("g", "nvml", Scope.gpu(0), ("power_w",), power_window_s=0.0, power_max_w=450.0)
        test = Qualification(
            Trust.QUALIFIED, update_period_s=held_s, update_period_max_s=1.1 * held_s, poll_period_s=0.1
        )
        t0_ns, t1_ns = 2 * S, (2 + window_s) * S
        energy = integrated_between(timeline, QualifiedSource(info, test), 0, t0_ns, t1_ns)
        assert isinstance(energy, MeasuredEnergy)
        true_j = float(curve.joules_at(2.0 + window_s) - curve.joules_at(2.0))
        held.append(energy.lo <= true_j <= energy.hi)
    assert np.mean(held) >= 0.95
