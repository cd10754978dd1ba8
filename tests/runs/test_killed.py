"""A run directory survives kill -9 at any moment, and the same command goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest

from joulemark.runs.journal import read_items
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run
from joulemark.runs.view import summary_of

KILLS = 20
LIMIT = 20


def bench(out: Path, environment: dict[str, str], *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "joulemark.cli", "bench", "quick", "--out", str(out), "--json"]
    command += ["--limit", str(LIMIT), *more]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def children_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            stat = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat[1]) == pid:
            found.append(int(entry.parent.name))
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def still_running(pids: list[int], deadline_s: float) -> list[int]:
    end = time.monotonic() + deadline_s
    while (left := [pid for pid in pids if command_line(pid)]) and time.monotonic() < end:
        time.sleep(0.05)
    return left


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_kill_at_twenty_random_moments_loses_at_most_what_was_in_flight(
    tmp_path: Path, built_in_model: Path
) -> None:
    out, chance = tmp_path / "run", random.Random(20261129)
    stored = 0
    for attempt in range(KILLS):
        with bench(out, dict(os.environ)) as process:
            try:
                # Early kills meet the start, the self-tests and the warm-up; later ones meet the questions.
                process.wait(timeout=chance.uniform(0.5, 7.0))
            except subprocess.TimeoutExpired:
                offspring = children_of(process.pid)
                process.send_signal(signal.SIGKILL)
                process.wait()
                assert still_running(offspring, 10.0) == [], "a child outlived its killed parent"
            process.communicate()
        if not RunLayout(out).manifest.exists():
            continue
        rows, unreadable = read_items(RunLayout(out).items_journal)
        answers = {row.item.key for row in rows if row.item.phase == "measure"}
        assert unreadable <= attempt + 1
        assert len(answers) >= stored, "a stored answer was lost"
        stored = len(answers)
        run = read_run(out)
        assert len(run.manifest.segments) <= attempt + 1
        _, summary = summary_of(out)
        assert summary.n_requests == stored

    with bench(out, dict(os.environ)) as last:
        try:
            output, complaint = last.communicate(timeout=400)
        finally:
            last.kill()
    assert last.returncode == 0, complaint.decode()
    figures = orjson.loads(output)
    assert figures["n_requests"] == LIMIT
    run = read_run(out)
    assert run.manifest.state == "complete"
    keys = [row.item.key for row in run.rows]
    assert len(keys) == len(set(keys))
    assert {segment.end for segment in run.manifest.segments[:-1]} <= {"killed", "done"}
    kept = {row.item.segment for row in run.rows}
    assert len(kept) > 1, "no kill fell among the questions"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_sampler_killed_in_mid_run_costs_no_answer(tmp_path: Path, built_in_model: Path) -> None:
    out = tmp_path / "run"
    killed = 0
    with bench(out, dict(os.environ)) as process:
        try:
            while process.poll() is None:
                rows, _ = read_items(RunLayout(out).items_journal)
                samplers = [pid for pid in children_of(process.pid) if "sampler_main" in command_line(pid)]
                if samplers and len(rows) >= 3 * (killed + 1) and killed < 3:
                    os.kill(samplers[0], signal.SIGKILL)
                    killed += 1
                time.sleep(0.05)
            output, complaint = process.communicate()
        finally:
            process.kill()
    assert process.returncode == 0, complaint.decode()
    assert killed == 3
    assert orjson.loads(output)["n_requests"] == LIMIT
    run = read_run(out)
    assert run.manifest.state == "complete"
    assert any("sampler" in note for note in run.manifest.notes)
