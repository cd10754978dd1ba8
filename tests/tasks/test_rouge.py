"""ROUGE-L: hand-worked values, the length of common subsequences, verdicts."""

from __future__ import annotations

import json
import random
import time
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.record.item import Verdict
from joulemark.tasks.scorers.rouge import MAX_TOKENS, RougeLScorer, lcs_length, rouge_l, tokens
from joulemark.tasks.task import Question, Score, Scorer

SCORER: Scorer = RougeLScorer()
GOLD = "police killed the gunman"


def grade(answer: str, finish: str | None = "stop", refusal: bool = False, gold: str | None = GOLD) -> Score:
    return SCORER.score(Question("s", (), gold, "rouge_l"), answer, finish_reason=finish, refusal=refusal)


@pytest.mark.parametrize(
    ("reply", "reference", "f1"),
    [
        # The worked example of Lin 2004, section 3.1: R = P = 3/4 and 2/4.
        ("police kill the gunman", "police killed the gunman", 3 / 4),
        ("the gunman kill police", "police killed the gunman", 2 / 4),
        ("gunman the killed police", "police killed the gunman", 1 / 4),
        ("police killed the gunman", "police killed the gunman", 1.0),
        # LCS "a b d" of 4 and 5 tokens: P 3/4, R 3/5, F 2·3/9
        ("a b x d", "a b c d e", 6 / 9),
        ("nothing here", "police killed", 0.0),
        ("", "police killed", 0.0),
        # case, punctuation and markdown make no difference; endings do
        ("**Police** — killed; the ‘gunman’!", "police killed the gunman", 1.0),
        ("under_score", "under score", 1.0),
        ("reports", "report", 0.0),
    ],
)
def test_worked_examples(reply: str, reference: str, f1: float) -> None:
    assert rouge_l(reply, [reference]) == pytest.approx(f1)


def test_the_best_of_several_references_counts() -> None:
    gold = json.dumps(["a long one with other words", "police killed a man", "!"])
    assert grade("police killed the man", gold=gold).score == pytest.approx(3 / 4)


@pytest.mark.parametrize("gold", ["[1] a report", "[]", '["a", 1]', '{"a": 1}', "12 report"])
def test_what_is_no_list_of_texts_is_one_text(gold: str) -> None:
    if any(sign.isalnum() for sign in gold):
        assert grade(gold, gold=gold).score == 1.0
    else:
        with pytest.raises(ValueError, match="no word"):
            grade(gold, gold=gold)


def slow_lcs(left: str, right: str) -> int:
    for size in range(min(len(left), len(right)), 0, -1):
        if {*combinations(left, size)} & {*combinations(right, size)}:
            return size
    return 0


@settings(deadline=None)
@given(st.text("abc", max_size=9), st.text("abc", max_size=9))
def test_the_length_is_that_of_the_definition(left: str, right: str) -> None:
    assert lcs_length(left, right) == lcs_length(right, left) == slow_lcs(left, right)


@settings(deadline=None)
@given(st.text(), st.text("ab \n", min_size=1))
def test_the_score_is_a_share_and_symmetric(reply: str, reference: str) -> None:
    score = rouge_l(reply, [reference])
    assert 0 <= score <= 1
    assert score == pytest.approx(rouge_l(reference, [reply]))
    assert rouge_l(reference, [reference]) == float(bool(tokens(reference)))


def test_a_long_reply_costs_milliseconds() -> None:
    draw = random.Random(1)
    reply = [str(draw.randrange(3000)) for _ in range(20_000)]
    reference = [str(draw.randrange(3000)) for _ in range(1_000)]
    started = time.process_time()
    lcs_length(reply, reference)
    assert time.process_time() - started < 0.5  # a table of 20 million cells takes many seconds


def test_only_the_leading_tokens_are_compared() -> None:
    assert len(tokens("a " * (MAX_TOKENS + 5))) == MAX_TOKENS


@pytest.mark.parametrize(
    ("answer", "finish", "refusal", "verdict", "score"),
    [
        ("police kill the gunman", "stop", False, None, 3 / 4),
        ("<think>gunman</think>police kill the gunman", "stop", False, None, 3 / 4),
        ("police killed", "length", False, Verdict.TRUNCATED, 2 * 2 / 6),
        ("police killed <think>the gunman", "stop", False, Verdict.TRUNCATED, 2 * 2 / 6),
        ("<think>police killed the gunman", "length", False, Verdict.TRUNCATED, 0.0),
        ("", "length", False, Verdict.TRUNCATED, 0.0),
        ("", "stop", False, Verdict.UNPARSED, 0.0),
        ("<think>police killed</think>", "stop", False, Verdict.UNPARSED, 0.0),
        ("police killed the gunman", "stop", True, Verdict.REFUSED, 0.0),
        ("police killed the gunman", "content_filter", False, Verdict.REFUSED, 0.0),
        ("I'm sorry, but I can't help with that.", "stop", False, Verdict.REFUSED, 0.0),
        ("<think>I can't help with that.</think>police kill the gunman", "stop", False, None, 3 / 4),
    ],
)
def test_verdicts(answer: str, finish: str, refusal: bool, verdict: Verdict | None, score: float) -> None:
    graded = grade(answer, finish, refusal)
    assert graded.verdict is verdict
    assert graded.correct is None
    assert graded.score == pytest.approx(score)
    assert (graded.rule == "rouge_l") == (graded.span is not None) == (score > 0)


def test_a_question_without_a_reference_text_cannot_be_graded() -> None:
    with pytest.raises(ValueError, match="reference"):
        grade("x", gold=None)
    with pytest.raises(ValueError, match="no word"):
        grade("x", gold="...")
