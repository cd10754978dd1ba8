"""Marks that parent and sampler hand over in shared memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from doubles.simulated_meter import Curve, SimulatedMeter
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy
from joulemark.telemetry.cadence import edge_slack_ns
from joulemark.telemetry.interval import energies_between, prepared_counter
from joulemark.telemetry.look_page import LookPage, page_file
from joulemark.telemetry.sampler import SamplerLoop, SourcePlan
from joulemark.telemetry.timeline import Timeline

NOW_NS = 10**12
MS = 1_000_000
WATTS = 100.0


@pytest.fixture
def sides() -> Iterator[tuple[LookPage, LookPage]]:
    """Parent and sampler, each with a mapping of its own of one file."""
    with page_file() as file:
        yield LookPage(file.fileno()), LookPage(file.fileno())


def test_a_sampler_that_said_nothing_is_woken_once(sides: tuple[LookPage, LookPage]) -> None:
    parent, sampler = sides
    assert not sampler.marked
    assert parent.mark(NOW_NS)
    assert not parent.mark(NOW_NS + 1)  # it is being woken
    assert sampler.marked
    assert sampler.take_mark()
    assert not sampler.take_mark()
    sampler.say_calm(0)
    assert parent.mark(NOW_NS + 2)


def test_a_sampler_that_looks_soon_is_left_alone_and_finds_the_mark(
    sides: tuple[LookPage, LookPage],
) -> None:
    parent, sampler = sides
    sampler.say_calm(NOW_NS)
    assert not parent.mark(NOW_NS)
    assert sampler.take_mark()
    sampler.say_calm(NOW_NS + 1)
    assert parent.mark(NOW_NS)


def meter(clock: VirtualClock, name: str, period_s: float, seed: int) -> SimulatedMeter:
    curve, rng = Curve.of([0.0], [WATTS]), np.random.default_rng(seed)
    return SimulatedMeter(curve, rng, clock, duration_s=8, period_s=period_s, name=name, quantum_j=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_a_mark_is_read_soon_enough_for_the_fastest_of_its_sources(
    sides: tuple[LookPage, LookPage], seed: int
) -> None:
    """One counter of a millisecond, one of a tenth of a second: what is soon for this is late for that."""
    parent, sampler = sides
    clock, rng = VirtualClock(), np.random.default_rng([7, seed])
    meters = [meter(clock, name, period_s, seed) for name, period_s in [("slow", 0.1), ("fast", 0.001)]]
    updates_ns = {"slow": 110 * MS, "fast": 2 * MS}
    plans = [
        SourcePlan(one.info.name, "wall/psu/gpu:0", 200 * MS, updates_ns[one.info.name], lambda one=one: one)
        for one in meters
    ]
    loop = SamplerLoop(plans, clock, 0)
    loop.start()
    marks_ns = [int(t_ns) for t_ns in np.cumsum(rng.uniform(0.002, 0.08, 100) * 1e9) + 1_000 * MS]
    woken, left = 0, [*marks_ns, 7_000 * MS]
    while len(left) > 1:
        sampler.say_calm(loop.calm_from_ns())
        until_ns = max(loop.due_ns(), clock.now_ns())
        while len(left) > 1 and left[0] <= until_ns:
            mark_ns = left.pop(0)
            if parent.mark(mark_ns):
                woken += 1
                until_ns = mark_ns + 200_000  # it takes a while to wake up
        clock.advance_to_ns(max(until_ns, clock.now_ns()))
        if sampler.take_mark():
            loop.edge()
        loop.tick()
    while loop.watching:
        clock.advance_to_ns(max(loop.due_ns(), clock.now_ns()))
        loop.tick()
    assert 10 < woken < len(marks_ns), "some marks wake it, others need not"

    timeline = Timeline.from_readings(loop.take_rows())
    for one in meters:
        track = timeline.track(0, one.info.name)
        assert track is not None
        after = np.searchsorted(track.begin_ns, marks_ns)
        assert np.max(track.t_ns[after] - marks_ns) < edge_slack_ns(updates_ns[one.info.name])
    fast = meters[1]
    counter = prepared_counter(timeline, fast.qualified, 0)
    assert counter is not None
    for energy in energies_between(timeline, fast.qualified, 0, marks_ns[:-1:2], marks_ns[1::2]):
        assert isinstance(energy, MeasuredEnergy)
        # at each edge an update, and the most that was drawn until it is read
        assert energy.width_j < 2 * (WATTS * 0.002 + counter.slack_w * 0.0035)


FULL = """
import os, sys, tempfile
from pathlib import Path
tempfile.tempdir = sys.argv[1]
from joulemark.record.errors import InputError
from joulemark.telemetry.supervisor import Sampler
if sys.argv[2] == "file" and hasattr(os, "memfd_create"):
    del os.memfd_create
try:
    with Sampler.start([], Path(sys.argv[1], "full", "telemetry.jsonl").parents[2] / "t.jsonl", 0) as sampler:
        sampler.mark(1)
        print("marked")
except InputError as error:
    print(error.why)
"""
MOUNT = """
set -e
mount -t tmpfs -o size=16k none "$1"
echo mounted
cat /dev/zero > "$1/filler" 2> /dev/null || true
exec "$2" -c "$3" "$1" "$4"
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a small disk is made by Linux's means")
@pytest.mark.parametrize(("kind", "said"), [("memory", "marked"), ("file", "No space left on device")])
def test_a_full_disk_ends_no_process_that_measures(tmp_path: Path, kind: str, said: str) -> None:
    small = tmp_path / "small"
    small.mkdir()
    command = ["unshare", "-rm", "sh", "-c", MOUNT, "sh", str(small), sys.executable, FULL, kind]
    path = os.pathsep.join([str(Path(__file__).parents[2] / "src"), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
    except FileNotFoundError:
        pytest.skip("no unshare(1)")
    if not done.stdout.startswith("mounted"):
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
