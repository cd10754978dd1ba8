"""From a reply to a prompt with instructions to its verdict."""

from __future__ import annotations

import json

import pytest

from joulemark.record.item import Verdict
from joulemark.tasks.scorers.instructions import InstructionsScorer
from joulemark.tasks.task import Question, Score, Scorer

GOLD = json.dumps(
    [
        {"id": "punctuation:no_comma", "kwargs": {}},
        {"id": "change_case:english_lowercase", "kwargs": {}},
        {"id": "length_constraints:number_words", "kwargs": {"relation": "at least", "num_words": 2}},
    ]
)
SCORER: Scorer = InstructionsScorer()


def grade(answer: str, finish: str | None = "stop", refusal: bool = False, gold: str | None = GOLD) -> Score:
    question = Question("i", (("user", "?"),), gold, "instructions")
    return SCORER.score(question, answer, finish_reason=finish, refusal=refusal)


@pytest.mark.parametrize(
    ("answer", "finish", "verdict", "value"),
    [
        ("all is small", "stop", Verdict.CORRECT, "3/3"),
        ("all is small", None, Verdict.CORRECT, "3/3"),
        ("all, is small", "stop", Verdict.WRONG, "2/3"),
        ("ALL, IS BIG", "stop", Verdict.WRONG, "1/3"),
        ("ALL,", "stop", Verdict.WRONG, "0/3"),
        ("<think>Well, THINK,</think>all is small", "stop", Verdict.CORRECT, "3/3"),
        ("Well, THINK,</think>\n\nall is small", "stop", Verdict.CORRECT, "3/3"),
        # a few-shot cue inside a reply is part of the reply here
        ("all is small\nQuestion: Really", "stop", Verdict.WRONG, "2/3"),
        # the token limit cut it, whatever it follows
        ("all is small", "length", Verdict.TRUNCATED, None),
        ("all is small", "MAX_TOKENS", Verdict.TRUNCATED, None),
        ("", "length", Verdict.TRUNCATED, None),
        ("all is small <think>but is it", "stop", Verdict.TRUNCATED, None),
        ("", "stop", Verdict.UNPARSED, None),
        ("<think>nothing to say</think> \n", "stop", Verdict.UNPARSED, None),
        ("all is small", "content_filter", Verdict.REFUSED, None),
    ],
)
def test_verdicts(answer: str, finish: str | None, verdict: Verdict, value: str | None) -> None:
    score = grade(answer, finish)
    assert score.verdict is verdict
    assert score.correct is (verdict is Verdict.CORRECT)
    assert score.score == float(verdict is Verdict.CORRECT)
    assert score.value == value
    assert (score.rule == "instructions") == (score.span is not None) == (value is not None)


def test_a_refusal_flag_wins_over_the_token_limit() -> None:
    assert grade("all is small", "length", refusal=True).verdict is Verdict.REFUSED


def test_a_refusal_in_words_is_refused_and_the_cut_goes_before_it() -> None:
    words = "I cannot assist with that request."
    assert grade(words).verdict is Verdict.REFUSED
    assert grade(words, "length").verdict is Verdict.TRUNCATED
    assert grade("i wrote a poem: i cannot assist with that request").verdict is not Verdict.REFUSED


def test_the_span_is_the_reply_without_its_thinking() -> None:
    answer = "<think>Hm</think>\n\nall is small\n"
    span = grade(answer).span
    assert span is not None
    assert answer[slice(*span)] == "all is small"


def test_letters_keep_their_form() -> None:
    """Folding for extraction (full-width letters, superscripts, dashes) would change what is checked."""
    gold = json.dumps(
        [
            {
                "id": "keywords:letter_frequency",
                "kwargs": {"letter": "2", "let_frequency": 1, "let_relation": "at least"},
            }
        ]
    )
    assert grade("10²", gold=gold).verdict is Verdict.WRONG


def test_a_question_without_fit_instructions_cannot_be_graded() -> None:
    with pytest.raises(ValueError, match="reference"):
        grade("x", gold=None)
    with pytest.raises(ValueError, match="unknown"):
        grade("x", gold='[{"id": "a:b", "kwargs": {}}]')
