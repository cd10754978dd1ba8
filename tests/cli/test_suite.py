"""Several tasks in one command: the published suite on an engine of the user's, resumed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from doubles.nvml import FakeNvml
from doubles.user import interrupt, joulemark, start
from doubles.working_engine import WorkingEngine
from joulemark.runs.layout import RunLayout


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """The three data sets of the suite in their columns, each a few rows larger than the suite needs."""
    folder = tmp_path / "published"
    folder.mkdir()
    sums = [
        {
            "question": f"What is {n} + 100?",
            "answer": f"Add.\n#### {n + 100}",
            "cleaning_status": "rejected" if n == 3 else "consensus",
        }
        for n in range(34)
    ]
    choices = [
        {
            "question": f"Which of these is {n}?",
            "choices": [str(n), str(n + 1), str(n + 2), str(n + 3)],
            "answer": 0,
            "error_type": "ok" if n % 9 else "bad_question_clarity",
        }
        for n in range(70)
    ]
    forms = [
        {
            "key": n,
            "prompt": f"Write sentence {n} without a comma.",
            "instruction_id_list": ["punctuation:no_comma"],
            "kwargs": [{}],
        }
        for n in range(30)
    ]
    for name, rows in (("gsm8k_platinum", sums), ("mmlu_redux", choices), ("ifeval", forms)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def replies(question: str) -> str:
    if "sentence" in question:
        return "No comma here." if int(question.split()[2]) % 3 else "Here, one."
    if "Which" in question:
        return "Answer: A"
    found = re.search(r"What is (\d+)", question)
    return f"#### {int(found[1]) + 100}" if found else "####"


@pytest.mark.slow
def test_the_published_suite_goes_on_after_an_interruption(
    board: FakeNvml, published: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    with WorkingEngine(replies, board, gap_s=0.004) as engine:
        command = ["bench", "quick", "--suite", "published", "--engine", engine.url, "--data", published]
        command += ["--runs-dir", runs, "--usd-per-kwh", "0.3", "--zone", "FRA"]
        first = start(*command, env=board.env)
        interrupt(first, when=lambda: engine.answered > 40)
        first.communicate(timeout=60)
        done_before = engine.answered
        done = joulemark(*command, env=board.env)
    assert done.code == 0, done.err
    assert "gsm8k_platinum is done already" in done.err
    roots = sorted(path.parent for path in runs.glob("*/manifest.json"))
    manifests = {m.task.name: m for m in (RunLayout(root).read_manifest() for root in roots)}
    assert len(roots) == 3
    assert {name: m.task.n_items for name, m in manifests.items()} == {
        "gsm8k_platinum": 25,
        "mmlu_redux": 50,
        "ifeval": 25,
    }
    for name, manifest in manifests.items():
        assert manifest.state == "complete"
        assert (manifest.suite, manifest.task.preset) == ("published", "published")
        # the items are a file's, for which nobody but the user vouches
        assert not manifest.may_rank
        assert manifest.standing == "not ranked: asked with --data, unlike the suite"
        assert (manifest.sampling.seed, manifest.sampling.temperature) == (1234, 0.0)
        assert manifest.task.n_shot == (0 if name == "ifeval" else 5)
        assert manifest.rates.grid_zone == "FRA"
    # two trials and two warm-ups a task at most: nothing was asked twice
    assert engine.answered <= 100 + 4 * 4
    assert done_before < engine.answered
    assert "all of them side by side" in done.out
    (page,) = runs.glob("*/tasks.html")
    assert "ifeval" in page.read_text(encoding="utf-8")
    assert not list(runs.glob(".series-*"))
    # once it is whole, the same command begins anew
    listed = joulemark("runs", "--runs-dir", runs, "--json").json
    assert {facts["suite"] for facts in listed} == {"published"}
    assert not any(facts["may_rank"] for facts in listed)


@pytest.mark.slow
def test_repeated_runs_of_one_configuration_have_a_spread(
    board: FakeNvml, published: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    with WorkingEngine(replies, board, gap_s=0.004) as engine:
        command = ["bench", "run", "ifeval", "--engine", engine.url, "--data", published / "ifeval.jsonl"]
        command += ["--runs-dir", runs, "--limit", "12"]
        for _ in range(2):
            assert joulemark(*command, env=board.env).code == 0
        other = joulemark(*command, "--temperature", "0.5", env=board.env)
        assert other.code == 0, other.err
    (pooled, alone) = joulemark("runs", "--spread", "--runs-dir", runs, "--json").json
    joules = pooled["figures"]["joules_per_correct_answer"]
    assert joules["n"] == 2
    assert joules["sigma"] > 0
    assert len(pooled["run_dirs"]) == 2
    assert alone["figures"]["joules_per_correct_answer"]["sigma"] is None
    assert "± " in joulemark("runs", "--spread", "--runs-dir", runs).out
    priced = joulemark(
        "report", pooled["run_dirs"][0], "--usd-per-kwh", "0.5", "--gco2e-per-kwh", "100", "--json"
    )
    figures = priced.json
    assert figures["usd_per_correct_answer"] == pytest.approx(
        figures["joules_per_correct_answer"] / 3.6e6 * 0.5
    )
    assert figures["gco2e_per_correct_answer"] == pytest.approx(
        figures["joules_per_correct_answer"] / 3.6e6 * 100
    )
    unpriced = joulemark("report", pooled["run_dirs"][0], "--json").json
    assert unpriced["reasons"]["usd_per_correct_answer"]["code"] == "no_price"
