"""``bench --stop``: a run ends itself early, says why, and its ledger adds up; all of it in processes.

What the ledger says against what the rest really costs, and the built-in model: `test_stop_ledger.py`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from doubles.nvml import FakeNvml
from doubles.user import adds, bench, joulemark, start
from doubles.working_engine import WorkingEngine
from joulemark.runs.journal import read_items
from joulemark.runs.listing import list_runs
from joulemark.runs.recorded import read_run
from joulemark.runs.view import summary_of

Sums = Callable[[int], Path]
N = 120


@pytest.fixture
def quick_engine() -> Any:
    """An engine on no board that answers at once."""
    with WorkingEngine(adds, gap_s=0.0, tokens=2) as working:
        yield working


def stops(document: dict[str, Any]) -> dict[str, Any]:
    """Return the ledger of a run that ended early, which has to add up."""
    stopped = document["stopped_early"]
    assert stopped is not None
    assert stopped["questions_asked"] + stopped["questions_saved"] == stopped["questions"]
    assert document["n_requests"] == stopped["requests_asked"]
    for line in stopped["ledger"].values():
        if line["asked"] is not None:
            assert line["asked"] + line["saved_estimated"] == pytest.approx(line["whole_task_estimated"])
    return stopped


def places(out: Path) -> list[int]:
    """Return which questions were asked, in the order in which their answers were stored."""
    rows, _ = read_items(out / "items.jsonl")
    return [row.item.index for row in rows if row.item.phase == "measure"]


@pytest.mark.slow
@pytest.mark.parametrize("concurrency", ["1", "6"])
def test_a_run_ends_itself_and_says_so(
    quick_engine: WorkingEngine, sums: Sums, tmp_path: Path, concurrency: str
) -> None:
    out = tmp_path / "run"
    command = bench(quick_engine, sums(N), out, "--meter", "none", "--concurrency", concurrency)
    done = joulemark(*command, "--stop", "accuracy ±9pp", "--stop", "accuracy > 0.3")
    assert done.code == 0, done.err
    stopped = stops(done.json)
    assert stopped["questions"] == N
    assert stopped["at"] <= stopped["questions_asked"] < N
    assert stopped["questions_asked"] - stopped["at"] <= 10 + int(concurrency)
    assert sorted(places(out)) == list(range(stopped["questions_asked"]))
    (listed,) = list_runs(out.parent)
    assert set(listed["stopped_by"]) <= {"accuracy ±9pp", "accuracy > 0.3"}  # type: ignore[call-overload]
    assert listed["stopped_by"]
    assert done.json["these_questions"]["questions"] == N
    interval = done.json["these_questions"]["intervals"]["accuracy"]
    assert (interval["hi"] - interval["lo"]) / 2 <= 0.09
    assert read_run(out).manifest.state == "complete"

    told = joulemark("report", out)
    assert f"Stopped early after {stopped['questions_asked']} of {N} questions" in told.out
    assert "Saved" in told.out
    page = (out / "report.html").read_text()
    assert "Whole run, estimated" in page

    # the same command once more asks nothing, and says the same
    before, asked = quick_engine.answered, places(out)
    again = joulemark(*command, "--stop", "accuracy ±9pp", "--stop", "accuracy > 0.3")
    assert again.code == 0, again.err
    assert "done already" in again.err
    assert quick_engine.answered <= before + 1  # the engine is tried before the run is found
    assert places(out) == asked
    assert stops(again.json) == stopped

    # another target goes on where the first one ended, and asks nothing twice; none at all asks the rest
    on = joulemark(*command, "--stop", "accuracy ±7pp")
    assert on.code == 0, on.err
    assert "resuming" in on.err
    further = stops(on.json)
    assert further["questions_asked"] > stopped["questions_asked"]
    assert len(places(out)) == len(set(places(out)))

    rest = joulemark(*command)
    assert rest.code == 0, rest.err
    assert rest.json["stopped_early"] is None
    assert rest.json["n_requests"] == N
    earlier = [(one["at"], one["targets"]) for one in rest.json["earlier_stops"]]
    assert earlier == [(one["at"], one["targets"]) for one in (stopped, further)]


@pytest.mark.slow
def test_a_stop_among_the_last_questions_leaves_no_answer_out(
    quick_engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    """Three repeats, ten at a time: the last ten questions are under way when thirty are enough."""
    out = tmp_path / "run"
    command = bench(quick_engine, sums(40), out, "--meter", "none", "--concurrency", "10", "--repeat", "3")
    done = joulemark(*command, "--stop", "accuracy ±17pp")
    assert done.code == 0, done.err
    assert read_run(out).manifest.state == "complete"
    if done.json["stopped_early"] is None:
        assert done.json["n_requests"] == 120
    else:
        assert stops(done.json)["questions_asked"] < 40


@pytest.mark.slow
def test_a_target_that_is_never_met_asks_everything_and_says_what_it_came_to(
    quick_engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    done = joulemark(
        *bench(quick_engine, sums(105), out, "--meter", "none"), "--stop", "tokens_per_correct ±0.001%"
    )
    assert done.code == 0, done.err
    assert done.json["stopped_early"] is None
    assert done.json["n_requests"] == 105
    told = " ".join(joulemark("report", out).out.split())
    assert "Everything was asked. At the last look, after 105:" in told
    assert "tokens_per_correct" in told


@pytest.mark.parametrize("stop", ["joules_per_correct ±5%", "score ±2%", "latency ±5%"])
def test_what_can_never_be_met_is_refused_before_anything_is_asked(
    quick_engine: WorkingEngine, sums: Sums, tmp_path: Path, stop: str
) -> None:
    before = quick_engine.answered
    done = joulemark(*bench(quick_engine, sums(40), tmp_path / "run", "--meter", "none"), "--stop", stop)
    assert done.code == 2, done.err
    assert "Traceback" not in done.err
    assert quick_engine.answered == before
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_joules_per_correct_answer_end_a_run(board: FakeNvml, sums: Sums, tmp_path: Path) -> None:
    with WorkingEngine(adds, board, gap_s=0.02, idle_w=280.0) as engine:
        out = tmp_path / "run"
        command = [
            *bench(engine, sums(200), out, "--usd-per-kwh", "0.3", "--gco2e-per-kwh", "56"),
            *("--stop", "joules_per_correct ±15%", "--stop", "accuracy ±20pp"),
        ]
        done = joulemark(*command, env=board.env)
        asked = len(places(out))
        again = joulemark(*command, env=board.env)
    assert done.code == 0, done.err
    stopped = stops(done.json)
    assert stopped["binding"] == ["joules_per_correct ±15%"]
    for name in ("seconds", "joules", "usd", "gco2e"):
        line = stopped["ledger"][name]
        if line["interval_reason"] is not None:  # this machine changed its pace meanwhile
            assert line["interval_reason"]["code"] == "cost_changed"
            continue
        assert line["saved_lo"] < line["saved_estimated"] < line["saved_hi"]
    assert again.code == 0, again.err
    assert len(places(out)) == asked
    view, _ = summary_of(out)
    assert stopped["ledger"]["joules"]["asked"] == pytest.approx(view.headline_energy.joules)  # type: ignore[union-attr]


@pytest.mark.slow
def test_an_engine_on_no_board_is_told_before_the_first_question(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    board.set_processes(0, [1])
    done = joulemark(*bench(engine, sums(40), tmp_path / "run"), "--stop", "joules ±5%", env=board.env)
    assert done.code == 2
    assert "--stop" in done.err
    assert engine.answered <= 3  # the client's trial and the warm-up


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_killed_run_goes_on_in_the_same_order_to_the_same_end(sums: Sums, tmp_path: Path) -> None:
    data, stop = sums(400), ("--meter", "none", "--stop", "accuracy ±5pp")
    with WorkingEngine(adds, gap_s=0.01, tokens=3) as engine:
        whole = joulemark(*bench(engine, data, tmp_path / "whole", *stop))
        assert whole.code == 0, whole.err
        out, chance = tmp_path / "killed", random.Random(7)
        command = bench(engine, data, out, *stop, "--concurrency", "4")
        for kill in range(3):
            process = start(*command)
            until = 20 + 40 * kill + chance.randrange(20)
            end_s = time.monotonic() + 60
            while len(places(out) if out.exists() else ()) < until and time.monotonic() < end_s:
                assert process.poll() is None, process.communicate()[1]
                time.sleep(0.02)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        done = joulemark(*command)
    assert done.code == 0, done.err
    stopped = stops(done.json)
    assert stopped["at"] == whole.json["stopped_early"]["at"]
    assert sorted(places(out)) == list(range(stopped["questions_asked"]))
    manifest = json.loads((out / "manifest.json").read_text())
    assert [segment["end"] for segment in manifest["segments"]] == ["killed"] * 3 + ["stopped"]
    assert manifest["stop"]["targets"] == ["accuracy ±5pp"]


@pytest.mark.slow
def test_a_run_killed_after_it_had_enough_is_done_without_another_question(
    sums: Sums, tmp_path: Path
) -> None:
    out, command_data = tmp_path / "run", sums(N)
    with WorkingEngine(adds, gap_s=0.0, tokens=2) as engine:
        process = start(*bench(engine, command_data, out, "--meter", "none"))
        end_s = time.monotonic() + 60
        while len(places(out) if out.exists() else ()) < 60 and time.monotonic() < end_s:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        stored = len(places(out))
        assert 60 <= stored < N
        done = joulemark(*bench(engine, command_data, out, "--meter", "none", "--stop", "accuracy ±12pp"))
        again = joulemark(*bench(engine, command_data, out, "--meter", "none", "--stop", "accuracy ±12pp"))
    assert done.code == 0, done.err
    assert stops(done.json)["questions_asked"] == stored == len(places(out))
    # whoever ended it saw the answers: no rule did, and the same command once more does not hide it
    for told in (done.json, again.json):
        assert (stops(told)["at"], stops(told)["targets_named_at"]) == (stored, stored)
        assert {"ended_by_hand", "partial"} <= {one["code"] for one in told["caveats"]}
    assert read_run(out).manifest.state == "partial"


@pytest.mark.slow
def test_a_wider_target_asks_nothing_and_hides_no_decision(
    quick_engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    command = bench(quick_engine, sums(N), tmp_path / "run", "--meter", "none")
    decided = joulemark(*command, "--stop", "accuracy > 0.3")
    wider = joulemark(*command, "--stop", "accuracy ±20pp")
    assert wider.code == 0, wider.err
    assert stops(wider.json)["at"] == stops(decided.json)["questions_asked"] == wider.json["n_requests"]
    for told in (decided.json, wider.json):
        assert "decided" in {one["code"] for one in told["caveats"]}
    assert "ended_by_hand" not in {one["code"] for one in wider.json["caveats"]}
