"""How near a chosen option is to what people answered."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from joulemark.record.item import Verdict
from joulemark.tasks.scorers.distribution import DistributionScorer, human_answers
from joulemark.tasks.task import Question, Score, Scorer

SCORER: Scorer = DistributionScorer()
OPTIONS = (("A", "A lot"), ("B", "A little"), ("C", "Not at all"), ("D", "Refused"))
SHARES = {"A": 0.5, "B": 0.3, "C": 0.2}
GOLD = json.dumps(SHARES)


def grade(answer: str, finish: str | None = "stop", refusal: bool = False, gold: str | None = GOLD) -> Score:
    question = Question("o", (), gold, "distribution", OPTIONS)
    return SCORER.score(question, answer, finish_reason=finish, refusal=refusal)


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        # W1 to A: 0.3·1 + 0.2·2 = 0.7 of a range of 2
        ("A", 1 - 0.7 / 2),
        ("The answer is B.", 1 - 0.7 / 2),
        ("Not at all", 1 - 1.3 / 2),
        ("<think>C?</think>A", 1 - 0.7 / 2),
    ],
)
def test_worked_examples(answer: str, score: float) -> None:
    graded = grade(answer)
    assert graded.score == pytest.approx(score)
    assert graded.verdict is None
    assert graded.correct is None
    assert graded.value in SHARES
    assert graded.span is not None
    assert graded.rule is not None


def test_all_of_one_opinion_are_matched_or_missed_wholly() -> None:
    gold = json.dumps({"A": 0, "B": 0, "C": 7})
    assert [grade(letter, gold=gold).score for letter in "ABC"] == [0.0, 0.5, 1.0]


def test_a_middle_option_listed_last_lies_in_the_middle() -> None:
    gold = json.dumps({"shares": {"A": 50, "B": 50, "C": 0}, "positions": {"A": 1, "B": 2, "C": 1.5}})
    assert [grade(letter, gold=gold).score for letter in "ABC"] == [0.5, 0.5, 0.5]
    gold = json.dumps({"shares": {"A": 0, "B": 1, "C": 0}, "positions": {"A": 1, "B": 2, "C": 1.5}})
    assert [grade(letter, gold=gold).score for letter in "ABC"] == [0.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("answer", "finish", "refusal", "verdict"),
    [
        ("I have no opinion on it.", "stop", False, Verdict.UNPARSED),
        ("A or B", "stop", False, Verdict.UNPARSED),
        ("", "stop", False, Verdict.UNPARSED),
        ("Thinking of A and", "length", False, Verdict.TRUNCATED),
        ("<think>A", "stop", False, Verdict.TRUNCATED),
        ("A", "stop", True, Verdict.REFUSED),
        ("A", "content_filter", False, Verdict.REFUSED),
        ("D", "stop", False, Verdict.REFUSED),
        ("I'm sorry, but I can't answer that.", "stop", False, Verdict.REFUSED),
    ],
)
def test_without_an_opinion_there_is_no_score(
    answer: str, finish: str, refusal: bool, verdict: Verdict
) -> None:
    assert grade(answer, finish, refusal) == Score(verdict, None, None, None, None, None)


def test_a_marked_answer_before_the_cut_counts() -> None:
    assert grade("The answer is A, because", "length").score == pytest.approx(0.65)


@settings(deadline=None)
@given(st.lists(st.integers(0, 1000), min_size=2, max_size=8).filter(any), st.data())
def test_it_is_the_wasserstein_distance(weights: list[int], data: st.DataObject) -> None:
    letters = "ABCDEFGH"[: len(weights)]
    chosen = data.draw(st.integers(0, len(weights) - 1))
    people = human_answers(json.dumps(dict(zip(letters, weights, strict=True))))
    distance = wasserstein_distance([chosen], range(len(weights)), [1], weights)
    score = people.representativeness(letters[chosen])
    assert 0 <= score <= 1
    assert score == pytest.approx(1 - distance / (len(weights) - 1))


@pytest.mark.parametrize(
    "gold",
    [
        "", "[]", "{}", '{"A": 1}', '{"A": 0, "B": 0}', '{"A": -1, "B": 2}', '{"A": "1", "B": 2}',
        '{"A": NaN, "B": 1}', '{"A": true, "B": 1}',
        '{"shares": {"A": 1, "B": 1}, "positions": {"A": 1, "B": 1}}',
        '{"shares": {"A": 1, "B": 1}, "positions": {"A": 1}}', '{"shares": 1, "positions": 2}',
        '{"A": 0.5, "E": 0.5}',
    ],
)  # fmt: skip
def test_unfit_human_answers_are_refused(gold: str) -> None:
    with pytest.raises(ValueError):
        grade("A", gold=gold)


def test_a_question_without_human_answers_cannot_be_graded() -> None:
    with pytest.raises(ValueError, match="reference"):
        grade("A", gold=None)
