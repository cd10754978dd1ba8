"""Looks at boards of known power, while what lies behind is dropped."""

from __future__ import annotations

import time

import pytest

from doubles.nvml import FakeNvml
from joulemark.live.meter_set import MeterSet
from joulemark.live.watching import Watch
from joulemark.record.energy import MeasuredEnergy


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
