from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from doubles.simulated_meter import Curve, SimulatedMeter, run_items
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.telemetry import Reading
from joulemark.telemetry.cumulative import cpu_seconds_between, cpu_seconds_in, throttled_between
from joulemark.telemetry.interval import energies_between
from joulemark.telemetry.journal import encode_reading
from joulemark.telemetry.timeline import Timeline, Track


def test_rows_are_sorted_into_tracks() -> None:
    timeline = Timeline.from_readings(
        [
            Reading(0, 30, "a", "", {"energy_j": 3.0}, read_ns=4, flags=("gap",)),
            Reading(0, 10, "a", "", {"energy_j": 1.0}),
            Reading(1, 5, "a", "", {"power_w": 9.0}),
            Reading(0, 20, "b", "", {"power_w": 7.0}),
            Reading(0, 25, "sampler", "", flags=("sampler_lost",)),
        ]
    )
    assert set(timeline.tracks) == {(0, "a"), (1, "a"), (0, "b")}
    series = timeline.series(0, "a", "energy_j")
    assert series is not None
    assert series.t_ns.tolist() == [10, 30]
    assert series.begin_ns.tolist() == [10, 26]
    assert series.value.tolist() == [1.0, 3.0]
    track = timeline.track(0, "a")
    assert track is not None
    assert [track.flags_of(bits) for bits in series.flag_bits.tolist()] == [(), ("gap",)]
    assert timeline.series(0, "b", "energy_j") is None
    assert timeline.series(7, "a", "energy_j") is None
    assert timeline.sampler_lost_after(0, 25)
    assert not timeline.sampler_lost_after(0, 26)
    assert timeline.sources(0) == ("a", "b")


def test_flags_of_a_row_without_the_quantity_pass_to_the_next() -> None:
    timeline = Timeline.from_readings(
        [
            Reading(0, 1, "a", "", {"energy_j": 1.0}),
            Reading(0, 2, "a", "", flags=("lost:gone",)),
            Reading(0, 3, "a", "", {"power_w": 5.0}, flags=("energy_j:not_supported", "gap")),
            Reading(0, 4, "a", "", {"energy_j": 2.0}),
        ]
    )
    track, series = timeline.track(0, "a"), timeline.series(0, "a", "energy_j")
    assert track is not None
    assert series is not None
    assert series.value.tolist() == [1.0, 2.0]
    assert [set(track.flags_of(bits)) for bits in series.flag_bits.tolist()] == [set(), {"lost", "gap"}]
    assert track.lost_after(2)
    assert not track.lost_after(3)


def test_a_journal_with_a_torn_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.jsonl"
    rows = [Reading(0, t, "a", "", {"energy_j": float(t)}) for t in range(5)]
    path.write_bytes(b"".join(map(encode_reading, rows))[:-9])
    timeline = Timeline.from_journal(path)
    assert len(timeline.tracks[0, "a"].t_ns) == 4
    assert timeline.skipped_lines == 1


def a_cumulative_timeline(values: list[float], quantity: str) -> Timeline:
    return Timeline.from_readings(
        Reading(0, i * 10**9, "x", "", {quantity: value}) for i, value in enumerate(values)
    )


def test_throttle_time_by_reason() -> None:
    timeline = a_cumulative_timeline([0, 0, 5e8, 1e9, 1e9], "throttle_power_cap_ns")
    throttled = throttled_between(timeline, "x", 0, 10**9, 4 * 10**9)
    assert throttled == {
        "power_cap": pytest.approx(1.0),
        "sw_thermal": None,
        "hw_thermal": None,
        "power_brake": None,
    }


def test_processor_seconds() -> None:
    timeline = a_cumulative_timeline([0, 1e9, 2e9, 2e9], "cpu_time_ns")
    assert cpu_seconds_between(timeline, "x", 0, 5 * 10**8, 3 * 10**9) == pytest.approx(1.5)
    assert cpu_seconds_between(timeline, "x", 0, 0, 9 * 10**9) is None
    assert cpu_seconds_between(timeline, "y", 0, 0, 10**9) is None
    assert cpu_seconds_between(a_cumulative_timeline([5e9, 1e9], "cpu_time_ns"), "x", 0, 0, 10**9) is None


def test_after_an_outage_processor_time_is_unknown_near_it_only() -> None:
    """A reading each 0.2 s, none from 10 s to 40 s; the engine used one core throughout."""
    at_s = [*np.arange(0, 10.1, 0.2), *np.arange(40, 50.1, 0.2)]
    timeline = Timeline.from_readings(
        Reading(0, round(s * 1e9), "x", "", {"cpu_time_ns": s * 1e9}) for s in at_s
    )

    def used_s(t0_s: float, t1_s: float) -> float | None:
        return cpu_seconds_between(timeline, "x", 0, round(t0_s * 1e9), round(t1_s * 1e9))

    assert used_s(2, 9) == pytest.approx(7)
    assert used_s(5, 45) == pytest.approx(40)  # the counter went on counting
    assert used_s(5, 20) is None
    assert used_s(20, 45) is None
    assert used_s(5, 10.5) == pytest.approx(5.5)
    # past the last reading the rise is not known: understated is worse than null
    assert used_s(45, 79) is None
    assert used_s(45, 52) is None


def test_processor_time_of_many_items_is_that_of_each() -> None:
    rng = np.random.default_rng(8)
    at_ns = np.cumsum(rng.integers(10**8, 3 * 10**8, 60))
    value = np.cumsum(rng.uniform(0, 1e9, 60))
    value[30:] -= value[30]  # the process was started again
    timeline = Timeline.from_readings(
        Reading(0, int(t), "x", "", {"cpu_time_ns": float(v)}) for t, v in zip(at_ns, value, strict=True)
    )
    t0s = rng.integers(at_ns[0] - 2 * 10**9, at_ns[-1] + 2 * 10**9, 300)
    t1s = t0s + rng.integers(0, 3 * 10**9, 300)
    together = cpu_seconds_in(timeline, "x", 0, t0s, t1s)
    alone = [cpu_seconds_between(timeline, "x", 0, int(a), int(b)) for a, b in zip(t0s, t1s, strict=True)]
    assert together == alone
    assert 50 < sum(s is not None for s in together) < 290
    assert all(s is None or s >= 0 for s in together)
    assert cpu_seconds_in(timeline, "x", 0, [], []) == []


def test_processor_time_of_ten_thousand_items_costs_little() -> None:
    """Not a timed floor: 10^9 operations would take many seconds here."""
    readings = 100_000
    at_ns = np.arange(readings, dtype=np.int64) * 200_000_000
    column = at_ns.astype(np.float64)
    track = Track(at_ns, at_ns, {"cpu_time_ns": column}, np.zeros(readings, np.int64), ())
    timeline = Timeline({(0, "x"): track})
    t0s = np.random.default_rng(3).integers(0, at_ns[-1] - 10**9, 10_000)
    begin_s = time.perf_counter()
    used_s = cpu_seconds_in(timeline, "x", 0, t0s, t0s + 10**9)
    assert time.perf_counter() - begin_s < 1
    assert used_s == pytest.approx([1.0] * 10_000)


def test_ten_thousand_items_cost_little() -> None:
    """Not a timed floor: a loop over samples an item would take minutes here."""
    rng = np.random.default_rng(5)
    curve = Curve.of([0.0], [250.0])
    meter = SimulatedMeter(curve, rng, VirtualClock(), duration_s=1200)
    run = run_items(meter, [], end_s=1000.0)
    begins = np.sort(rng.integers(10**9, 990 * 10**9, 10_000))
    begin_s = time.perf_counter()
    energies = energies_between(run.timeline, meter.qualified, 0, begins, begins + 10**9)
    assert time.perf_counter() - begin_s < 5
    assert all(isinstance(e, MeasuredEnergy) and e.lo <= 250 <= e.hi for e in energies)
