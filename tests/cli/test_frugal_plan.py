"""``joulemark frugal plan``, ``choose`` and ``estimate`` from the outside."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.user import Finished, adds, bench, joulemark
from doubles.working_engine import WorkingEngine

SIX = [
    f"--task={text}"
    for text in (
        "Arc-C=2590:.769",
        "GSM8k=8792:.57",
        "Hellaswag=49947:.787",
        "MMLU=15858:.66",
        "Winogrande=40490:.60",
        "OpinionQA=6024:.42",
    )
]


def frugal(*arguments: str | Path, env: dict[str, str] | None = None) -> Finished:
    return joulemark("frugal", *arguments, env=env)


def test_a_plan_without_any_run(tmp_path: Path) -> None:
    page = tmp_path / "plan.html"
    done = frugal("plan", *SIX, "--json", "--html", page)
    assert done.code == 0, done.err
    assert done.json["needed_share"] == pytest.approx(0.234, abs=5e-4)
    assert done.json["targets"] == ["accuracy ±1pp"]
    assert page.stat().st_size > 5000
    words = " ".join(frugal("plan", *SIX, "--target", "accuracy ±2pp").out.split())
    assert "10,211 of 123,701 items (8.3 %)" in words


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "no task was named"),
        (("--task", "x"), "states no task"),
        (("missing.csv",), "no file or run"),
        (("--task", "a=10:.5", "--target", "nonsense"), "is no target"),
        (("--task", "a=10:.5", "--target", "joules ±5%"), "cannot be planned for"),
        (("--task", "a=10:.5", "--of", "b=3"), "names no size"),
    ],
)
def test_bad_input_has_a_way_out(arguments: tuple[str, ...], says: str) -> None:
    done = frugal("plan", *arguments)
    assert done.code == 2
    assert says in done.err
    assert "fix:" in done.err
    assert "Traceback" not in done.err


def test_choose_and_estimate_on_real_outcomes(tmp_path: Path, data_dir: Path) -> None:
    matrix, choice = data_dir / "frugal" / "mmlu_pro_items.npz", tmp_path / "choice.json"
    model = "gemini-1.5-pro-002"
    done = frugal("choose", matrix, "--n", "400", "--leave-out", model, "--out", choice, "--json")
    assert done.code == 0, done.err
    assert len(done.json["item_ids"]) == 400
    assert model not in done.json["models"]
    assert done.json["expected_gain"]["median"] > 1.2
    told = frugal("estimate", matrix, "--model", model, "--choice", choice, "--json").json
    interval = told["figure"]["interval"]
    assert interval["lo"] < 0.7025 < interval["hi"]
    assert told["variance_reduction"] > 1
    words = " ".join(frugal("estimate", matrix, "--model", model, "--choice", choice).out.split())
    assert "400 of 12,032 items, drawn within 20 strata of difficulty" in words
    assert "variance ×" in words


def test_anchors_warn_and_have_no_interval(tmp_path: Path, data_dir: Path) -> None:
    matrix, choice = data_dir / "frugal" / "benchpred_binary.npz", tmp_path / "choice.json"
    of = ("--benchmark", "gsm")
    done = frugal("choose", matrix, *of, "--n", "50", "--by", "anchors", "--out", choice)
    assert done.code == 0, done.err
    assert "up to 9 percentage points" in " ".join(done.out.split())
    done = frugal("estimate", matrix, *of, "--model", "3", "--choice", choice)
    words = " ".join(done.out.split())
    assert "up to 9 percentage points" in words
    chosen = frugal("choose", matrix, *of, "--n", "50", "--by", "anchors", "--json").json
    assert "up to 9 percentage points" in chosen["warnings"][0]
    told = frugal("estimate", matrix, *of, "--model", "3", "--choice", choice, "--json").json
    assert told["figure"]["interval"] is None
    assert told["figure"]["interval_reason"]


def test_estimate_needs_to_know_of_the_items(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_text("item_id,correct\na,1\n")
    done = frugal("estimate", path)
    assert done.code == 2
    assert "--choice" in done.err
    done = frugal("estimate", path, "--choice", path)
    assert done.code == 2
    assert "no choice of items" in done.err


@pytest.mark.slow
def test_from_a_first_run_to_a_run_of_the_chosen_items(tmp_path: Path) -> None:
    """A run under a meter plans the next; two models choose its items; its outcomes judge the whole task."""
    card = FakeBoard(power=(Piece(1.0, 60.0),), counter_period_s=0.02, compute_pids=(os.getpid(),))
    board = FakeNvml(tmp_path, [card])
    env = {**board.env, "XDG_DATA_HOME": str(tmp_path / "data-home")}
    n = 30
    data = tmp_path / "sums.jsonl"
    rows = [{"question": f"What is {i} + 100?", "answer": f"#### {i + 100}"} for i in range(n)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second, choice = tmp_path / "first", tmp_path / "second", tmp_path / "choice.json"
    with WorkingEngine(adds, board, tokens=6, gap_s=0.01) as engine:
        done = joulemark(*bench(engine, data, first), env=env)
        assert done.code == 0, done.err
        whole = done.json
        plan = frugal("plan", first, "--of", "1000", "--target", "joules_per_correct ±10%", "--json", env=env)
        assert plan.code == 0, plan.err
        cost = plan.json["costs"]["energy_j"]
        assert cost["kind"] == "measured"
        each = whole["total_joules"] / n
        assert cost["value"] == pytest.approx(plan.json["needed_n"] * each, rel=1e-6)
        chosen = frugal("choose", first, first, "--n", "12", "--strata", "2", "--out", choice, env=env)
        assert chosen.code == 0, chosen.err
        doubtful = tmp_path / "neyman.json"
        to_neyman = ("--n", "12", "--strata", "2", "--allocation", "neyman", "--out", doubtful)
        assert frugal("choose", first, first, *to_neyman, env=env).code == 0
        stopping = ("--items", str(doubtful), "--stop", "accuracy ±9pp")
        refused = joulemark(*bench(engine, data, tmp_path / "third", *stopping), env=env)
        assert refused.code == 2
        assert "--stop cannot go with the items of neyman.json" in refused.err
        done = joulemark(*bench(engine, data, second, "--items", str(choice)), env=env)
        assert done.code == 0, done.err
    manifests = [json.loads((run / "manifest.json").read_text()) for run in (first, second)]
    assert manifests[0]["config_hash"] != manifests[1]["config_hash"]
    assert manifests[0]["task"]["items_hash"] != manifests[1]["task"]["items_hash"]
    assert manifests[0]["task"]["subset_key"] == manifests[1]["task"]["subset_key"]
    assert manifests[1]["task"]["n_items"] == 12
    assert manifests[1]["may_rank"] is False
    told = frugal("estimate", second, "--choice", choice, "--json", env=env)
    assert told.code == 0, told.err
    # the earlier outcomes are those of the same engine: its strata tell right from wrong, all but for one
    assert told.json["figure"]["value"] == pytest.approx(whole["accuracy"], abs=0.1)
    assert told.json["costs"]["energy_j"]["value"] > 0


@pytest.mark.parametrize(("right", "shown"), [(1, "accuracy 100.0 ("), (0, "accuracy 0.0 (")])
def test_answers_that_are_all_alike_are_estimated(tmp_path: Path, right: int, shown: str) -> None:
    for name in ("a", "b"):
        rows = "".join(f"q{k},{int((k * 7 + ord(name)) % 5 > 0)}\n" for k in range(400))
        (tmp_path / f"{name}.csv").write_text(f"id,correct\n{rows}")
    alike = tmp_path / "alike.csv"
    alike.write_text("id,correct\n" + "".join(f"q{k},{right}\n" for k in range(0, 400, 9)))
    done = frugal("estimate", alike, "--prior", tmp_path / "a.csv", "--prior", tmp_path / "b.csv")
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    assert shown in words
    assert "variance ×" not in words
