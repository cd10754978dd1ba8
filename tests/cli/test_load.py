"""``joulemark load``: the options, the figures, and a load that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from doubles.user import joulemark, start
from doubles.working_engine import WorkingEngine
from joulemark.cli.load import load
from joulemark.cli.loading import load_job
from joulemark.record.errors import InputError
from joulemark.runs.journal import read_items
from joulemark.runs.recorded import read_run

AZURE = (
    "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "2023-11-16 18:17:03.0000000,40,10\n"
    "2023-11-16 18:17:03.1000000,30,8\n"
    "2023-11-16 18:17:03.3000000,10,7\n"
    "2023-11-16 18:17:04.3000000,10,6\n"
)


def options(**given: Any) -> dict[str, Any]:
    return {**load.make_context("load", ["quick"]).params, **given}


def job(task: str | None = None, **given: Any) -> Any:
    known = options(**given)
    known.pop("task")
    return load_job(task, known)


def test_a_closed_loop_is_led_up_to_by_its_concurrency() -> None:
    shape = job("quick", concurrency=8).shape
    assert (shape.mode, shape.concurrency, shape.lead_requests, shape.n_requests) == ("closed", 8, 8, None)
    assert job("quick", concurrency=8, lead=0).shape.lead_requests == 0
    assert job("quick", concurrency=1).shape.mode == "sequential"
    assert job("quick", concurrency=1).shape.lead_requests == 0


def test_a_load_is_not_ranked_for_what_it_is_and_not_for_its_concurrency() -> None:
    assert job("quick", concurrency=8).standing.why == "not ranked: asked under load"
    assert job("quick", rate=2.0).standing.why == "not ranked: asked under load"
    assert job("quick", concurrency=8, temperature=0.7).standing.why == "not ranked: asked with --temperature"


def test_the_mend_names_the_command_that_was_typed() -> None:
    with pytest.raises(InputError) as refused:
        job()
    assert refused.value.fix.startswith("joulemark load ")


def test_an_open_loop_is_poisson_unless_said() -> None:
    arrivals = job("quick", rate=3.0, seed=5, ramp=2.0).shape.arrivals
    assert (arrivals.kind, arrivals.rate, arrivals.seed, arrivals.ramp_s) == ("poisson", 3.0, 5, 2.0)
    assert job("quick", rate=3.0, burstiness=0.3).shape.arrivals.kind == "gamma"
    assert job("quick", arrival="at_once").shape.arrivals.rate is None
    shape = job("quick", rate=3.0, cap=7, n_requests=9, lead=2).shape
    assert (shape.concurrency, shape.n_requests, shape.lead_requests) == (7, 9, 2)


def test_made_up_requests_are_as_many_as_asked_for() -> None:
    made = job(synthetic="100:20", concurrency=2, n_requests=7)
    task = made.task_set(several=False)
    assert len(task.questions) == made.shape.n_requests == 7
    assert {question.max_tokens for question in task.questions} == {20}
    drawn = job(synthetic="100:20", lengths="drawn", rate=1.0, n_requests=50)
    assert len({question.max_tokens for question in drawn.task_set(several=False).questions}) > 10


def test_a_trace_has_its_own_times_or_another_load(tmp_path: Path) -> None:
    path = tmp_path / "Azure.csv"
    path.write_text(AZURE)
    made = job(trace=path, lead=1, trace_speed=2.0)
    assert made.shape.mode == "trace"
    assert made.shape.n_requests == 3
    assert made.shape.trace_ns == (0, 50_000_000, 150_000_000, 650_000_000)
    assert made.shape.trace.startswith("Azure.csv@")
    budgets = [question.max_tokens for question in made.task_set(several=False).questions]
    assert budgets == [8, 7, 6, 10], "the row that leads up comes last: leads are taken from the end"
    assert job(trace=path, n_requests=2).shape.n_requests == 2
    assert job(trace=path, trace_seconds=0.5).shape.n_requests == 3
    closed = job(trace=path, concurrency=2).shape
    assert (closed.mode, closed.n_requests, closed.lead_requests) == ("closed", 4, 0)
    assert job(trace=path, rate=5.0).shape.mode == "open"


@pytest.mark.parametrize(
    ("task", "given", "said", "fix"),
    [
        (None, {"concurrency": 2}, "given: none", "joulemark load --synthetic"),
        ("quick", {"synthetic": "1:2", "concurrency": 2}, "TASK and --synthetic", "joulemark load --synth"),
        ("quick", {}, "not said", "--concurrency N"),
        ("quick", {"concurrency": 2, "rate": 1.0}, "closed loop", "leave one of them out"),
        ("quick", {"concurrency": 2, "arrival": "poisson"}, "open loop", "give --rate"),
        ("quick", {"concurrency": 2, "cap": 3}, "open loop", "give --rate"),
        ("quick", {"arrival": "poisson"}, "not said", "--rate R"),
        ("quick", {"rate": 1.0, "arrival": "constant", "burstiness": 2.0}, "burstiness", "leave one of the"),
        ("quick", {"arrival": "at_once", "ramp": 3.0}, "at once", "leave --rate and --ramp out"),
        ("nosuchtask", {"concurrency": 2}, "no task", "joulemark task list"),
        (None, {"synthetic": "x", "concurrency": 2}, "no pair of lengths", "--synthetic 512:128"),
        (None, {"trace": Path("/nowhere.csv")}, "cannot be read", "TIMESTAMP,ContextTokens"),
        (
            "quick",
            {"concurrency": 2, "slots": 3, "engine_url": "http://x"},
            "slots",
            "that engine is started",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_with_a_way_out(
    task: str | None, given: dict[str, Any], said: str, fix: str
) -> None:
    with pytest.raises(InputError) as refused:
        job(task, **given)
    assert said in f"{refused.value.what}: {refused.value.why}"
    assert fix in refused.value.fix


def test_limits_are_read_with_their_units() -> None:
    found = load.make_context("load", ["quick", "--slo", "ttft=1s,tpot=100ms, e2el=2min"]).params["slo"]
    assert found == {"ttft": 1.0, "tpot": 0.1, "e2el": 120.0}
    for wrong in ("ttft", "x=1s", "ttft=1s,ttft=2s", "ttft=fast"):
        done = joulemark("load", "quick", "--concurrency", "2", "--slo", wrong)
        assert done.code == 2
        assert "slo" in done.err


def test_a_closed_loop_measures_answers_latency_and_limits(
    sums: Callable[[int], Path], tmp_path: Path, engine: WorkingEngine, board: Any
) -> None:
    # After the trial three lead: the last of them is still at work when the first counted request is sent.
    engine.on_request = lambda number: time.sleep(1.0) if number == 4 else None
    done = joulemark(
        "load", "gsm8k", "--data", sums(6), "--engine", engine.url, "--concurrency", "3", "--requests", "12",
        "--slo", "ttft=20s,e2el=60s", "--out", tmp_path / "run", "--json", env=board.env,
    )  # fmt: skip
    assert done.code == 0, done.err
    figures = done.json
    assert figures["n_requests"] == 12
    assert figures["n_correct"] == 8
    assert figures["total_joules"] > 0
    assert figures["joules_per_correct_answer"] > 0
    assert figures["latency"]["ttft"]["answered"]["p50"] > 0
    assert figures["latency"]["ttft_scheduled"]["answered_reasons"]["p50"] == "not_scheduled"
    assert figures["slo"]["share"] == 1.0
    assert "share_correct" in figures["slo"]
    assert figures["slo"]["limits_s"] == {"ttft": 20.0, "e2el": 60.0}
    in_time = figures["slo"]["reasons"]["joules_per_correct_answer"]["code"]
    assert in_time == figures["reasons"]["steady_joules_per_correct_answer"]["code"]
    again = joulemark("report", tmp_path / "run", "--json")
    assert again.json["slo"] == figures["slo"], "the record alone says it all"
    said = " ".join(joulemark("report", tmp_path / "run").out.split())
    assert "of 12 counted requests kept first token ≤ 20 s, whole answer ≤ 60 s." in said
    assert "Energy per correct answer within the limits: " in said
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["load"]["mode"] == "closed"
    assert manifest["load"]["lead_requests"] == 3
    assert not manifest["may_rank"]
    assert (tmp_path / "run" / "report.html").exists()
    (check,) = [one for one in figures["attribution"] if one["method"] == "equal_share"]
    shared_j = pl.read_parquet(tmp_path / "run" / "attribution.parquet").filter(method="equal_share")
    leads = shared_j.filter(pl.col("repeat") < -1000)
    assert leads["joules"].sum() > 0, "lead requests that were still at work take their share"
    assert len(leads) < 3 + 1
    assert shared_j["joules"].sum() == pytest.approx(check["items_j"])
    assert check["items_j"] + check["idle_j"] + check["residual_j"] == pytest.approx(figures["total_joules"])


@pytest.mark.slow
def test_made_up_requests_in_an_open_loop(tmp_path: Path, engine: WorkingEngine, board: Any) -> None:
    done = joulemark(
        "load", "--synthetic", "64:8", "--engine", engine.url, "--rate", "20", "--requests", "10",
        "--out", tmp_path / "run", env=board.env,
    )  # fmt: skip
    assert done.code == 0, done.err
    run = read_run(tmp_path / "run")
    assert run.manifest.task.name == "synthetic-64-8"
    assert run.manifest.load.arrival == "poisson"
    assert any("no answer length" in note for note in run.manifest.notes)
    assert all("made-up words" in row.texts.prompt for row in run.rows if row.texts)
    assert "from when it was due" in done.out


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("how", [("--concurrency", "4"), ("--rate", "25", "--seed", "3")])
def test_a_load_killed_in_its_middle_goes_on_as_a_new_segment(
    sums: Callable[[int], Path], tmp_path: Path, engine: WorkingEngine, board: Any, how: tuple[str, ...]
) -> None:
    engine.answer = lambda _: "#### 100"
    out = tmp_path / "run"
    command = ["load", "gsm8k", "--data", sums(12), "--engine", engine.url, "--requests", "24", "--lead", "4"]
    command += [*how, "--out", out, "--json"]
    killed = 0
    for stored in (3, 11):
        process = start(*command, env=board.env)
        journal = out / "items.jsonl"
        end = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < end:
            rows, _ = read_items(journal)
            if sum(row.item.phase == "measure" for row in rows) >= stored:
                break
            time.sleep(0.01)
        killed += process.poll() is None
        kill(process)
    rows, _ = read_items(journal)
    before = {row.item.key: row.item for row in rows if row.item.phase == "measure"}
    assert killed == 2, "both were killed in their middle"
    done = joulemark(*command, env=board.env)
    assert done.code == 0, done.err
    assert done.json["n_requests"] == 24
    run = read_run(out)
    assert run.manifest.state == "complete"
    assert [segment.end for segment in run.manifest.segments] == ["killed", "killed", "done"]
    items = [item for item in run.items if item.phase == "measure"]
    assert len(items) == 24
    assert all(item == before.get(item.key, item) for item in items), "no stored answer changed"
    for segment in range(3):
        led = [i for i in run.items if i.phase == "warmup" and i.segment == segment and i.repeat < -1000]
        assert led, "each life of the run is led up to anew"
        windows = [w for w in run.manifest.windows if w.segment == segment and w.name == "measure"]
        assert len(windows) == 1
        of_it = [item for item in items if item.segment == segment]
        assert all(windows[0].t0 <= item.t_begin and item.t_end <= (windows[0].t1 or 0) for item in of_it)
    assert len({item.key for item in run.items}) == len(run.items)


@pytest.mark.slow
def test_ctrl_c_reports_what_was_measured(
    sums: Callable[[int], Path], tmp_path: Path, engine: WorkingEngine, board: Any
) -> None:
    seen = threading.Event()
    engine.on_request = lambda number: seen.set() if number > 12 else None
    process = start(
        "load", "gsm8k", "--data", sums(50), "--engine", engine.url, "--concurrency", "4",
        "--out", tmp_path / "run", "--json", env=board.env,
    )  # fmt: skip
    assert seen.wait(60)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    figures = json.loads(out)
    assert 0 < figures["n_requests"] < 50
    assert figures["state"] == "partial"
    assert "goes on from here" in err


def test_help_names_all_that_it_takes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "joulemark.cli", "load", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    for flag in (
        "--concurrency",
        "--rate",
        "--arrival",
        "--burstiness",
        "--lead",
        "--ramp",
        "--cap",
        "--slo",
    ):
        assert flag in done.stdout
