"""A faulty meter: energies are withheld with the reason or flagged, never negative or astronomic."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from doubles.simulated_meter import Curve, Faults, SimulatedMeter, SimulatedRun, run_items
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Reading
from joulemark.telemetry.interval import energies_between, energy_between, integrated_between
from joulemark.telemetry.timeline import Timeline

CURVE = Curve.of([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [60.0, 300.0, 60.0, 300.0, 60.0, 300.0])
ITEMS = [(2.0, 4.0), (6.0, 8.0)]
END_S = 9.0
FAULT_S = 7.0  # inside the second item


def a_run(
    faults: Faults | None = None, pause_s: tuple[float, float] | None = None, **more: object
) -> SimulatedRun:
    meter = SimulatedMeter(
        CURVE,
        np.random.default_rng(4),
        VirtualClock(),
        duration_s=20,
        faults=faults,
        **{"window_s": 1.0, **more},  # type: ignore[arg-type]
    )
    return run_items(meter, ITEMS, end_s=END_S, pause_s=pause_s)


def energies(run: SimulatedRun, source: QualifiedSource | None = None) -> list[MeasuredOrWithheld]:
    begins, stops = zip(*run.items_ns, (run.t0_ns, run.t1_ns), strict=True)
    return energies_between(run.timeline, source or run.meter.qualified, 0, begins, stops)


def assert_right(run: SimulatedRun, energy: MeasuredOrWithheld, t0_ns: int, t1_ns: int) -> None:
    assert isinstance(energy, MeasuredEnergy), energy
    true_j = run.true_j(t0_ns, t1_ns)
    assert energy.lo <= true_j <= energy.hi
    assert energy.joules == pytest.approx(true_j, abs=30)


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("healthy", a_run()),
        ("quantised", a_run(quantum_j=5.0)),
        ("wrap", a_run(modulus_j=6000.0)),
        ("no gauge", a_run(window_s=None)),
    ],
)
def test_healthy_counters_are_right(name: str, run: SimulatedRun) -> None:
    for energy, (t0_ns, t1_ns) in zip(energies(run), [*run.items_ns, (run.t0_ns, run.t1_ns)], strict=True):
        assert_right(run, energy, t0_ns, t1_ns)
        assert isinstance(energy, MeasuredEnergy)
        assert energy.flags == ()


def test_the_wrap_did_happen_in_the_second_item() -> None:
    run = a_run(modulus_j=6000.0)
    raw = [(r.t_ns, r.values["energy_j"]) for r in run.readings]
    falls = [t_ns for (_, before), (t_ns, value) in pairwise(raw) if value < before]
    assert len(falls) == 1
    assert run.items_ns[1][0] < falls[0] < run.items_ns[1][1]


@pytest.mark.parametrize(
    ("faults", "more", "reason"),
    [
        (Faults(reset_s=FAULT_S), {}, Reason.COUNTER_RESET),
        (Faults(reset_s=FAULT_S), {"modulus_j": 262_144.0}, Reason.COUNTER_RESET),
        (Faults(backwards=(FAULT_S, 200.0)), {}, Reason.COUNTER_BACKWARDS),
        (Faults(backwards=(FAULT_S, 200.0)), {"modulus_j": 262_144.0}, Reason.COUNTER_BACKWARDS),
        (Faults(jump=(FAULT_S, 1e6)), {}, Reason.COUNTER_IMPLAUSIBLE),
        (Faults(jump=(FAULT_S, 1e6)), {"power_max_w": None}, Reason.COUNTER_IMPLAUSIBLE),
        (Faults(jump=(FAULT_S, 1e6)), {"power_max_w": None, "window_s": None}, Reason.COUNTER_IMPLAUSIBLE),
        (Faults(freeze_s=(5.5, 8.5)), {}, Reason.COUNTER_FROZEN),
        (Faults(freeze_s=(5.5, 8.5)), {"window_s": None}, Reason.COUNTER_FROZEN),
        (Faults(freeze_s=(5.5, 99.0)), {}, Reason.COUNTER_FROZEN),
        (Faults(lost_s=(FAULT_S, 99.0)), {}, Reason.METER_LOST),
    ],
)
def test_a_fault_withholds_what_it_touches_and_nothing_else(
    faults: Faults, more: dict[str, float | None], reason: Reason
) -> None:
    run = a_run(faults, **more)
    before, touched, whole = energies(run)
    assert_right(run, before, *run.items_ns[0])
    for energy in (touched, whole):
        assert isinstance(energy, Withheld), energy
        assert energy.reason is reason


def test_a_wrap_of_unknown_modulus_is_withheld() -> None:
    run = a_run(modulus_j=6000.0)
    info = replace(run.meter.info, counter_modulus_j=None, counter_wraps=True)
    before, touched, whole = energies(run, replace(run.meter.qualified, info=info))
    assert isinstance(before, MeasuredEnergy)
    assert touched == whole == Withheld(Reason.COUNTER_WRAP_UNKNOWN)


def test_a_gap_in_which_it_may_have_wrapped_twice_is_withheld() -> None:
    run = a_run(modulus_j=1000.0, pause_s=(6.2, 7.8))
    before, touched, _ = energies(run)
    assert_right(run, before, *run.items_ns[0])
    assert touched == Withheld(Reason.GAP_TOO_LONG)


def test_a_gap_inside_an_item_is_flagged_and_the_energy_is_right() -> None:
    run = a_run(pause_s=(6.2, 7.8))
    before, touched, whole = energies(run)
    assert isinstance(before, MeasuredEnergy)
    assert before.flags == ()
    assert isinstance(touched, MeasuredEnergy)
    assert isinstance(whole, MeasuredEnergy)
    assert touched.flags == whole.flags == ("gap",)
    assert_right(run, touched, *run.items_ns[1])
    integrated = integrated_between(run.timeline, run.meter.qualified, 0, *run.items_ns[1])
    assert isinstance(integrated, MeasuredEnergy)
    assert integrated.lo <= run.true_j(*run.items_ns[1]) <= integrated.hi


def test_a_source_that_was_lost_and_came_back_is_flagged() -> None:
    run = a_run(Faults(lost_s=(6.5, 7.2)))
    _, touched, whole = energies(run)
    assert isinstance(touched, MeasuredEnergy)
    assert isinstance(whole, MeasuredEnergy)
    assert "lost" in touched.flags
    assert_right(run, touched, *run.items_ns[1])


def test_a_flag_of_the_very_last_read_counts() -> None:
    source = a_run().meter.qualified
    rows = [Reading(0, i * 10**8, "sim:0", "", {"energy_j": 20.0 * i}) for i in range(30)]
    rows[-1] = replace(rows[-1], flags=("gap",))
    timeline = Timeline.from_readings(rows)
    energy = energy_between(timeline, source, 0, 10**9, rows[-1].t_ns)
    assert isinstance(energy, MeasuredEnergy)
    assert energy.flags == ("edge_extrapolated", "gap")
    early = energy_between(timeline, source, 0, 10**9, 2 * 10**9)
    assert isinstance(early, MeasuredEnergy)
    assert early.flags == ()


def test_a_gauge_gap_of_more_than_three_seconds_is_withheld() -> None:
    run = a_run(pause_s=(4.8, 8.1))
    timeline, source = run.timeline, run.meter.qualified
    assert integrated_between(timeline, source, 0, run.t0_ns, run.t1_ns) == Withheld(Reason.GAP_TOO_LONG)
    assert isinstance(integrated_between(timeline, source, 0, *run.items_ns[0]), MeasuredEnergy)


def test_a_window_outside_the_timeline_is_withheld() -> None:
    run = a_run()
    source, second = run.meter.qualified, 1_000_000_000
    for t0_ns, t1_ns in [(0, run.t1_ns), (run.t0_ns, run.t1_ns + 5 * second)]:
        assert energy_between(run.timeline, source, 0, t0_ns, t1_ns) == Withheld(Reason.OUTSIDE_TIMELINE)
        assert integrated_between(run.timeline, source, 0, t0_ns, t1_ns + 5 * second) == Withheld(
            Reason.OUTSIDE_TIMELINE
        )
    assert energy_between(run.timeline, source, 1, run.t0_ns, run.t1_ns) == Withheld(Reason.NO_SAMPLES)


def test_a_sampler_that_never_came_back_is_the_reason() -> None:
    run = a_run()
    lost = Reading(0, run.t1_ns + 10**9, "sampler", "", flags=("sampler_lost",))
    timeline = Timeline.from_readings([*run.readings, lost])
    late = run.t1_ns + 2 * 10**9
    assert energy_between(timeline, run.meter.qualified, 0, run.t0_ns, late) == Withheld(Reason.SAMPLER_LOST)
    assert energy_between(Timeline.from_readings([lost]), run.meter.qualified, 0, 0, 1) == Withheld(
        Reason.SAMPLER_LOST
    )


def with_trust(run: SimulatedRun, trust: Trust, reason: str) -> QualifiedSource:
    source = run.meter.qualified
    return replace(source, qualification=replace(source.qualification, trust=trust, reason=reason))


def test_a_counter_that_failed_its_test_is_not_believed_but_its_gauge_is() -> None:
    run = a_run()
    source = with_trust(run, Trust.SUSPECT, "counter and power gauge disagree: counter / gauge = 0.50")
    withheld = energy_between(run.timeline, source, 0, *run.items_ns[0])
    assert isinstance(withheld, Withheld)
    assert withheld.reason is Reason.METER_NOT_QUALIFIED
    integrated = integrated_between(run.timeline, source, 0, *run.items_ns[0])
    assert isinstance(integrated, MeasuredEnergy)
    assert integrated.flags == ("suspect",)


@pytest.mark.parametrize(
    ("trust", "reason"), [(Trust.ABSENT, "lost"), (Trust.SUSPECT, "the power gauge reads 0 W")]
)
def test_a_source_that_failed_beyond_its_counter_gives_nothing(trust: Trust, reason: str) -> None:
    run = a_run()
    source = with_trust(run, trust, reason)
    refused = Withheld(Reason.METER_NOT_QUALIFIED, reason)
    assert energy_between(run.timeline, source, 0, *run.items_ns[0]) == refused
    assert integrated_between(run.timeline, source, 0, *run.items_ns[0]) == refused


def test_a_gauge_that_reads_nothing_gives_no_zero() -> None:
    rows = [Reading(0, i * 10**8, "sim:0", "", {"power_w": 0.0}) for i in range(100)]
    source = a_run().meter.qualified
    withheld = integrated_between(Timeline.from_readings(rows), source, 0, 10**9, 2 * 10**9)
    assert isinstance(withheld, Withheld)
    assert withheld.reason is Reason.METER_NOT_QUALIFIED


def test_a_window_that_ends_before_it_begins_is_the_callers_fault() -> None:
    run = a_run()
    with pytest.raises(ValueError, match="before it begins"):
        energy_between(run.timeline, run.meter.qualified, 0, run.t1_ns, run.t0_ns)
    with pytest.raises(ValueError, match="as many"):
        energies_between(run.timeline, run.meter.qualified, 0, [1, 2], [3])
