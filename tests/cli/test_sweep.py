"""Sweeps from the command line: engines that are really started, kills, and a frontier at the end."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.sweep_command import (
    STAND_IN,
    code_of,
    recorded,
    start_sweep,
    states,
    sweep,
    with_clients_that_kept_up,
)
from doubles.user import joulemark
from joulemark.meters.process_tree import children_of, read_stat
from joulemark.record.item import Phase
from joulemark.runs.journal import read_items
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run
from joulemark.sweeps.journal import SweepJournal

ASKED = ("--synthetic", "16:4", "--requests", "8")


def answers(root: Path, values: dict[str, int]) -> set[tuple[str, int]]:
    """Return what is stored of the point of these values."""
    name = next(one.name for one in recorded(root).points if one.values == values)
    rows, _ = read_items(RunLayout(root / "points" / str(name)).items_journal)
    return {row.item.key for row in rows if row.item.phase == Phase.MEASURE}


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if (stat := read_stat(pid)) is not None and not stat.is_zombie]


def left_after_a_while(pids: list[int]) -> list[int]:
    end = time.monotonic() + 20
    while alive(pids) and time.monotonic() < end:
        time.sleep(0.05)
    return alive(pids)


@pytest.mark.slow
def test_a_grid_with_an_engine_that_runs_out_of_memory(tmp_path: Path) -> None:
    out = tmp_path / "sweep"
    command = (*("--axis", "concurrency=1,2", "--axis", "max_batch=2,32"), *STAND_IN, *ASKED, "--out", out)
    done = sweep(*command, "--json")
    assert done.code == code_of(out), done.err
    assert "Traceback" not in done.err
    assert done.err.count("Starting vllm") == 2, "one start for each batch size"
    assert states(out) == ["done", "done", "failed", "failed"]
    failed = recorded(out).points[2]
    assert failed.why == "vllm did not start: it ended before it was ready"
    assert "CUDA out of memory" in failed.detail
    points = {(one["values"]["max_batch"], one["values"]["concurrency"]): one for one in done.json["points"]}
    run = read_run(Path(points[2, 2]["run_dir"]))
    assert run.manifest.engine.flags["max_batch"] == 2
    assert run.manifest.engine.flags["launch"].endswith("--port PORT --max-num-seqs 2")
    assert run.manifest.load.concurrency == 2
    assert points[2, 2]["point"]["settings"]["max_batch"] == 2
    assert points[2, 1]["engine"]["reasons"]["steady_mean_batch"]["code"] == "not_loaded"
    assert points[2, 2]["engine"]["reasons"].keys() >= {"preemptions", "kv_used_share_mean"}
    for name in ("sweep.html", "frontier.html"):
        assert "<html" in (out / name).read_text()
    assert "CUDA out of memory" in (out / "sweep.html").read_text()

    with_clients_that_kept_up(out)
    again = sweep(*command)
    assert again.code == 0, again.err
    assert "asking" not in again.err, "what is done is not measured again"
    assert again.err.count("Starting vllm") == 1, "what failed is tried once more"
    assert "2 measured, 2 failed" in again.out
    assert "joulemark recommend" not in again.out, "without a meter it would find nothing"


@pytest.mark.slow
def test_an_engine_that_dies_in_one_point_is_started_anew_for_the_next(tmp_path: Path) -> None:
    out = tmp_path / "sweep"
    done = sweep(
        *("--axis", "concurrency=1,2", *STAND_IN, *ASKED, "--set", "flags.stand-in=dies-later"),
        *("--retries", "0", "--out", out),
    )
    assert done.code == 1, done.err
    assert states(out) == ["failed", "failed"]
    assert done.err.count("Starting vllm") == 2
    for one in recorded(out).points:
        assert "EngineDeadError" in one.detail


@pytest.mark.slow
def test_ctrl_c_ends_the_engine_and_the_same_command_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "sweep"
    command = (
        "--axis",
        "concurrency=1,2",
        *STAND_IN,
        "--synthetic",
        "16:4",
        "--requests",
        "40",
        "--out",
        out,
    )
    process = start_sweep(*command)
    begun = time.monotonic()
    while not (out / "sweep.json").exists() or len(answers(out, {"concurrency": 1})) < 3:
        assert process.poll() is None
        assert time.monotonic() - begun < 60
        time.sleep(0.05)
    offspring = children_of([process.pid])
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "the same command goes on from here" in err
    assert "Traceback" not in err
    assert left_after_a_while(offspring) == []
    assert states(out) == ["partial", "planned"]
    before = answers(out, {"concurrency": 1})
    again = sweep(*command)
    assert again.code == code_of(out), again.err
    assert states(out) == ["done", "done"]
    assert before < answers(out, {"concurrency": 1})
    assert "resuming" in again.err


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_a_real_sweep_that_is_killed_loses_no_answer_and_draws_its_frontier(
    tmp_path: Path, built_in_model: Path
) -> None:
    """The embedded model at 1, 2, 4 and 8 requests at once; kill -9 falls into the second point."""
    out = tmp_path / "sweep"
    # a board of 40 W whose driver lists no processes, declared to run the engine
    unlisted = ("ComputeProcesses", "GraphicsProcesses")
    board = FakeNvml(tmp_path, [FakeBoard(power=(Piece(1.0, 40.0),), unsupported=unlisted)])
    # a core is left for the client, which must keep up on a machine of two
    env = {**board.env, "OMP_WAIT_POLICY": "passive"}
    command = (
        *("--axis", "concurrency=1,2,4,8", "--synthetic", "12:32", "--n-ctx", "128", "--threads", "1"),
        *("--set", "requests==30 + 6 * concurrency", "--meter", "nvml", "--board", "0", "--out", out),
        "--no-early-stop",  # on a busy machine it may be saturated soon
    )
    process = start_sweep(*command, env=env)
    begun = time.monotonic()
    while not (out / "sweep.json").exists() or states(out)[1] != "running":
        assert process.poll() is None, process.communicate()
        assert time.monotonic() - begun < 600
        time.sleep(0.1)
    while len(answers(out, {"concurrency": 2})) < 5:
        assert process.poll() is None
        time.sleep(0.05)
    offspring = children_of([process.pid])
    process.kill()
    process.communicate(timeout=30)
    assert left_after_a_while(offspring) == [], "nothing that was started outlives the sweep"
    first, second = (answers(out, {"concurrency": level}) for level in (1, 2))
    assert len(first) == 36
    assert len(second) >= 5

    done = sweep(*command, "--json", env=env, timeout_s=900)
    assert done.code == code_of(out), done.err
    assert states(out) == ["done"] * 4
    assert answers(out, {"concurrency": 1}) == first
    assert second <= answers(out, {"concurrency": 2}), "a stored answer was lost"
    assert "point 1 of 4" in done.err
    assert done.err.count("Starting llama.cpp") == 1, "one engine serves all loads"
    journal = SweepJournal(out)
    for one, level in zip(recorded(out).points, (1, 2, 4, 8), strict=True):
        run = read_run(journal.run_dir(one))
        assert run.manifest.state == "complete"
        keys = [row.item.key for row in run.rows if row.item.phase == Phase.MEASURE]
        assert len(keys) == len(set(keys)) == 30 + 6 * level
        assert run.manifest.engine.flags["max_batch"] == 8
    two = read_run(journal.run_dir(recorded(out).points[1]))
    assert [segment.end for segment in two.manifest.segments] == ["killed", "done"]

    # a load that a busy machine unsettles has no steady state, and says so
    points = [one["point"] for one in done.json["points"]]
    withheld = [one["reasons"]["energy_j"]["code"] for one in points if one["energy_j"] is None]
    assert set(withheld) <= {"not_steady"}
    # a busy machine may make a client too slow to be believed; then the point says so
    late = [one["point"] for one in done.json["points"] if one["state"] == "invalid"]
    assert all(one["late"] and one["tokens_per_second"] is None for one in late)
    on_time = [one["point"] for one in done.json["points"] if one["state"] == "done"]
    known = [one for one in on_time if one["energy_j"] is not None]
    assert known, [*withheld, *(one["late"] for one in late)]
    for one in known:
        assert one["energy_j"] == pytest.approx(40 * 32 / one["tokens_per_second"], rel=0.05)
    ranked = done.json["frontier"]["n_ranked"]
    assert ranked == len(known)
    pages = {name: (out / f"{name}.html").read_text() for name in ("sweep", "frontier")}
    assert all("<svg" in page for page in pages.values())
    assert "frontier.html" in pages["sweep"]

    told = joulemark("recommend", out, "--json", env=env)
    assert told.code == 0, told.err
    assert json.loads(told.out)["n_ranked"] == ranked
