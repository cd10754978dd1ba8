from __future__ import annotations

from dataclasses import replace

import numpy as np

from doubles.simulated_meter import Curve, Faults, SimulatedMeter
from joulemark.record.clock import VirtualClock
from joulemark.record.telemetry import Reading
from joulemark.telemetry.sampler import SamplerLoop, SourcePlan

STEADY = Curve.of([0.0], [200.0])


def a_meter(clock: VirtualClock, *, seed: int = 1, faults: Faults | None = None) -> SimulatedMeter:
    return SimulatedMeter(
        STEADY, np.random.default_rng(seed), clock, duration_s=60, period_s=0.1, jitter=0.05, faults=faults
    )


def a_loop(meter: SimulatedMeter, **more: object) -> SamplerLoop:
    plan = SourcePlan(meter.info.name, meter.info.scope.path, 200_000_000, 105_000_000, lambda: meter)
    return SamplerLoop([plan], meter.clock, 3, **more)  # type: ignore[arg-type]


def run_to(loop: SamplerLoop, clock: VirtualClock, t_s: float) -> list[Reading]:
    while loop.due_ns() <= t_s * 1e9:
        clock.advance_to_ns(max(loop.due_ns(), clock.now_ns()))
        loop.tick()
    clock.advance_to_ns(max(round(t_s * 1e9), clock.now_ns()))
    return loop.take_rows()


def test_polls_keep_their_rate_and_are_moved_about() -> None:
    clock = VirtualClock()
    loop = a_loop(a_meter(clock))
    loop.start()
    rows = run_to(loop, clock, 60.0)
    steps_s = np.diff([row.t_ns for row in rows]) * 1e-9
    polls = steps_s[10:]  # the first ones follow up the first sample
    assert 290 <= len(rows) <= 312
    assert 0.15 < polls.min() < 0.19 < 0.21 < polls.max() < 0.25
    assert {row.segment for row in rows} == {3}


def test_an_edge_is_followed_up_until_the_counter_changes() -> None:
    for seed in range(20):
        clock = VirtualClock()
        meter = a_meter(clock, seed=seed)
        loop = a_loop(meter)
        loop.start()
        run_to(loop, clock, 1.03)
        t_ns = loop.edge()
        rows = loop.take_rows()
        assert rows[-1].t_ns <= t_ns
        assert loop.watching
        edge_j = rows[-1].values["energy_j"]
        after = run_to(loop, clock, 1.25)
        assert not loop.watching
        first_changed = next(row for row in after if row.values["energy_j"] != edge_j)
        # one update, so one increment of about 0.1 s x 200 W, and seen within an eighth of it
        assert 17 < first_changed.values["energy_j"] - edge_j < 23
        assert first_changed.t_ns - t_ns < 0.12 * 1e9


def test_a_frozen_counter_is_not_followed_for_ever() -> None:
    clock = VirtualClock()
    loop = a_loop(a_meter(clock, faults=Faults(freeze_s=(0.0, 100.0))))
    loop.start()
    run_to(loop, clock, 2.0)
    loop.edge()
    assert loop.watching
    run_to(loop, clock, 2.4)
    assert not loop.watching


def test_a_reading_without_a_value_ends_no_watch() -> None:
    clock = VirtualClock()
    meter = a_meter(clock)
    silent = False

    class Silent:
        info = meter.info

        def read(self, segment: int) -> Reading:
            reading = meter.read(segment)
            return replace(reading, values={}, flags=("energy_j:timeout",)) if silent else reading

        def close(self) -> None: ...

    plan = SourcePlan("sim:0", "wall", 200_000_000, 105_000_000, Silent)
    loop = SamplerLoop([plan], clock, 0)
    loop.start()
    run_to(loop, clock, 1.03)
    loop.edge()
    edge_j = loop.take_rows()[-1].values["energy_j"]
    silent = True
    clock.advance_to_ns(loop.due_ns())
    loop.tick()
    silent = False
    assert loop.watching
    after = run_to(loop, clock, 1.25)
    assert after[0].values == {}
    changed = next(row for row in after[1:] if row.values["energy_j"] != edge_j)
    assert changed.values["energy_j"] - edge_j < 23, "one update, and no poll later"
    silent = True
    loop.edge()
    silent = False
    loop.edge()
    silent = True
    run_to(loop, clock, 2.0)
    assert not loop.watching, "and is not followed for ever"


def test_a_late_tick_is_flagged_as_a_gap() -> None:
    clock = VirtualClock()
    loop = a_loop(a_meter(clock))
    loop.start()
    run_to(loop, clock, 2.0)
    clock.advance_to_ns(4_000_000_000)
    loop.tick()
    late, *later = run_to(loop, clock, 5.0)
    assert late.flags == ("gap",)
    assert not any(row.flags for row in later)


def test_a_suspended_machine_is_flagged_as_slept() -> None:
    clock = VirtualClock()
    slept = [0]
    loop = a_loop(a_meter(clock), slept_ns=lambda: slept[0])
    loop.start()
    run_to(loop, clock, 2.0)
    slept[0] = 30_000_000_000
    woken, *later = run_to(loop, clock, 3.0)
    assert woken.flags == ("slept",)
    assert not any(row.flags for row in later)


def test_a_read_that_a_suspend_broke_off_is_flagged_and_the_next_one_too() -> None:
    """Nobody knows on which side of the suspend its value was taken."""
    clock = VirtualClock()
    meter, slept = a_meter(clock), [0]

    class Dozing:
        info = meter.info

        def read(self, segment: int) -> Reading:
            reading = meter.read(segment)
            if 2.0 < reading.t_ns * 1e-9 < 2.1:
                slept[0] = 30_000_000_000
            return reading

        def close(self) -> None: ...

    plan = SourcePlan("sim:0", "wall", 200_000_000, None, Dozing)
    loop = SamplerLoop([plan], clock, 0, slept_ns=lambda: slept[0])
    loop.start()
    rows = run_to(loop, clock, 2.0)
    assert not any(row.flags for row in rows)
    clock.advance_to_ns(2_050_000_000)
    loop.edge()
    broken_off, following, *later = run_to(loop, clock, 4.0)
    assert broken_off.flags == following.flags == ("slept",)
    assert not any(row.flags for row in later)


def test_a_lost_source_is_retried_more_and_more_rarely_while_the_rest_goes_on() -> None:
    clock = VirtualClock()
    lost = a_meter(clock, faults=Faults(lost_s=(1.0, 20.0)))
    well = SimulatedMeter(STEADY, np.random.default_rng(2), clock, duration_s=60, name="sim:1")
    opened = []

    def reopen() -> SimulatedMeter:
        opened.append(clock.now_ns())
        return lost

    loop = SamplerLoop(
        [
            SourcePlan("sim:0", "wall/psu/gpu:0", 200_000_000, 100_000_000, reopen),
            SourcePlan("sim:1", "wall/psu/gpu:0", 200_000_000, 100_000_000, lambda: well),
        ],
        clock,
        0,
    )
    loop.start()
    rows = run_to(loop, clock, 40.0)
    gone = [row.t_ns for row in rows if row.flags == ("lost:gone",)]
    gaps = np.diff(gone)
    assert len(gone) >= 6
    assert all(np.diff(gaps) > 0)
    assert len(opened) >= 3
    back = next(row for row in rows if row.source == "sim:0" and row.t_ns > gone[-1])
    assert back.values
    assert "gap" in back.flags
    assert sum(row.source == "sim:1" for row in rows) > 190


def test_a_source_that_cannot_be_opened_is_lost_not_fatal() -> None:
    def fail() -> SimulatedMeter:
        raise OSError("no such driver")

    clock = VirtualClock()
    loop = SamplerLoop([SourcePlan("x", "wall", 200_000_000, None, fail)], clock, 0)
    loop.start()
    assert loop.take_rows()[0].flags == ("lost:OSError no such driver",)


def test_values_that_are_no_numbers_are_dropped_and_named() -> None:
    clock = VirtualClock()
    meter = a_meter(clock)

    class Broken:
        info = meter.info

        def read(self, segment: int) -> Reading:
            return Reading(segment, 1, "sim:0", "wall", {"energy_j": float("nan"), "power_w": 5.0})

        def close(self) -> None: ...

    loop = SamplerLoop([SourcePlan("sim:0", "wall", 200_000_000, 1000, Broken)], clock, 0)
    loop.start()
    row = loop.take_rows()[0]
    assert row.values == {"power_w": 5.0}
    assert row.flags == ("energy_j:not_finite",)


def test_the_first_flags_mark_the_first_reading_only() -> None:
    clock = VirtualClock()
    loop = a_loop(a_meter(clock), first_flags=("sampler_lost",))
    loop.start()
    first, *rest = run_to(loop, clock, 2.0)
    assert first.flags == ("sampler_lost",)
    assert not any(row.flags for row in rest)
