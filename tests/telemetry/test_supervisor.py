"""The real sampler process on the fake NVML library: edges, deaths, hangs, full disks."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from joulemark.meters.discovery import open_source
from joulemark.meters.nvml import nvml_spec
from joulemark.meters.source import SourceSpec
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.errors import InputError
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.telemetry.interval import energy_between
from joulemark.telemetry.journal import JournalReader
from joulemark.telemetry.supervisor import EDGE_TIMEOUT_S, Sampler
from joulemark.telemetry.timeline import Timeline

Sources = list[tuple[SourceSpec, QualifiedSource]]


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeNvml]:
    board = FakeBoard(power=[Piece(0.3, 80.0), Piece(0.2, 350.0)], loop=True, counter_period_s=0.05)
    fake = FakeNvml(tmp_path, [board])
    with fake.in_process():
        yield fake


@pytest.fixture
def sources(fake: FakeNvml) -> Sources:
    spec = nvml_spec(fake.boards[0].uuid)
    source = open_source(spec)
    source.close()
    test = Qualification(Trust.QUALIFIED, None, 0.05, 0.06, poll_period_s=0.2)
    return [(spec, QualifiedSource(source.info, test))]


def wait_for(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "it did not happen in time"
        time.sleep(0.01)


def process_is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] == "Z"
    except FileNotFoundError:
        return True


def test_edges_are_read_and_answered_in_order(sources: Sources, tmp_path: Path) -> None:
    path = tmp_path / "telemetry.jsonl"
    begin_ns = time.monotonic_ns()
    with Sampler.start(sources, path, 2) as sampler:
        stamps, between = [], []
        for _ in range(5):
            before_ns = time.monotonic_ns()
            stamps.append(sampler.edge())
            between.append((before_ns, time.monotonic_ns()))
            time.sleep(0.02)
    end_ns = time.monotonic_ns()
    assert all(a <= t <= b for t, (a, b) in zip(stamps, between, strict=True))
    assert sampler.health.notes == ()
    rows = list(JournalReader(path))
    assert {row.segment for row in rows} == {2}
    assert all(begin_ns < row.t_ns < end_ns for row in rows)
    for t_ns, (before_ns, _) in zip(stamps, between, strict=True):
        assert any(before_ns <= row.t_ns - row.read_ns and row.t_ns <= t_ns for row in rows)
    # the counter was seen to change once more after the last edge
    at_edge = [row.values["energy_j"] for row in rows if row.t_ns <= stamps[-1]][-1]
    assert rows[-1].values["energy_j"] > at_edge


def test_edges_of_an_event_loop_do_not_hold_it_up(sources: Sources, tmp_path: Path) -> None:
    async def measure(sampler: Sampler) -> list[int]:
        sampler_pid, turns = sampler.pid, 0

        async def turn() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        turning = asyncio.create_task(turn())
        stamps = [await sampler.aedge() for _ in range(5)]
        assert turns >= 5
        stamps += await asyncio.gather(*(sampler.aedge() for _ in range(10)))
        stamps.append(sampler.edge())
        os.kill(sampler_pid, signal.SIGSTOP)
        before = turns
        late = asyncio.create_task(sampler.aedge())
        await asyncio.sleep(0.05)
        assert not late.done()
        assert turns > before
        os.kill(sampler_pid, signal.SIGCONT)
        stamps.append(await late)
        turning.cancel()
        return stamps

    with Sampler.start(sources, tmp_path / "telemetry.jsonl", 0) as sampler:
        stamps = asyncio.run(measure(sampler))
    assert stamps == sorted(stamps)
    assert sampler.health.missed_edges == 0


def test_a_hung_sampler_costs_a_timeout_and_no_error(sources: Sources, tmp_path: Path) -> None:
    with Sampler.start(sources, tmp_path / "telemetry.jsonl", 0) as sampler:
        os.kill(sampler.pid, signal.SIGSTOP)
        begin_s = time.monotonic()
        sampler.edge()
        assert EDGE_TIMEOUT_S <= time.monotonic() - begin_s < EDGE_TIMEOUT_S + 0.5
        os.kill(sampler.pid, signal.SIGCONT)
        before_ns = time.monotonic_ns()
        assert sampler.edge() >= before_ns
    assert sampler.health.missed_edges == 1
    assert sampler.health.restarts == 0


def test_killed_samplers_are_restarted_and_energies_across_say_so(
    fake: FakeNvml, sources: Sources, tmp_path: Path
) -> None:
    path, dice = tmp_path / "telemetry.jsonl", random.Random(20)
    with Sampler.start(sources, path, 0) as sampler:
        t0_ns = sampler.edge()
        for kill in range(5):
            time.sleep(dice.uniform(0.01, 0.3))
            os.kill(sampler.pid, signal.SIGKILL)
            sampler.edge()
            wait_for(lambda kill=kill: sampler.health.restarts == kill + 1 and sampler._link.ready)  # type: ignore[misc]
        quiet_ns = sampler.edge()
        time.sleep(0.5)
        t1_ns = sampler.edge()
    assert sampler.health.restarts == 5
    assert not sampler.health.gave_up
    reader = JournalReader(path)
    rows = list(reader)
    assert reader.skipped <= 5
    assert sum(row.source == "sampler" for row in rows) == 5
    timeline = Timeline.from_journal(path)
    whole = energy_between(timeline, sources[0][1], 0, t0_ns, t1_ns)
    assert isinstance(whole, MeasuredEnergy)
    assert "sampler_lost" in whole.flags
    assert whole.lo <= fake.true_energy_j(0, t0_ns, t1_ns) <= whole.hi
    quiet = energy_between(timeline, sources[0][1], 0, quiet_ns, t1_ns)
    assert isinstance(quiet, MeasuredEnergy)
    assert quiet.flags == ()
    assert quiet.lo <= fake.true_energy_j(0, quiet_ns, t1_ns) <= quiet.hi


def test_a_sampler_that_dies_too_often_is_given_up_with_a_mark(
    sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joulemark.telemetry.supervisor.MAX_RESTARTS", 1)
    path = tmp_path / "telemetry.jsonl"
    with Sampler.start(sources, path, 0) as sampler:
        os.kill(sampler.pid, signal.SIGKILL)
        wait_for(lambda: sampler.health.restarts == 1 and sampler._link.ready)
        os.kill(sampler.pid, signal.SIGKILL)
        wait_for(lambda: sampler.health.gave_up)
        before_ns = time.monotonic_ns()
        assert sampler.edge() >= before_ns
        wait_for(lambda: list(JournalReader(path))[-1].source == "sampler")
    assert sampler.health.missed_edges == 1
    assert any("given up" in note for note in sampler.health.notes)
    assert Timeline.from_journal(path).sampler_lost_after(0, before_ns - 10**9)


def test_control_c_is_the_parents_affair(sources: Sources, tmp_path: Path) -> None:
    with Sampler.start(sources, tmp_path / "telemetry.jsonl", 0) as sampler:
        pid = sampler.pid
        assert os.getpgid(pid) != os.getpgid(0)
        os.kill(pid, signal.SIGINT)
        time.sleep(0.1)
        sampler.edge()
        assert sampler.pid == pid
    assert sampler.health.missed_edges == 0


def test_the_last_readings_are_pushed_and_a_lost_board_shows(
    fake: FakeNvml, sources: Sources, tmp_path: Path
) -> None:
    with Sampler.start(sources, tmp_path / "telemetry.jsonl", 0) as sampler:
        wait_for(lambda: "nvml:0" in sampler.latest())
        reading = sampler.latest()["nvml:0"]
        assert reading.values["temperature_c"] == 45
        fake.lose(0)
        wait_for(lambda: any(flag.startswith("lost:") for flag in sampler.latest()["nvml:0"].flags))
        sampler.edge()
    assert sampler.health.restarts == 0


def test_a_full_disk_is_told_to_the_parent(sources: Sources) -> None:
    with Sampler.start(sources, Path("/dev/full"), 0) as sampler:
        wait_for(lambda: sampler.health.journal_fault is not None)
        assert sampler.health.journal_fault == "No space left on device"
        before_ns = time.monotonic_ns()
        assert sampler.edge() >= before_ns
    assert "No space left on device" in sampler.health.notes[-1]


def test_a_journal_that_cannot_be_opened_is_an_input_error(sources: Sources, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file or directory"):
        Sampler.start(sources, tmp_path / "missing" / "telemetry.jsonl", 0)


def test_a_source_that_is_not_there_does_not_keep_the_others(sources: Sources, tmp_path: Path) -> None:
    absent = (nvml_spec("GPU-none"), sources[0][1])
    path = tmp_path / "telemetry.jsonl"
    with Sampler.start([absent, *sources], path, 0) as sampler:
        sampler.edge()
    rows = list(JournalReader(path))
    assert any(row.flags and row.flags[0].startswith("lost:") for row in rows)
    assert any("energy_j" in row.values for row in rows)


def test_the_sampler_leaves_when_its_parent_is_killed(
    fake: FakeNvml, sources: Sources, tmp_path: Path
) -> None:
    path = tmp_path / "telemetry.jsonl"
    code = """
import sys, time
from pathlib import Path
from joulemark.meters.nvml import nvml_spec
from joulemark.meters.discovery import open_source
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.telemetry.supervisor import Sampler
spec = nvml_spec(sys.argv[2])
source = QualifiedSource(open_source(spec).info, Qualification(Trust.QUALIFIED, None, 0.05, 0.06))
sampler = Sampler.start([(spec, source)], Path(sys.argv[1]), 0)
print(sampler.pid, flush=True)
time.sleep(60)
"""
    command = [sys.executable, "-c", code, str(path), fake.boards[0].uuid]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=fake.env) as parent:
        assert parent.stdout is not None
        sampler_pid = int(parent.stdout.readline())
        assert not process_is_gone(sampler_pid)
        parent.kill()
    wait_for(lambda: process_is_gone(sampler_pid), 5.0)
    reader = JournalReader(path)
    assert len(list(reader)) > 2
    assert reader.skipped == 0


def test_the_sampler_process_imports_little() -> None:
    code = """
import sys, joulemark.telemetry.sampler_main
print([name for name in ("numpy", "polars", "pydantic", "asyncio", "rich", "click") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
