"""A set of meters in real time: sampler process, fake driver library of known energy."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from joulemark.live import meter_set
from joulemark.live.meter_set import MeterSet
from joulemark.live.source_energy import SHARED_BOARD, SourceEnergy
from joulemark.live.total import total_of
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Method, Withheld
from joulemark.record.errors import InputError
from joulemark.record.meter import Trust
from joulemark.record.reason import Reason

TEST_S = 0.4


def held(energy: MeasuredOrWithheld, true_j: float) -> MeasuredEnergy:
    assert isinstance(energy, MeasuredEnergy), energy
    assert energy.lo <= true_j <= energy.hi, (energy, true_j)
    return energy


def test_stretches_between_marks_hold_the_true_energy(boards: FakeNvml) -> None:
    with MeterSet.open(["nvml"], test_s=TEST_S) as meters:
        assert [source.info.name for source in meters.sources] == ["nvml:0", "nvml:1"]
        assert all(source.qualification.trust is Trust.QUALIFIED for source in meters.sources)
        for length_s in (0.0, 0.01, 0.1, 0.8):
            t0_ns = meters.mark()
            time.sleep(length_s)
            t1_ns = meters.mark()
            found = meters.energies(t0_ns, t1_ns)
            for board, name in enumerate(("nvml:0", "nvml:1")):
                true_j = boards.true_energy_j(board, t0_ns, t1_ns)
                counter = held(found[name].counter, true_j)
                assert counter.method is Method.COUNTER
                held(found[name].integrated, true_j)
                assert found[name].best == counter
        assert counter.joules == pytest.approx(true_j, rel=0.02)
        assert counter.width_j < 2 * 60.0 * 0.05
    assert meters.close().notes == ()


def test_a_board_that_others_share_is_flagged(tmp_path: Path) -> None:
    made = [FakeBoard(power=[Piece(1.0, 100.0)], counter_period_s=0.02, mig=mig) for mig in (True, False)]
    with FakeNvml(tmp_path, made).in_process(), MeterSet.open(["nvml"], test_s=TEST_S) as meters:
        t0_ns = meters.mark()
        time.sleep(0.1)
        found = meters.energies(t0_ns, meters.mark())
    for energy in (found["nvml:0"].counter, found["nvml:0"].integrated):
        assert isinstance(energy, MeasuredEnergy)
        assert SHARED_BOARD in energy.flags
    total = total_of(list(found.values()))
    assert isinstance(total, MeasuredEnergy)
    assert SHARED_BOARD in total.flags
    alone = found["nvml:1"].counter
    assert isinstance(alone, MeasuredEnergy)
    assert SHARED_BOARD not in alone.flags


def test_an_edge_waits_for_its_reading_and_a_mark_does_not(boards: FakeNvml) -> None:
    with MeterSet.open(["nvml"], test_s=TEST_S) as meters:
        t_ns = meters.edge()
        time.sleep(0.05)  # it answers first and writes then
        reading = meters.timeline(t_ns, t_ns).tracks[0, "nvml:0"]
        assert any(abs(int(stamp) - t_ns) < 5_000_000 for stamp in reading.t_ns)
        costs_ns = []
        for _ in range(301):
            begin_ns = time.perf_counter_ns()
            meters.mark()
            costs_ns.append(time.perf_counter_ns() - begin_ns)
        # far below what any round trip takes here
        assert sorted(costs_ns)[150] < 50_000


def test_many_marks_do_not_drown_the_sampler(boards: FakeNvml) -> None:
    with MeterSet.open(["nvml"], test_s=TEST_S) as meters:
        end_s = time.monotonic() + 0.5
        t0_ns = meters.edge()
        while time.monotonic() < end_s:
            meters.mark()
        t1_ns = meters.edge()
        assert meters.health.missed_edges == 0
        held(meters.energies(t0_ns, t1_ns)["nvml:0"].best, boards.true_energy_j(0, t0_ns, t1_ns))


def test_stretches_of_several_threads_overlap(boards: FakeNvml) -> None:
    found: list[tuple[int, int, SourceEnergy]] = []
    with MeterSet.open(["nvml"], test_s=TEST_S) as meters:

        def work(length_s: float) -> None:
            t0_ns = meters.mark()
            time.sleep(length_s)
            t1_ns = meters.mark()
            found.append((t0_ns, t1_ns, meters.energies(t0_ns, t1_ns)["nvml:0"]))

        threads = [threading.Thread(target=work, args=(0.1 + 0.05 * i,)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 6
    for t0_ns, t1_ns, energy in found:
        held(energy.best, boards.true_energy_j(0, t0_ns, t1_ns))


def test_a_lost_board_is_withheld_and_the_other_goes_on(boards: FakeNvml) -> None:
    with MeterSet.open(["nvml"], test_s=TEST_S) as meters:
        t0_ns = meters.mark()
        time.sleep(0.1)
        boards.lose(1)
        time.sleep(0.3)
        t1_ns = meters.mark()
        found = meters.energies(t0_ns, t1_ns)
        held(found["nvml:0"].best, boards.true_energy_j(0, t0_ns, t1_ns))
        lost = found["nvml:1"].best
        assert isinstance(lost, Withheld)
        assert lost.reason is Reason.METER_LOST
        assert any(flag.startswith("lost:") for flag in meters.latest()["nvml:1"].flags)


def test_a_killed_sampler_never_makes_a_wrong_figure(boards: FakeNvml) -> None:
    with MeterSet.open(["nvml"], test_s=TEST_S) as meters:
        sampler = meters._sampler
        assert sampler is not None
        t0_ns = meters.mark()
        time.sleep(0.05)
        os.kill(sampler.pid, signal.SIGKILL)
        time.sleep(1.5)
        meters.edge()
        t1_ns = meters.edge()
        energy = meters.energies(t0_ns, t1_ns)["nvml:0"].best
        if isinstance(energy, MeasuredEnergy):
            held(energy, boards.true_energy_j(0, t0_ns, t1_ns))
            assert "sampler_lost" in energy.flags
        assert meters.health.restarts == 1
        # and it is as good as before afterwards
        t0_ns = meters.edge()
        time.sleep(0.2)
        t1_ns = meters.edge()
        held(meters.energies(t0_ns, t1_ns)["nvml:0"].best, boards.true_energy_j(0, t0_ns, t1_ns))


def test_what_cannot_be_read_is_absent_and_what_is_mistyped_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_POWERCAP", str(tmp_path / "nowhere"))
    with MeterSet.open(["rapl"]) as meters:
        assert meters.sources == ()
        assert [name for name, _ in meters.absent] == ["rapl"]
        assert all(why for _, why in meters.absent)
        t0_ns = meters.mark()
        assert t0_ns <= meters.edge()
        assert meters.energies(t0_ns, meters.mark()) == {}
    with pytest.raises(InputError, match="wattmeter"):
        MeterSet.open(["wattmeter"])
    with pytest.raises(InputError, match="nowhere"):
        MeterSet.open(["replay:nowhere.csv"])


def test_a_source_that_fails_its_test_is_there_and_withheld(boards: FakeNvml, tmp_path: Path) -> None:
    trace = tmp_path / "still.csv"
    rows = "".join(f"{i / 10},100.0,{50 + i % 2}\n" for i in range(100))  # a gauge that is alive
    trace.write_text(f"# scope = wall/psu/gpu:0\nt_s,energy_j,power_w\n{rows}")
    with MeterSet.open([f"replay:{trace}"], test_s=TEST_S) as meters:
        t0_ns = meters.mark()
        time.sleep(0.3)
        found = meters.energies(t0_ns, meters.mark())["replay:still"]
    assert isinstance(found.counter, Withheld)
    assert found.counter.reason is Reason.METER_NOT_QUALIFIED
    assert isinstance(found.best, MeasuredEnergy)
    assert found.best.method is Method.INTEGRATED
    assert "suspect" in found.best.flags


def test_a_window_cannot_end_before_it_begins(boards: FakeNvml) -> None:
    with MeterSet.open(["nvml"], test_s=TEST_S) as meters:
        t_ns = meters.mark()
        with pytest.raises(ValueError, match="before it begins"):
            meters.energies(t_ns, t_ns - 1)


def test_energies_of_the_past_outlive_the_meters(boards: FakeNvml) -> None:
    meters = MeterSet.open(["nvml"], test_s=TEST_S)
    t0_ns = meters.edge()
    time.sleep(0.1)
    t1_ns = meters.edge()
    place = meters._place
    assert place is not None
    assert place.path.is_dir()
    meters.close()
    assert not place.path.exists()
    held(meters.energies(t0_ns, t1_ns)["nvml:0"].best, boards.true_energy_j(0, t0_ns, t1_ns))
    assert meters.mark() > t1_ns
    assert meters.close() == meters.health


def test_a_shorter_poll_period_is_kept(boards: FakeNvml) -> None:
    with MeterSet.open(["nvml"], test_s=TEST_S, poll_s=0.03) as meters:
        t0_ns = meters.edge()
        time.sleep(0.6)
        t1_ns = meters.edge()
        track = meters.timeline(t0_ns, t1_ns).tracks[0, "nvml:0"]
    assert ((track.t_ns > t0_ns) & (track.t_ns < t1_ns)).sum() >= 12


def test_what_nobody_needs_is_dropped_while_it_runs(
    boards: FakeNvml, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meter_set, "_DRAIN_S", 0.05)
    needed_ns = 0
    with MeterSet.open(["nvml"], test_s=TEST_S, needed_from=lambda: needed_ns) as meters:
        t0_ns = meters.edge()
        time.sleep(0.3)
        t1_ns = meters.edge()
        held(meters.energies(t0_ns, t1_ns)["nvml:0"].best, boards.true_energy_j(0, t0_ns, t1_ns))
        needed_ns = time.monotonic_ns() + 100_000_000_000  # less than the margin around a window in the past
        time.sleep(0.3)
        found = meters.energies(t0_ns, t1_ns, wait=False)["nvml:0"].best
        assert isinstance(found, Withheld)
        assert found.reason in (Reason.NO_SAMPLES, Reason.OUTSIDE_TIMELINE)


@pytest.mark.skipif(sys.platform != "linux", reason="scheduling classes are Linux's")
def test_a_sampler_that_stands_back_takes_no_processor_from_its_caller(boards: FakeNvml) -> None:
    with (
        MeterSet.open(["nvml"], test_s=TEST_S) as usual,
        MeterSet.open(["nvml"], test_s=TEST_S, stand_back=True) as back,
    ):
        policies = []
        for meters in (usual, back):
            assert meters._sampler is not None
            policies.append(os.sched_getscheduler(meters._sampler.pid))
        assert policies == [os.SCHED_OTHER, os.SCHED_BATCH]


def test_a_forked_child_gets_no_energy_of_its_parents_meters(boards: FakeNvml) -> None:
    told = boards.run_python(
        """
import os, sys, time
from joulemark.live.meter_set import MeterSet
from joulemark.record.energy import Withheld
with MeterSet.open(["nvml"], test_s=0.4) as meters:
    t0_ns = meters.mark()
    pid = os.fork()
    if not pid:
        energy = meters.energies(t0_ns, meters.mark())["nvml:0"].best
        assert isinstance(energy, Withheld) and "forked" in energy.detail, energy
        assert meters.edge() > t0_ns and meters.latest() == {}
        meters.close()
        own = MeterSet.open(["nvml"], test_s=0.4)
        t0_ns = own.mark(); time.sleep(0.1)
        assert own.energies(t0_ns, own.mark())["nvml:0"].best.joules > 5
        own.close()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    energy = meters.energies(t0_ns, meters.mark())["nvml:0"].best
    assert energy.lo > 0, energy
    print("parent goes on")
"""
    )
    assert "parent goes on" in told
