"""``calibrate`` as a user runs it: a real engine or one that works on a fake board, real meters in real time.

Other work on the machine of the tests would have it refused, so most are forced; that is tested too.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from doubles.faults import Fault, Truth
from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.plugs.meter_curve import BEFORE_J, MeterCurve
from doubles.plugs.shelly import ShellyGen1, ShellyGen2
from doubles.user import Finished, adds, bench, joulemark, start
from doubles.working_engine import WorkingEngine
from joulemark.calibration.on_file import RunFacts, baselines_for
from joulemark.calibration.restore_file import restore_path
from joulemark.calibration.store import calibrations_home
from joulemark.runs.evidence import evidence_of
from joulemark.runs.recorded import read_run

QUICK = ("--duration", "0.6", "--settle", "0", "--force", "--json")


class LimitedEngine(WorkingEngine):
    """An engine whose board obeys its power limit: it draws no more, and generates more slowly."""

    def begin(self) -> int:
        assert self.fake is not None
        limit_w = self.fake.board(0).limit_mw * 1e-3
        self.busy_w = min(300.0, limit_w)
        self.gap_s = 0.05 * (300.0 / self.busy_w) ** 0.5
        return super().begin()


@pytest.fixture
def board(tmp_path: Path) -> FakeNvml:
    """A board at 60 W that this process computes on; its user set it to 350 W, the factory to 400 W."""
    made = FakeBoard(
        power=(Piece(1.0, 60.0),),
        counter_period_s=0.05,
        compute_pids=(os.getpid(),),
        limit_w=350.0,
        limit_default_w=400.0,
        limit_min_w=100.0,
    )
    return FakeNvml(tmp_path, [made])


@pytest.fixture
def engine(board: FakeNvml) -> Iterator[LimitedEngine]:
    with LimitedEngine(adds, board) as working:
        yield working


def calibrate(board: FakeNvml, *arguments: str | Path, **settings: Any) -> Finished:
    return joulemark("calibrate", *arguments, env=board.env, **settings)


def limit_w(board: FakeNvml) -> float:
    return board.board(0).limit_mw * 1e-3


@pytest.mark.slow
def test_idle_with_the_model_resident_is_kept_and_a_later_run_takes_it(
    board: FakeNvml, engine: LimitedEngine, sums: Callable[[int], Path], tmp_path: Path
) -> None:
    done = calibrate(board, "--engine", engine.url, "--no-curve", *QUICK, "--usd-per-kwh", "0.25")
    assert done.code == 0, done.err
    found = done.json
    (power,) = found["loaded"]["powers"]
    assert power["lo_w"] <= 60.0 <= power["hi_w"]
    assert power["scope"].endswith("gpu:0")
    assert found["device_sources"] == ["nvml:0"]
    assert found["empty"] is None
    assert "up already" in found["reasons"]["empty"]
    kwh = found["standby"]["standby_kwh_per_day"]
    assert kwh == pytest.approx(power["mean_w"] * 24 / 1000)
    assert found["standby"]["standby_usd_per_day"] == pytest.approx(0.25 * kwh)
    assert found["standby"]["standby_gco2e_per_day"] is None
    assert board.boards[0].uuid not in Path(found["file"]).read_text()
    assert Path(found["page"]).read_text().startswith("<!doctype html>")

    out = tmp_path / "run"
    assert joulemark(*bench(engine, sums(6), out), env=board.env).code == 0
    manifest = read_run(out).manifest
    with board.in_process():
        facts = RunFacts.of(manifest, 0, evidence_of(manifest, 0).chosen)
        baselines = baselines_for(facts).baselines
        assert baselines.loaded_idle_w == power["mean_w"]
        assert baselines.empty_idle_w is None
        board.board(0).limit_mw = 300_000
        facts = RunFacts.of(manifest, 0, evidence_of(manifest, 0).chosen)
        assert "300 W is in force" in baselines_for(facts).baselines.reasons["loaded_idle_w"]

    listed = joulemark("calibrate", "--list", "--json", env=board.env).json
    assert [one["id"] for one in listed["calibrations"]] == [found["id"]]
    assert joulemark("calibrate", "--remove", found["id"], env=board.env).code == 0
    assert not list(calibrations_home().iterdir())


def test_the_machine_alone(board: FakeNvml) -> None:
    board.set_processes(0, [])
    done = calibrate(board, "--no-engine", *QUICK)
    assert done.code == 0, done.err
    (power,) = done.json["empty"]["powers"]
    assert power["lo_w"] <= 60.0 <= power["hi_w"]
    assert done.json["loaded"] is None
    assert done.json["engine"] is None
    assert done.json["replayed"] is False
    assert "0.6" not in done.json["reasons"]["loaded"]
    assert any("not become steady" in flag for flag in done.json["empty"]["flags"])


@pytest.mark.slow
def test_what_was_replayed_is_told_aloud(tmp_path: Path) -> None:
    trace = tmp_path / "steady.csv"
    rows = [f"{k / 10},{3.0 * k},30.0" for k in range(1200)]
    trace.write_text("\n".join(["# scope = wall/psu/gpu:0", "t_s,energy_j,power_w", *rows]) + "\n")
    played = ("calibrate", "--no-engine", "--meter", f"replay:{trace}", *QUICK)
    found = joulemark(*played)
    assert found.code == 0, found.err
    assert found.json["replayed"] is True
    assert "REPLAYED" in found.json["flags"][0]
    assert "REPLAYED" in Path(found.json["page"]).read_text()
    shown = joulemark(*played[:-1])
    assert "! replay:steady REPLAYED from a recorded trace" in " ".join(shown.out.split())
    assert "REPLAYED" in joulemark("calibrate", "--list").out


WITH_AND_WITHOUT_ENGINE = pytest.mark.parametrize(
    "with_engine", [False, pytest.param(True, marks=pytest.mark.slow)]
)


def shared_with_another(board: FakeNvml, engine: LimitedEngine, *, with_engine: bool) -> list[str]:
    """Put somebody else's process on the board; return what to calibrate."""
    board.set_processes(0, [os.getpid(), os.getppid()])
    return [*(("--engine", engine.url) if with_engine else ("--no-engine",)), "--no-curve"]


@WITH_AND_WITHOUT_ENGINE
def test_a_machine_that_works_for_somebody_else_is_refused(
    board: FakeNvml, engine: LimitedEngine, with_engine: bool
) -> None:
    target = shared_with_another(board, engine, with_engine=with_engine)
    done = calibrate(board, *target, "--duration", "0.6", "--settle", "0", "--json")
    assert done.code == 3, done.err
    assert "the machine is not idle" in done.err
    assert f"(pid {os.getppid()}) computes on gpu:0" in done.err
    assert "--force" in done.err
    assert not calibrations_home().exists()


@WITH_AND_WITHOUT_ENGINE
def test_forced_it_says_who_else_was_there(board: FakeNvml, engine: LimitedEngine, with_engine: bool) -> None:
    forced = calibrate(board, *shared_with_another(board, engine, with_engine=with_engine), *QUICK)
    assert forced.code == 0, forced.err
    kept = forced.json["empty"] or forced.json["loaded"]
    assert any("--force" in flag and f"pid {os.getppid()}" in flag for flag in kept["flags"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--no-engine", "--wall"), "need a load"),
        (("--power-caps", "1.5"), "between 0.05 and 1"),
        (("--power-caps", "half"), "no list of numbers"),
        (("--levels", "2.5"), "whole numbers"),
        (("--duration", "nan"), "nan"),
        (("--remove", "nothing"), "names no calibration"),
        (("--no-engine", "--meter", "none"), "no meter to calibrate with"),
        (("--no-engine", "--board", "7"), "--board 7 is not measured here"),
        (("--engine", "http://127.0.0.1:9", "--settle", "0"), "127.0.0.1:9"),
    ],
)
def test_bad_input_is_told_and_nothing_is_kept(
    board: FakeNvml, arguments: tuple[str, ...], words: str
) -> None:
    done = calibrate(board, *arguments)
    assert done.code == 2, done.err
    assert words in done.err
    assert "Traceback" not in done.err
    assert not calibrations_home().exists()


def _until_capped(board: FakeNvml, process: subprocess.Popen[str], below_w: float = 350.0) -> None:
    end = time.monotonic() + 60
    while limit_w(board) >= below_w and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    assert limit_w(board) < below_w


def _sweep(board: FakeNvml, engine: LimitedEngine) -> subprocess.Popen[str]:
    arguments = ("--no-curve", *QUICK, "--power-caps", "0.75,0.5")
    return start("calibrate", "--engine", engine.url, *arguments, env=board.env)


@pytest.mark.slow
def test_after_kill_9_doctor_says_so_and_puts_the_limit_back(board: FakeNvml, engine: LimitedEngine) -> None:
    process = _sweep(board, engine)
    _until_capped(board, process)
    process.kill()
    process.communicate(timeout=30)
    assert limit_w(board) < 350.0
    assert restore_path().exists()

    doctor = joulemark("doctor", "--no-test", "--json", env=board.env)
    assert "killed before it put the power limits back" in doctor.err
    assert "gpu:0 350 W" in doctor.json["power_limits_left"]
    refused = calibrate(board, "--engine", engine.url, *QUICK, "--power-caps", "0.5")
    assert refused.code == 2
    assert "doctor --restore" in refused.err
    warned = calibrate(board, "--no-engine", *QUICK)
    assert warned.code == 0, warned.err
    assert any("put the power limits back" in flag for flag in warned.json["flags"])

    mended = joulemark("doctor", "--restore", env=board.env)
    assert mended.code == 0, mended.err
    assert "350 W put back" in mended.out
    assert limit_w(board) == 350.0
    assert not restore_path().exists()
    again = joulemark("doctor", "--restore", "--json", env=board.env)
    assert again.json == {"restored": []}
    assert joulemark("doctor", "--no-test", "--json", env=board.env).json["power_limits_left"] is None


@pytest.mark.slow
@pytest.mark.parametrize("request_to_end", [signal.SIGINT, signal.SIGTERM])
def test_a_request_to_end_puts_the_limit_back_and_keeps_what_was_measured(
    board: FakeNvml, engine: LimitedEngine, request_to_end: signal.Signals
) -> None:
    process = _sweep(board, engine)
    _until_capped(board, process)
    process.send_signal(request_to_end)
    output, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert limit_w(board) == 350.0
    assert not restore_path().exists()
    found = json.loads(output)
    assert found["loaded"]["powers"]
    assert any("interrupted" in flag for flag in found["flags"])


@pytest.mark.slow
def test_power_follows_load_and_limits(board: FakeNvml, engine: LimitedEngine) -> None:
    done = calibrate(
        board,
        *("--engine", engine.url, "--duration", "3", "--settle", "8", "--force", "--json"),
        *("--levels", "2", "--power-caps", "0.75,0.5,0.1"),
        timeout_s=200,
    )
    assert done.code == 0, done.err
    found = done.json
    assert [(p["concurrency"], p["duty"]) for p in found["curve"]] == [
        (0, 0.0),
        *((1, duty) for duty in (0.25, 0.5, 0.75, 1.0)),
        (2, 1.0),
    ]
    for point in found["curve"]:
        (power,) = point["powers"]
        # the board draws 300 W while a request is in flight, else 60 W
        true_w = 60 + 240 * point["utilisation"]
        assert power["mean_w"] == pytest.approx(true_w, abs=12)
    assert found["curve"][1]["utilisation"] < 0.6 < found["curve"][4]["utilisation"]
    assert found["curve"][5]["tokens_per_s"] > 1.5 * found["curve"][4]["tokens_per_s"]

    # shares are of the factory's 400 W, not of the 350 W that were in force
    assert [(p["share"], p["limit_w"]) for p in found["caps"]] == [(1.0, 400), (0.75, 300), (0.5, 200)]
    assert "outside what the device allows" in found["reasons"]["caps"]
    for point in found["caps"]:
        (power,) = point["powers"]
        drawn_w = min(300.0, point["limit_w"])
        assert power["mean_w"] == pytest.approx(60 + (drawn_w - 60) * point["utilisation"], rel=0.06)
        low, high = point["joules_per_token_bound"]
        assert low <= point["joules_per_token"] <= high
        assert point["joules_per_token"] == pytest.approx(power["mean_w"] / point["tokens_per_s"])
    assert found["caps"][2]["tokens_per_s"] < 0.95 * found["caps"][1]["tokens_per_s"]
    assert limit_w(board) == 350.0
    page = Path(found["page"]).read_text()
    assert page.count("<svg") == 4
    assert "http://" not in page
    assert "https://" not in page


class _WallCurve(MeterCurve):
    """The meter of a plug that feeds the board: 50 W, and 1.1 W for each of the board's."""

    board: FakeNvml

    @property
    def energy_j(self) -> float:
        at_ns = self.board.start_ns + round(self.updated_s * 1e9)
        return BEFORE_J + 50 * self.updated_s + 1.1 * self.board.true_energy_j(0, self.board.start_ns, at_ns)

    @property
    def power_w(self) -> float:
        at_ns = self.board.start_ns + round(self.updated_s * 1e9)
        return 50 + 1.1 * self.board.true_energy_j(0, at_ns - 1_000_000, at_ns) * 1e3


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_wall_is_a_plane_over_the_board(board: FakeNvml, engine: LimitedEngine) -> None:
    def now_s() -> float:
        return (time.monotonic_ns() - board.start_ns) * 1e-9

    curve = _WallCurve(Fault.HEALTHY, Truth(), now_s, update_s=0.2)
    object.__setattr__(curve, "board", board)
    with ShellyGen2(curve) as plug:
        done = calibrate(
            board,
            *("--engine", engine.url, "--meter", "nvml", "--meter", f"shelly:{plug.address}", "--wall"),
            *("--duration", "4", "--settle", "0", "--force", "--json", "--levels", ""),
            timeout_s=500,
        )
    assert done.code == 0, done.err
    fit = done.json["wall_fit"]
    assert fit is not None, done.json["reasons"]
    assert fit["terms"] == ["base", "gpu"]
    assert fit["coefficients"] == pytest.approx([50.0, 1.1], rel=0.15)
    middle_w = fit["coefficients"][0] + 180 * fit["coefficients"][1]
    assert middle_w == pytest.approx(50 + 1.1 * 180, rel=0.03)
    assert fit["wall_source"] == "shelly"
    assert [one["source"] for one in done.json["wall_sources"]] == ["nvml:0"]


def plug_of(power_w: float, update_s: float) -> MeterCurve:
    """A plug in real time that has counted for an hour."""
    begin_s = time.monotonic() - 3600
    truth = Truth(power_w=power_w, t0_s=0.0, t1_s=0.0)
    return MeterCurve(Fault.HEALTHY, truth, lambda: time.monotonic() - begin_s, update_s=update_s)


@pytest.mark.slow
def test_a_plug_too_slow_for_so_idle_a_machine_is_refused_before_anybody_waits(board: FakeNvml) -> None:
    with ShellyGen1(plug_of(1.0, update_s=60.0)) as plug:
        done = calibrate(board, "--no-engine", "--meter", f"shelly:{plug.address}", *QUICK)
    assert done.code == 2, done.err
    said = " ".join(done.err.split())
    assert "shelly cannot tell an idle power in 15 min" in said
    assert "may be 62 s old, and its register counts in steps of 60 J" in said
    assert "--duration" in said
    assert not calibrations_home().exists()


@pytest.mark.slow
def test_a_plug_alone_is_watched_for_as_long_as_it_needs(board: FakeNvml) -> None:
    with ShellyGen2(plug_of(90.0, update_s=1.0)) as plug:
        done = calibrate(board, "--no-engine", "--meter", f"shelly:{plug.address}", *QUICK)
    assert done.code == 0, done.err
    assert "that takes 24 s: what shelly shows may be 2 s old" in " ".join(done.err.split())
    (power,) = done.json["empty"]["powers"]
    assert done.json["empty"]["duration_s"] > 24
    assert power["lo_w"] <= 90.0 <= power["hi_w"]
    assert power["hi_w"] - power["lo_w"] < power["mean_w"]


@pytest.mark.slow
def test_the_built_in_engine_has_both_idles(built_in_model: Path, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    trace = tmp_path / "steady.csv"
    rows = [f"{k / 10},{3.0 * k},30.0" for k in range(2400)]
    trace.write_text("\n".join(["# scope = wall/psu/gpu:0", "t_s,energy_j,power_w", *rows]) + "\n")
    done = joulemark(
        *("calibrate", "--meter", f"replay:{trace}", "--duration", "1", "--settle", "6"),
        *("--force", "--json", "--levels", "2"),
        timeout_s=250,
    )
    assert done.code == 0, done.err
    found = done.json
    assert found["engine"]["kind"] == "embedded"
    assert found["engine"]["model_digest"].startswith("sha256:")
    for name in ("empty", "loaded"):
        (power,) = found[name]["powers"]
        assert power["mean_w"] == pytest.approx(30.0, rel=0.1)
    assert found["standby"]["standby_above_empty_kwh_per_day"] == pytest.approx(0.0, abs=0.1)
    assert found["curve"][4]["tokens_per_s"] > 1
    assert len(found["curve"]) == 6
