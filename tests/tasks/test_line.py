"""Lines of text out of replies."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.tasks.extract.line import extract_line
from joulemark.tasks.scorers import LineScorer
from joulemark.tasks.scorers.line import same_line
from joulemark.tasks.task import Question


@pytest.mark.parametrize(
    ("gold", "reply", "verdict"),
    [
        ("syndrome therefrom", "syndrome therefrom", "correct"),
        ("syndrome therefrom", "Answer: Syndrome, therefrom.", "correct"),
        ("syndrome therefrom", 'The sorted list: "syndrome therefrom"', "correct"),
        ("syndrome therefrom", "Sorted words: syndrome therefrom", "correct"),
        ("syndrome therefrom", "I sort them.\n\n**syndrome therefrom**", "correct"),
        ("syndrome therefrom", "therefrom syndrome", "wrong"),
        ("] ) >", "Answer: ] ) >", "correct"),
        ("] ) >", "Answer: ])>.", "correct"),
        ("] ) >", "`] ) >`", "correct"),
        ("] ) >", "] ) }", "wrong"),
        ("] ) >", "Let me see.\n\n] ) >\n\nQuestion: x", "correct"),
        ("] )", "Answer:\n] )\n\nbecause", "correct"),
        ("a, b", "a b", "wrong"),
        ("a, b", "(a, b)", "correct"),
        ("a b", "['a, b']", "correct"),
        ("a b", "[a, b]", "correct"),
        ("barn it&t dot", "#### barn it&t dot", "correct"),
        ("a b", '{"answer": "a b"}', "correct"),
        ("a b", "\\boxed{\\text{a b}}", "correct"),
        ("a b", "I'm sorry, but I can't help with that.", "refused"),
        ("a b", "The answer is a b. It is sorted.", "correct"),
        ("a b", "```\na b\n```", "correct"),
        ("a b", "", "unparsed"),
        ("( )", "( )", "correct"),
        ("( )", "( ( )", "wrong"),
        ("a b", "x" * 5000, "unparsed"),
        ("(a) (b)", "(a) (b)", "correct"),
        ("a b", "<think>b a</think>A B", "correct"),
        ("é à", "É À", "correct"),
    ],
)
def test_verdicts(gold: str, reply: str, verdict: str) -> None:
    question = Question("q", (), gold, "line")
    assert LineScorer().score(question, reply, finish_reason="stop", refusal=False).verdict == verdict


@settings(deadline=None)
@given(st.lists(st.sampled_from(["(", ")", "[", "]", "{", "}", "<", ">"]), min_size=1, max_size=12))
def test_brackets_are_compared_one_by_one(brackets: list[str]) -> None:
    gold = " ".join(brackets)
    assert same_line("".join(brackets), keep_commas=False) == same_line(gold, keep_commas=False)
    assert same_line(gold + " ]", keep_commas=False) != same_line(gold, keep_commas=False)
    assert extract_line(f"Answer: {gold}").value == gold


@settings(deadline=None)
@given(st.lists(st.from_regex("[a-z]{3,9}", fullmatch=True), min_size=2, max_size=8))
def test_words_count_in_their_order(words: list[str]) -> None:
    def form(text: str) -> str:
        return same_line(text, keep_commas=False)

    assert form(", ".join(words).upper() + ".") == form(" ".join(words))
    if words != words[::-1]:
        assert form(" ".join(words[::-1])) != form(" ".join(words))


def test_the_span_is_the_lines_place() -> None:
    reply = "Sorted:\n\n**Answer:**  é  à \n\nDone."
    found = extract_line(reply)
    assert found.value == "é à"
    assert found.span is not None
    assert reply[slice(*found.span)] == "é  à"
