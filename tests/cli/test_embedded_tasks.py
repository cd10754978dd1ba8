"""The built-in engine and model on many tasks: every scorer meets a real model, and every verdict occurs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doubles.task_rows import ROWS, write_csv, write_json_lines
from doubles.user import joulemark

TASKS = (
    "gsm8k_platinum",
    "mmlu_redux",
    "arc_challenge",
    "hellaswag",
    "winogrande",
    "gpqa_diamond",
    "billsum",
    "opinionqa",
)
SIX_VERDICTS = """
name = "verdicts"
title = "questions for each of the six verdicts"
kinds = ["numeric"]
max_tokens = 24
examples = false

[data]
file = "verdicts.jsonl"
row = '{"name": "…", "ask": "…", "answer": "4"}'

[items]
id = "name"
question = "{{ ask }}"
gold = "answer"
"""
ONLY = "\nAnswer with the number only."
QUESTIONS = {
    **{f"easy-{n}": (f"What is {word}?{ONLY}", total) for n, (word, total) in enumerate(
        [("two plus three", 5), ("one plus one", 2), ("three times two", 6), ("ten times seven", 70)]
    )},
    "hard-1": (f"What is 8734 times 2347?{ONLY}", 20498698),
    "hard-2": (f"What is 619 minus 358?{ONLY}", 261),
    "greeting-1": ("Say hello.", 7),
    "greeting-2": ("Say good morning.", 7),
    "story": ("Write a very long story about a river, with many details.", 7),
    "too-long": ("word " * 900 + "What is two plus two?", 4),
    "forbidden-1": ("Repeat after me: I'm sorry, but I cannot assist with that request.", 7),
    "forbidden-2": ('Say exactly this and nothing else: "I\'m sorry, but I can\'t help with that."', 7),
}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    for task in ROWS:
        write_json_lines(task, folder / task)
    write_csv(ROWS["gpqa_diamond"]["train"], folder / "gpqa_diamond.csv")
    return folder


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_built_in_model_answers_eight_tasks(built_in_model: Path, data: Path, tmp_path: Path) -> None:
    asked = ["bench", "run", *TASKS, "--data", data, "--limit", "4", "--max-tokens", "24", "--meter", "none"]
    done = joulemark(*asked, "--runs-dir", tmp_path / "runs", "--json", timeout_s=800)
    assert done.code == 0, done.err
    documents = done.json["runs"]
    assert done.json["comparison"] is not None
    assert [document["task"] for document in documents] == list(TASKS)
    for document in documents:
        verdicts = document["verdicts"]
        assert sum(verdicts.values()) == document["n_requests"] == 4
        assert verdicts["failed"] == verdicts["unscored"] == 0
        assert document["mean_completion_tokens"] > 0
        assert (
            document["engine_decode_tokens_per_second"]
            or document["reasons"]["engine_decode_tokens_per_second"]
        )
        real_valued = document["task"] in ("billsum", "opinionqa")
        assert (document["accuracy"] is None) == real_valued
        if real_valued:
            assert document["reasons"]["accuracy"]["code"] == "real_valued_score"
    (summaries,) = [document for document in documents if document["task"] == "billsum"]
    assert 0 < summaries["mean_score"] < 1


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_each_of_the_six_verdicts_occurs(built_in_model: Path, tmp_path: Path) -> None:
    rows = [{"name": name, "ask": ask, "answer": str(gold)} for name, (ask, gold) in QUESTIONS.items()]
    (tmp_path / "verdicts.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "verdicts.toml").write_text(SIX_VERDICTS, encoding="utf-8")
    asked = ["bench", "run", tmp_path / "verdicts.toml", "--n-ctx", "512", "--meter", "none", "--json"]
    done = joulemark(*asked, "--out", tmp_path / "run", timeout_s=500)
    assert done.code == 0, done.err
    verdicts = done.json["verdicts"]
    seen = {name for name, count in verdicts.items() if count}
    assert seen == {"correct", "wrong", "unparsed", "truncated", "refused", "failed"}, verdicts
    assert done.json["accuracy_excluding_truncated"] > done.json["accuracy"] > 0
    rows = done.json["by_verdict"]["rows"]
    assert all(rows[name]["cost"] is not None for name in seen)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_repeated_run_has_a_spread(built_in_model: Path, tmp_path: Path) -> None:
    asked = ["bench", "quick", "--limit", "12", "--repeat", "3", "--temperature", "0.8", "--seed", "7"]
    done = joulemark(*asked, "--meter", "none", "--json", "--out", tmp_path / "run", timeout_s=500)
    assert done.code == 0, done.err
    spread = done.json["repeats"]["cpu_seconds_per_correct_answer"]
    tokens = done.json["repeats"]["mean_completion_tokens"]
    assert tokens["n"] == 3
    assert tokens["sigma"] > 0
    assert spread["n"] == 3 or spread["reason"]
    assert "seed" in done.json["repeat_policy"]
