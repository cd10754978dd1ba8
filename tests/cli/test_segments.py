"""Runs of several segments: each is judged by its own evidence, and ended runs leave the truth behind."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.user import adds, bench, interrupt, joulemark, start
from doubles.working_engine import WorkingEngine
from joulemark.runs.journal import read_items
from joulemark.runs.recorded import read_run

pytestmark = pytest.mark.slow  # each is two runs or more

Sums = Callable[[int], Path]


def answers(out: Path) -> int:
    rows, _ = read_items(out / "items.jsonl")
    return sum(row.item.phase == "measure" for row in rows)


def interrupted(command: object, env: dict[str, str], out: Path, after: int) -> str:
    process = start(*command, env=env)  # type: ignore[misc]
    interrupt(process, when=lambda: answers(out) >= after)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return err


def test_a_segment_without_the_engine_on_the_board_is_not_cured_by_a_later_one(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out, data = tmp_path / "run", sums(8)
    board.set_processes(0, [1])
    interrupted(bench(engine, data, out), board.env, out, after=3)
    board.set_processes(0, [os.getpid()])
    done = joulemark(*bench(engine, data, out), env=board.env)
    assert done.code == 0, done.err
    assert done.json["total_joules"] is None
    assert done.json["reasons"]["total_joules"]["code"] == "engine_not_on_device"
    assert done.json["n_requests"] == 8


def test_another_board_in_the_next_segment_is_no_sum(sums: Sums, tmp_path: Path) -> None:
    out, data = tmp_path / "run", sums(8)
    homes = [tmp_path / "a", tmp_path / "b"]
    fakes = []
    for number, home in enumerate(homes):
        home.mkdir()
        uuid = f"GPU-{number:08x}-1111-4222-8333-000000000000"
        card = FakeBoard(power=(Piece(1.0, 60.0),), uuid=uuid, compute_pids=(os.getpid(),))
        fakes.append(FakeNvml(home, [card]))
    with WorkingEngine(adds, fakes[0]) as engine:
        interrupted(bench(engine, data, out), fakes[0].env, out, after=3)
        engine.fake = fakes[1]
        done = joulemark(*bench(engine, data, out), env=fakes[1].env)
    assert done.code == 0, done.err
    assert done.json["total_joules"] is None
    assert done.json["reasons"]["total_joules"]["code"] == "scopes_differ"


def test_other_meters_do_not_go_on_with_a_run(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out, data = tmp_path / "run", sums(3)
    assert joulemark(*bench(engine, data, out), env=board.env).code == 0
    done = joulemark(*bench(engine, data, out, "--repeat", "2", "--meter", "none"), env=board.env)
    assert done.code == 2
    assert "--meter auto" in done.err
    shown = joulemark("report", out, "--json", env=board.env)
    assert shown.json["total_joules"] > 0


def test_requests_cut_off_by_ctrl_c_are_told_and_take_their_share(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out, data = tmp_path / "run", sums(24)
    interrupted(bench(engine, data, out, "--concurrency", "4"), board.env, out, after=6)
    run = read_run(out)
    cut_off = [item for item in run.items if item.phase == "abandoned"]
    assert 0 < len(cut_off) <= 4
    shown = joulemark("report", out, "--json", env=board.env).json
    assert shown["n_requests"] == answers(out)
    (proof,) = shown["attribution"]
    assert abs(proof["residual_j"]) < 0.01 * proof["total_j"]
    assert any("cut off" in caveat["text"] for caveat in shown["caveats"])
    done = joulemark(*bench(engine, data, out, "--concurrency", "4"), env=board.env)
    assert done.json["n_requests"] == 24


def test_a_full_disk_is_said_in_one_sentence_and_nothing_stored_is_lost(sums: Sums, tmp_path: Path) -> None:
    """A limit on the size of a file stands for the disk: writes beyond it fail in the same way."""
    out, data = tmp_path / "run", sums(30)
    with WorkingEngine(adds, gap_s=0.001) as engine:
        command = bench(engine, data, out, "--meter", "none")
        limited = subprocess.run(
            [sys.executable, "-m", "joulemark.cli", *map(str, command)],
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, 16_384)),
        )
        assert limited.returncode == 2, limited.stderr
        assert "Traceback" not in limited.stderr
        assert "cannot be written" in limited.stderr
        stored = answers(out)
        assert 0 < stored < 30
        done = joulemark(*command)
    assert done.code == 0, done.err
    assert done.json["n_requests"] == 30


def test_a_lower_repeat_does_not_shorten_a_run_begun_with_a_higher_one(sums: Sums, tmp_path: Path) -> None:
    out, data = tmp_path / "run", sums(4)
    with WorkingEngine(adds, gap_s=0.02) as engine:
        command = bench(engine, data, out, "--meter", "none")
        interrupted([*command, "--repeat", "3"], dict(os.environ), out, after=5)
        done = joulemark(*command)
    assert done.code == 0, done.err
    assert done.json["n_requests"] == 12
    assert read_run(out).manifest.state == "complete"


def test_who_came_to_the_board_is_seen_at_the_end_of_an_interrupted_segment_too(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    def joined(number: int) -> None:
        if number == 4:
            board.set_processes(0, [os.getpid(), os.getppid()])

    engine.on_request = joined
    out = tmp_path / "run"
    interrupted(bench(engine, sums(12), out), board.env, out, after=5)
    (device,) = read_run(out).manifest.devices
    assert device.engine_on_device is True
    assert len(device.other_processes) == 1


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_hot_board_pauses_the_run_and_no_joule_is_lost(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out = tmp_path / "run"

    def cool_later() -> None:
        time.sleep(16)
        board.board(0).temperature_c = 40

    def heat_up(number: int) -> None:
        if number == 8:
            board.board(0).temperature_c = 95
            threading.Thread(target=cool_later, daemon=True).start()

    engine.on_request = heat_up
    command = bench(engine, sums(150), out, "--concurrency", "3", "--max-temperature", "80")
    done = joulemark(*command, env=board.env, timeout_s=200)
    assert done.code == 0, done.err
    assert "too hot" in done.err
    run = read_run(out)
    pauses = [window for window in run.manifest.windows if window.name == "pause"]
    assert pauses
    for item in run.items:
        assert not any(item.t_sent < (p.t1 or 0) and item.t_end > p.t0 for p in pauses), "asked while pausing"
    true_j = sum(board.true_energy_j(0, w.t0, w.t1 or 0) for w in run.manifest.windows if w.name == "measure")
    assert done.json["total_joules"] == pytest.approx(true_j, rel=0.01)
    assert json.loads((out / "manifest.json").read_text())["state"] == "complete"
