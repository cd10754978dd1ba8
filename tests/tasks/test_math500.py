"""The references and worked solutions of MATH-500, where they are there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from joulemark.tasks.scorers import MathScorer
from joulemark.tasks.scorers.algebra import readings
from joulemark.tasks.scorers.math import same_formula
from joulemark.tasks.task import Question, Score

FORMS = (
    "The answer is ${}$.",
    "Answer: {}",
    "$${}$$",
    "{}",
    "We get $x$.\n\n\\[ {} \\]",
    "**Final answer:** \\({}\\)",
    "\\boxed{{}}.",
)


@pytest.fixture(scope="module")
def rows(data_dir: Path) -> list[dict[str, Any]]:
    path = data_dir / "tasks" / "math500" / "math500.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def grade(gold: str, reply: str) -> Score:
    return MathScorer().score(Question("q", (), gold, "math"), reply, finish_reason="stop", refusal=False)


def test_every_reference_is_understood_and_is_itself(rows: list[dict[str, Any]]) -> None:
    golds = [row["answer"] for row in rows]
    assert len(golds) == 500
    assert [gold for gold in golds if not readings(gold)] == []
    assert [gold for gold in golds if not same_formula(gold, gold)] == []


def test_the_worked_solutions_are_correct(rows: list[dict[str, Any]]) -> None:
    wrong = [row["answer"] for row in rows if not grade(row["answer"], row["solution"]).correct]
    assert len(wrong) <= len(rows) // 100, wrong


def test_the_next_rows_reference_is_wrong(rows: list[dict[str, Any]]) -> None:
    pairs = zip(rows, [*rows[1:], rows[0]], strict=True)
    others = [(row, after["answer"]) for row, after in pairs if row["answer"] != after["answer"]]
    assert len(others) > 400
    taken = [(row["answer"], gold) for row, gold in others if grade(gold, row["solution"]).correct]
    assert taken == [("5", "x=5")]  # the one pair of neighbours that are one answer


@pytest.mark.parametrize("form", FORMS)
def test_every_reference_is_found_in_every_form(rows: list[dict[str, Any]], form: str) -> None:
    golds = {row["answer"] for row in rows}
    assert [gold for gold in golds if not grade(gold, form.replace("{}", gold)).correct] == []


def test_only_the_same_answers_are_the_same(rows: list[dict[str, Any]]) -> None:
    golds = sorted({row["answer"] for row in rows})[::3]
    found = {(a, b) for i, a in enumerate(golds) for b in golds[i + 1 :] if same_formula(a, b)}
    # Units, spaces and separators apart, no two references of the set are one.
    plain = str.maketrans("", "", " ,\\!$")
    assert [pair for pair in found if pair[0].translate(plain) not in pair[1].translate(plain)] == []
