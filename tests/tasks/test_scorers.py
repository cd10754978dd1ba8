"""From replies to verdicts."""

from __future__ import annotations

import pytest

from joulemark.record.item import Verdict
from joulemark.tasks.scorers import ChoiceScorer, KindScorer, NumericScorer, TextScorer
from joulemark.tasks.task import Question, Score, Scorer

NUMBER = Question("n", (("user", "?"),), "18")
CHOICE = Question("c", (("user", "?"),), "B", "choice", (("A", "iron"), ("B", "water"), ("C", "salt")))
TEXT = Question("t", (("user", "?"),), "puppy|pup", "text")


def grade(
    scorer: Scorer, question: Question, answer: str, finish: str | None = "stop", refusal: bool = False
) -> Score:
    return scorer.score(question, answer, finish_reason=finish, refusal=refusal)


@pytest.mark.parametrize(
    ("answer", "finish", "verdict"),
    [
        ("The answer is 18.", "stop", Verdict.CORRECT),
        ("The answer is 36/2.", "stop", Verdict.CORRECT),
        ("The answer is 18.000001", "stop", Verdict.WRONG),
        ("no idea", "stop", Verdict.UNPARSED),
        ("", None, Verdict.UNPARSED),
        # the limit cut it
        ("She has 12 and then 18 and", "length", Verdict.TRUNCATED),
        ("", "length", Verdict.TRUNCATED),
        ("\\boxed{18}. Let me check", "length", Verdict.CORRECT),
        ("\\boxed{18}", "max_tokens", Verdict.CORRECT),
        ("The answer is 17, because", "length", Verdict.WRONG),
        ("The answer is 18", "length", Verdict.TRUNCATED),
        ("The answer is 18", "stop", Verdict.CORRECT),
        # thinking that never ended
        ("<think>12? 18", "stop", Verdict.TRUNCATED),
        ("<think>12? 18", "length", Verdict.TRUNCATED),
        ("18 <think>or 12", "stop", Verdict.TRUNCATED),
        ("The answer is 18. <think>or 12", "length", Verdict.CORRECT),
        ("<think>12</think>18", "stop", Verdict.CORRECT),
        # the engine's filter
        ("The answer is 18", "content_filter", Verdict.REFUSED),
    ],
)
def test_verdicts(answer: str, finish: str | None, verdict: Verdict) -> None:
    score = grade(NumericScorer(), NUMBER, answer, finish)
    assert score.verdict is verdict
    assert score.correct is (verdict is Verdict.CORRECT)
    assert score.score == float(verdict is Verdict.CORRECT)
    is_graded = verdict in (Verdict.CORRECT, Verdict.WRONG)
    assert (score.value is not None) == (score.rule is not None) == (score.span is not None) == is_graded


def test_a_refusal_flag_wins() -> None:
    assert grade(NumericScorer(), NUMBER, "The answer is 18", refusal=True).verdict is Verdict.REFUSED


def test_a_choice_may_be_given_by_letter_or_text() -> None:
    scorer = ChoiceScorer()
    verdicts = [grade(scorer, CHOICE, a).verdict for a in ("B", "water", "salt", "D", "A or B")]
    assert verdicts == ["correct", "correct", "wrong", "unparsed", "unparsed"]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("Puppy", "correct"),
        ('"pup".', "correct"),
        ("A puppy", "correct"),
        ("A baby dog is called a puppy.", "correct"),
        ("**Answer:** puppy", "correct"),
        ("The answer is puppy. Dogs are nice.", "correct"),
        ('{"answer": "puppy"}', "correct"),
        ("\\boxed{\\text{puppy}}", "correct"),
        ("puppy\n\nA puppy is a young dog of at most one year.", "correct"),
        ("<think>cub?</think>puppy", "correct"),
        ("kitten", "wrong"),
        ("puppy or kitten", "wrong"),
        ("puppies", "wrong"),
        ("", "unparsed"),
        ("I do not know what it could be called by other people", "unparsed"),
    ],
)
def test_short_texts_are_compared_as_a_reader_would(answer: str, verdict: str) -> None:
    assert grade(TextScorer(), TEXT, answer).verdict == verdict


def test_the_span_of_a_short_text_is_its_place() -> None:
    answer = "The opposite of hot is  “cold”."
    score = grade(TextScorer(), TEXT, answer)
    assert score.span is not None
    assert answer[slice(*score.span)] == score.value == "cold"


def test_each_kind_has_its_scorer() -> None:
    scorer = KindScorer({"numeric": NumericScorer(), "text": TextScorer()})
    assert grade(scorer, NUMBER, "18").correct
    assert grade(scorer, TEXT, "pup").correct
    with pytest.raises(ValueError, match="choice"):
        grade(scorer, CHOICE, "B")


def test_a_question_without_reference_cannot_be_graded() -> None:
    with pytest.raises(ValueError, match="reference"):
        grade(NumericScorer(), Question("x", (), None), "18")
    with pytest.raises(ValueError, match="no number"):
        grade(NumericScorer(), Question("x", (), "many"), "18")
