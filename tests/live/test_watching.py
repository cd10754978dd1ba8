"""Looks at boards of known power, while what lies behind is dropped."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from joulemark.live.meter_set import MeterSet
from joulemark.live.watching import Watch
from joulemark.record.energy import MeasuredEnergy


@pytest.mark.slow
def test_readings_are_dropped_and_the_joules_are_those_since_the_start(boards: FakeNvml) -> None:
    with MeterSet.open(("nvml",), test_s=0.4) as meters:
        watch = Watch(meters, keep_s=0.5)
        begin_ns, end_s = time.monotonic_ns(), time.monotonic() + 5
        while time.monotonic() < end_s:
            time.sleep(0.1)
            look = watch.look()
        oldest = [int(track.t_ns[0]) for track in meters.timeline(0, time.monotonic_ns()).tracks.values()]
    assert min(oldest) > begin_ns + 1_000_000_000
    assert look.energy_s > 4
    assert len(look.rows) == 2
    for row, watts in zip(look.rows, (240.0, 60.0), strict=True):
        assert isinstance(row.energy, MeasuredEnergy)
        assert row.energy.lo <= watts * look.energy_s <= row.energy.hi
        assert row.energy.width_j < 0.2 * row.energy.joules
        assert row.energy.joules == pytest.approx(watts * look.energy_s, rel=0.05)


def test_the_first_look_waits_for_no_counter(tmp_path: Path) -> None:
    board = FakeBoard(power=[Piece(1.0, 100.0)], counter_period_s=0.5)
    with FakeNvml(tmp_path, [board]).in_process() as fake, MeterSet.open(("nvml",), test_s=2.5) as meters:
        watch = Watch(meters)
        fake.set_power_w(0, 0.0)  # its counter stands still: who waits for it waits for seconds
        took_s = []
        for _ in range(4):
            time.sleep(0.2)
            begin_s = time.monotonic()
            watch.look()
            took_s.append(time.monotonic() - begin_s)
    (source,) = meters.sources
    waits_s = 3 * (source.qualification.update_period_max_s or 0.0)
    assert waits_s > 1.4
    assert took_s[0] < max(took_s[1:]) + waits_s / 2
