"""Extraction on text that nobody foresaw: it never raises, and its time grows with the length alone."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.tasks.extract import Extraction, extract_choice, extract_number, extract_short_text

OPTIONS = {"A": "the", "B": "so", "C": "is", "D": "not"}
EXTRACTORS: dict[str, Callable[[str], Extraction]] = {
    "numeric": extract_number,
    "choice": lambda text: extract_choice(text, "ABCD", OPTIONS),
    "text": extract_short_text,
}
FRAGMENTS = [
    "answer is ", "answer: ", "answer to the ", "answer (", "#### ", "\\boxed{", "}", "{", '"answer": ',
    "'answer': '", "<think>", "</think>", "\n", "Question: ", "Q: ", " and ", " or ", "not ", "A", "B",
    "C.", "(D)", "I ", "A) ", "is ", "so ", "I choose ", "1", ",", ".", "1,000", "1 000", "/", "-", "−",
    "$", "%", "\\frac{", "^", "**", "e9", "½", "²", "１", "é", "是", "'", '"', "*", " ", "two hundred ",
    "i.e. ", "step ", "I cannot answer ", "=",
]  # fmt: skip
HOSTILE = [
    "1", "1,", "1,111", "1,11", "1.111", "1'", "0,", "1 ", "1/", "1+", "1=", "1e", "2^", "½", "²",
    "\\frac{", "\\frac{1", "\\boxed{", "{", "answer is ", "answer ((", "answer, ", "answer of ",
    "the answer to ", "answer is\n", "answer is *", "#### ", "<think>", "</think>", '"answer": "', "\n",
    " ", "- ", "-", "_", "$", "**", "A", "A) ", "A and ", "not A or ", "I ", "A is ", "A, ", "*B*",
    "A.\n", "so ", "so (", "not ", "is ", "(", "I'm ", "B is the most likely the ", "Question:\n",
    "two hundred ", "I can not ", "final ", "\u202e1",
]  # fmt: skip


@given(st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_never_raises_and_the_span_lies_in_the_reply(reply: str) -> None:
    for extract in EXTRACTORS.values():
        found = extract(reply)
        assert (found.value is None) == (found.span is None) == (found.rule is None)
        if found.span is not None:
            start, end = found.span
            assert 0 <= start < end <= len(reply)
            assert reply[start:end].strip()


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_what_stands_in_closed_thinking_changes_nothing(thought: str) -> None:
    thought = thought.replace("<think>", "").replace("</think>", "")
    for extract in EXTRACTORS.values():
        assert extract(f"<think>{thought}</think>Answer: B 7").value == extract("Answer: B 7").value


@pytest.mark.parametrize("kind", EXTRACTORS)
@pytest.mark.parametrize("size", [4_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_hostile_replies_take_linear_time(kind: str, size: int) -> None:
    # Fifty microseconds a character is several times what the slowest case takes on a busy core;
    # quadratic behaviour would need minutes at the larger size.
    extract, slowest = EXTRACTORS[kind], {}
    for piece in HOSTILE:
        started = time.process_time()
        extract((piece * (size // len(piece) + 1))[:size])
        slowest[piece] = time.process_time() - started
    piece = max(slowest, key=lambda p: slowest[p])
    assert slowest[piece] < size * 50e-6, f"{piece!r} took {slowest[piece]:.2f} s"
