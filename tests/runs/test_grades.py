"""Grades that come after the answers: a journal of their own, joined when a run is read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.engines.ask import Asked, read_reply
from joulemark.engines.exchange import Exchange
from joulemark.metrics.accuracy import accuracy, is_graded_later
from joulemark.metrics.score import mean_score
from joulemark.record.item import Attempt, Item, ItemRow, Verdict
from joulemark.record.late_grade import LateGrade
from joulemark.record.reason import Reason
from joulemark.runs.grades import GradeJournal, read_grades, with_grades
from joulemark.runs.observe import Place, Recorder
from joulemark.tasks.kinds import scorer_of
from joulemark.tasks.references import ProblemReference
from joulemark.tasks.task import Question

PROGRAM = "0" * 64


def row(name: str, said: str = "```python\npass\n```", *, status: int = 200) -> ItemRow:
    """Return the row of an answer as a run writes it."""
    choice = {"index": 0, "message": {"content": said}, "finish_reason": "stop"}
    exchange = Exchange(
        10,
        20,
        status,
        {"content-type": "application/json"},
        ((20, json.dumps({"choices": [choice]}).encode()),),
    )
    asked = Asked(exchange, read_reply(exchange), (Attempt(10, 20),))
    gold = ProblemReference(name, "digest").to_json()
    question = Question(name, (("user", "write it"),), gold, "code")
    recorder = Recorder(scorer_of("code"), b"key", lambda text: text)
    return recorder.row(question, Place(0, 0, 0, "measure"), asked, 64)


def grade_of(item: Item, verdict: Verdict | None = Verdict.CORRECT, **more: object) -> LateGrade:
    facts: dict[str, object] = {"rule": "fenced", "program": PROGRAM, "outcome": "returned", **more}
    commitment = item.answer_commitment or ""
    return LateGrade(
        item.item_id, item.repeat, verdict, answer_commitment=commitment, problem="digest", **facts
    )  # type: ignore[arg-type]


def nulls(item: Item) -> set[str]:
    names = ("verdict", "correct", "score", "rule", "span")
    return {name for name in names if getattr(item, name) is None}


def joined(rows: list[ItemRow], path: Path) -> list[Item]:
    return [one.item for one in with_grades(rows, read_grades(path)[0])]


def test_an_answer_waits_with_a_reason_for_every_null() -> None:
    item = row("a").item
    assert is_graded_later(item)
    assert nulls(item) == {"verdict", "correct", "score", "rule", "span"}
    assert {item.reasons[name] for name in nulls(item)} == {Reason.GRADED_LATER}


@pytest.mark.parametrize(
    ("verdict", "rule", "program"),
    [
        (Verdict.CORRECT, "fenced", PROGRAM),
        (Verdict.WRONG, "bare", PROGRAM),
        (Verdict.TRUNCATED, None, None),
        (Verdict.UNPARSED, None, None),
        (Verdict.REFUSED, None, None),
        (None, "fenced", PROGRAM),
    ],
)
def test_a_grade_is_joined_and_every_null_keeps_a_reason(
    verdict: Verdict | None, rule: str | None, program: str | None, tmp_path: Path
) -> None:
    answer = row("a")
    with GradeJournal(tmp_path / "grades.jsonl") as journal:
        journal.extend([grade_of(answer.item, verdict, rule=rule, program=program)])
    (item,) = joined([answer], tmp_path / "grades.jsonl")
    assert item.verdict is verdict
    assert item.correct == (None if verdict is None else verdict is Verdict.CORRECT)
    assert item.score == (None if verdict is None else float(verdict is Verdict.CORRECT))
    assert nulls(item) <= item.reasons.keys()
    assert not is_graded_later(item)
    assert (
        replace(item, verdict=None, correct=None, score=None, rule=None, reasons=answer.item.reasons)
        == answer.item
    )


def test_a_grade_of_another_answer_counts_for_nothing(tmp_path: Path) -> None:
    answer = row("a", "another answer")
    with GradeJournal(tmp_path / "grades.jsonl") as journal:
        journal.extend([grade_of(row("a", "the answer that was graded").item)])
    (item,) = joined([answer], tmp_path / "grades.jsonl")
    assert is_graded_later(item)


def test_a_grade_never_replaces_a_verdict_that_is_there(tmp_path: Path) -> None:
    failed = row("a", status=500)
    assert failed.item.verdict is Verdict.FAILED
    with GradeJournal(tmp_path / "grades.jsonl") as journal:
        journal.extend([grade_of(failed.item)])
    (item,) = joined([failed], tmp_path / "grades.jsonl")
    assert item == failed.item


def test_of_two_grades_the_later_counts(tmp_path: Path) -> None:
    answer = row("a")
    for verdict in (Verdict.CORRECT, Verdict.WRONG):
        with GradeJournal(tmp_path / "grades.jsonl") as journal:
            journal.extend([grade_of(answer.item, verdict)])
    (item,) = joined([answer], tmp_path / "grades.jsonl")
    assert item.verdict is Verdict.WRONG


def test_no_grades_are_no_error(tmp_path: Path) -> None:
    assert read_grades(tmp_path / "grades.jsonl") == ({}, 0)


def test_impossible_grades_are_left_out(tmp_path: Path) -> None:
    path, answer = tmp_path / "grades.jsonl", row("a")
    with GradeJournal(path) as journal:
        journal.extend([grade_of(answer.item)])
    line = json.loads(path.read_text())
    for change in ({"verdict": "failed"}, {"program": None}, {"verdict": "splendid"}, {"repeat": "x"}):
        path.write_text(json.dumps({**line, **change}) + "\n")
        assert read_grades(path) == ({}, 1), change
    path.write_text(json.dumps({**line, "verdict": "wrong", "correct": True, "score": 1.0}) + "\n")
    (item,) = joined([answer], path)
    assert (item.correct, item.score) == (
        False,
        0.0,
    )  # what follows from the verdict is not taken from a file


@given(cut=st.integers(0, 2000))
def test_a_torn_journal_is_a_shorter_one(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("torn") / "grades.jsonl"
    rows = [row(name) for name in "abcde"]
    with GradeJournal(path) as journal:
        journal.extend([grade_of(one.item) for one in rows])
    whole = path.read_bytes()
    path.write_bytes(whole[: min(cut, len(whole))])
    n_before = whole[: min(cut, len(whole))].count(b"\n")
    n = sum(item.verdict is not None for item in joined(rows, path))
    assert n_before <= n <= n_before + 1  # the last line may lack its end only
    with GradeJournal(path) as journal:
        journal.extend([grade_of(one.item) for one in rows])
    assert all(item.verdict is Verdict.CORRECT for item in joined(rows, path))


def test_nothing_is_said_of_all_while_one_answer_waits() -> None:
    waiting, failed = row("a").item, row("b", status=500).item
    done = grade_of(row("c").item).put_on(row("c").item)
    assert accuracy([done]).value == 1.0
    assert accuracy([done, failed]).value == 0.5
    for items in ([waiting], [waiting, failed], [waiting, done]):
        assert accuracy(items).reason is Reason.GRADED_LATER
        assert accuracy(items).value is None
        assert mean_score(items).reason is Reason.GRADED_LATER
