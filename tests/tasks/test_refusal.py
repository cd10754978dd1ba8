"""Refusals in words, and their place among the verdicts."""

from __future__ import annotations

import pytest

from joulemark.tasks.extract.refusal import refuses
from joulemark.tasks.scorers import ChoiceScorer, LineScorer, MathScorer, NumericScorer
from joulemark.tasks.task import Question, Scorer

NUMBER = Question("n", (), "18")


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t assist with that request.",
        "I cannot assist with creating weapons.",
        "I can't help you with this.",
        "As an AI language model, I am unable to answer this question.",
        "As an AI, I cannot comply with this request.",
        "I'm sorry. I can't help with that.",
        "Sorry, I can't do that.",
        "I must decline to answer this question.",
        "I apologize, but I cannot provide instructions for that.",
        "I won't answer that.",
        "I cannot answer this.",
        "I'm not able to help with that.",
        "I'm unable to assist.",
        "<think>Should I?</think>I cannot comply.",
        "Unfortunately, I cannot fulfill your request.",
        "I refuse to answer.",
        "**I'm sorry, but I can't help with that.**",
        "I am not comfortable answering that question.",
        "I can’t provide medical advice.",
        "I cannot in good conscience help with this.",
        "I'm sorry, but I can't help\nwith that.",
    ],
)
def test_refusals(reply: str) -> None:
    assert refuses(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot answer 1 of these.",
        "I cannot answer all of these",
        "I do not know.",
        "I cannot determine the answer.",
        "I can't see the image.",
        "I can help with that.",
        "I can't answer that directly, but 5 is my guess.",
        "I can't help but notice that it is 5.",
        "I cannot answer this question without more information.",
        "I'm sorry, there is not enough information.",
        "I cannot answer the question because there is not enough information.",
        "The user cannot help with that.",
        "He said: I can't help with that.",
        "Let me think. I'm sorry, but I can't help with that.",
        "Sorry, the answer is 5.",
        "I'm sorry I made an error. It's 5.",
        "<think>I can't help with that.</think>It is 5.",
    ],
)
def test_replies_that_refuse_nothing(reply: str) -> None:
    assert not refuses(reply)


@pytest.mark.parametrize(
    ("reply", "finish", "verdict"),
    [
        ("I'm sorry, but I can't help with that.", "stop", "refused"),
        # stray numbers in a refusal are no answer
        ("I can't help with that. Call 112.", "stop", "refused"),
        ("I cannot answer 1 of these.", "stop", "unparsed"),
        # it refuses and then answers: the answer counts
        ("I'm sorry, but I can't help with that. Well then: the answer is 18.", "stop", "correct"),
        ("I'm sorry, but I can't help with that.\n#### 17", "stop", "wrong"),
        # what was cut off may have held the answer
        ("I'm sorry, but I can't help with that", "length", "truncated"),
        ("I'm sorry, but I can't help with that. <think>or", "stop", "truncated"),
    ],
)
def test_a_refusal_is_a_verdict_where_no_answer_is_marked(reply: str, finish: str, verdict: str) -> None:
    score = NumericScorer().score(NUMBER, reply, finish_reason=finish, refusal=False)
    assert score.verdict == verdict
    assert (score.value is None) == (verdict not in ("correct", "wrong"))


@pytest.mark.parametrize(
    ("scorer", "question"),
    [
        (ChoiceScorer(), Question("c", (), "A", "choice", (("A", "iron"), ("B", "water")))),
        (LineScorer(), Question("l", (), "a b", "line")),
        (MathScorer(), Question("m", (), "x", "math")),
    ],
)
def test_every_kind_tells_a_refusal_from_an_answer(scorer: Scorer, question: Question) -> None:
    reply = "I'm sorry, but I can't assist with that."
    assert scorer.score(question, reply, finish_reason="stop", refusal=False).verdict == "refused"
