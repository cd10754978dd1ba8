"""The data sets that are at hand: every row loads, and its own reference grades as correct."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from joulemark.tasks.registry import load_task
from joulemark.tasks.task import Question

EXPECTED = [
    ("aqua", "aqua", 254, "test"),
    ("svamp", "svamp/SVAMP.json", 1000, "test"),
    ("mmlu", "mmlu", 14042, "test"),
    ("math500", "math500/math500.jsonl", 500, "test"),
    ("truthfulqa", "truthfulqa/TruthfulQA.csv", 813, "validation"),
    ("ifeval", "ifeval/input_data.jsonl", 541, "train"),
]


def place(data_dir: Path, name: str) -> Path:
    path = data_dir / "tasks" / name
    if not path.exists():
        pytest.skip(f"{path} is not there; set JOULEMARK_DATA")
    return path


def right(question: Question) -> str:
    return f"\\boxed{{{question.gold}}}" if question.kind == "math" else f"Answer: {question.gold}"


@pytest.mark.parametrize(("task", "name", "n", "split"), EXPECTED)
def test_a_published_file_loads_whole(task: str, name: str, n: int, split: str, data_dir: Path) -> None:
    loaded = load_task(task, data=place(data_dir, name))
    assert (len(loaded.questions), loaded.split) == (n, split)
    assert len({question.item_id for question in loaded.questions}) == n
    kinds = Counter(question.kind for question in loaded.questions)
    if kinds.keys() <= {"numeric", "choice", "math"}:
        graded = [
            loaded.scorer.score(question, right(question), finish_reason="stop", refusal=False)
            for question in loaded.questions[:2000]
        ]
        assert sum(bool(score.correct) for score in graded) >= 0.998 * len(graded)


def test_bbh_pools_its_tasks_and_leaves_out_a_broken_row(data_dir: Path) -> None:
    loaded = load_task("bbh", data=place(data_dir, "bbh"))
    kinds = Counter(question.kind for question in loaded.questions)
    assert sum(kinds.values()) == 3073  # 11 tasks of 250, 146 and 178, less one row with a single option
    assert kinds.keys() == {"choice", "label", "numeric", "line"}
    assert "1 rows of the data are left out" in loaded.notes[0]
    shown = load_task("bbh", data=place(data_dir, "bbh"), n_shot=2)
    assert len(shown.questions) == 3073 - 2 * 13  # two of each of the 13 tasks are held back
    sorting = next(q for q in shown.questions if q.messages[-1][1].startswith("Sort the following words"))
    assert all("Sort the following words" in text for role, text in sorting.messages if role == "user")
    for question in loaded.questions:
        score = loaded.scorer.score(question, right(question), finish_reason="stop", refusal=False)
        assert score.correct, question


def test_examples_of_mmlu_are_of_the_same_subject_and_never_asked(data_dir: Path) -> None:
    loaded = load_task("mmlu", data=place(data_dir, "mmlu"), preset="published", limit=400)
    by_examples: dict[tuple[str, ...], int] = Counter(
        tuple(text for _, text in question.messages[:-1]) for question in loaded.questions
    )
    assert all(len(texts) == 10 for texts in by_examples)
    assert 40 < len(by_examples) <= 57
    shown = {text for texts in by_examples for text in texts[::2]}
    assert not shown & {question.messages[-1][1] for question in loaded.questions}


def test_all_splits_are_pooled(data_dir: Path) -> None:
    path = place(data_dir, "aqua")
    pooled = load_task("aqua", data=path, split="all")
    assert (len(pooled.questions), pooled.split) == (508, "all")
    assert len(load_task("aqua", data=path, split="dev").questions) == 254
