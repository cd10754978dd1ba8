"""The references of BIG-Bench Hard whose answers are words, in the forms that models reply in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from joulemark.record.item import Verdict
from joulemark.tasks.scorers import SCORERS
from joulemark.tasks.task import Question

LABELS = {
    "boolean_expressions": ("True", "False"),
    "navigate": ("Yes", "No"),
    "sports_understanding": ("yes", "no"),
    "web_of_lies": ("Yes", "No"),
}
FORMS = ("{}", "{}.", "Answer: {}", "**Answer: {}**", "Let me think.\n\nThe answer is {}.", '"{}"', "#### {}")


def targets(data_dir: Path, task: str) -> list[str]:
    path = data_dir / "tasks" / "bbh" / f"{task}.json"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    examples: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["examples"]
    return [example["target"] for example in examples]


def verdict(question: Question, reply: str) -> Verdict | None:
    return SCORERS[question.kind].score(question, reply, finish_reason="stop", refusal=False).verdict


@pytest.mark.parametrize("task", LABELS)
@pytest.mark.parametrize("form", FORMS)
def test_labels(data_dir: Path, task: str, form: str) -> None:
    options = tuple((label, label) for label in LABELS[task])
    for gold in set(targets(data_dir, task)):
        question = Question("q", (), gold, "label", options)
        other = next(label for label in LABELS[task] if label != gold)
        assert verdict(question, form.format(gold)) == "correct"
        assert verdict(question, form.format(other)) == "wrong"


@pytest.mark.parametrize("form", [*FORMS, "Sorted: a b\n\n{}"])
def test_lines(data_dir: Path, form: str) -> None:
    golds = targets(data_dir, "word_sorting")
    for gold, other in zip(golds, [*golds[1:], golds[0]], strict=True):
        question = Question("q", (), gold, "line")
        assert verdict(question, form.format(gold)) == "correct"
        assert verdict(question, form.format(gold.replace(" ", ", "))) == "correct"
        assert verdict(question, form.format(" ".join(gold.split()[::-1]))) == "wrong" or " " not in gold
        assert verdict(question, form.format(other)) == "wrong"
