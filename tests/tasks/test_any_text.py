"""Extraction on text that nobody foresaw: it never raises, and its time grows with the length alone."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.record.item import Verdict
from joulemark.tasks.extract import Extraction, extract_choice, extract_number, extract_short_text
from joulemark.tasks.extract.formula import extract_formula
from joulemark.tasks.extract.label import extract_label
from joulemark.tasks.extract.line import extract_line
from joulemark.tasks.extract.refusal import refuses
from joulemark.tasks.extract.visible import LONGEST, visible_part
from joulemark.tasks.scorers.recorded import EXTRACTING
from joulemark.tasks.task import Question

OPTIONS = {"A": "the", "B": "so", "C": "is", "D": "not"}
LABELS = (("Yes", "Yes"), ("No", "No"), ("true", "true"))
EXTRACTORS: dict[str, Callable[[str], Extraction]] = {
    "numeric": extract_number,
    "choice": lambda text: extract_choice(text, "ABCD", OPTIONS),
    "text": extract_short_text,
    "math": extract_formula,
    "label": lambda text: extract_label(text, LABELS),
    "line": extract_line,
}
QUESTIONS = {
    "numeric": Question("q", (), "7"),
    "choice": Question("q", (), "B", "choice", tuple(OPTIONS.items())),
    "text": Question("q", (), "so", "text"),
    "math": Question("q", (), "x + 1", "math"),
    "label": Question("q", (), "Yes", "label", LABELS),
    "line": Question("q", (), "a b", "line"),
}
FRAGMENTS = [
    "answer is ", "answer: ", "answer to the ", "answer (", "#### ", "\\boxed{", "}", "{", '"answer": ',
    "'answer': '", "<think>", "</think>", "\n", "Question: ", "Q: ", " and ", " or ", "not ", "A", "B",
    "C.", "(D)", "I ", "A) ", "is ", "so ", "I choose ", "1", ",", ".", "1,000", "1 000", "/", "-", "−",
    "$", "%", "\\frac{", "^", "**", "e9", "½", "²", "１", "é", "是", "'", '"', "*", " ", "two hundred ",
    "i.e. ", "step ", "I cannot answer ", "=", "yes", "No", "true", "not true", "wait ", "$$", "\\(", "\\)",
    "\\[", "\\]", "x", "\\sqrt", "\\pm ", "\\text{", "\\begin{pmatrix}", "\\\\", "&", "_", "!", "|",
    "\\left(", "\\cup", "[", "]", ">", "`", "I'm sorry, but I can't help with that. ", "as an AI ", "\ud800",
]  # fmt: skip
HOSTILE = [
    "1", "1,", "1,111", "1,11", "1.111", "1'", "0,", "1 ", "1/", "1+", "1=", "1e", "2^", "½", "²",
    "\\frac{", "\\frac{1", "\\boxed{", "{", "answer is ", "answer ((", "answer, ", "answer of ",
    "the answer to ", "answer is\n", "answer is *", "#### ", "<think>", "</think>", '"answer": "', "\n",
    " ", "- ", "-", "_", "$", "**", "A", "A) ", "A and ", "not A or ", "I ", "A is ", "A, ", "*B*",
    "A.\n", "so ", "so (", "not ", "is ", "(", "I'm ", "B is the most likely the ", "Question:\n",
    "two hundred ", "I can not ", "final ", "\u202e1", "yes ", "no ", "yes and no ", "not yes ", "is true ",
    "Yes. ", "so yes. ", "wait, no ", "$$", "\\(", "\\[", "\\]", "$x", "x^", "((", "\\sqrt", "\\text{",
    "\\\\", "1\\pm ", "\\frac{1}{", "answer is $", "`", "> ", "] ", "I'm sorry, ", "As an AI ",
    "\nQuestion: ", "\nQ:\n", "}{", "!",
    ", not 1", "1 or ", "not 1 ", "between 1 and ", "1 more than ", "answer: <number>", "\\boxed{}",
    ". Wait,", "not the case that the answer is ", "B is correct. ",
]  # fmt: skip


@settings(deadline=None)
@given(st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_never_raises_and_the_span_lies_in_the_reply(reply: str) -> None:
    for extract in EXTRACTORS.values():
        found = extract(reply)
        assert (found.value is None) == (found.span is None) == (found.rule is None)
        if found.span is not None:
            start, end = found.span
            assert 0 <= start < end <= len(reply)
            assert reply[start:end].strip()


@settings(deadline=None)
@given(
    st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join),
    st.sampled_from([None, "stop", "length", "content_filter"]),
)
def test_every_scorer_gives_a_verdict_on_any_text(reply: str, finish: str | None) -> None:
    for kind, question in QUESTIONS.items():
        score = EXTRACTING[kind].score(question, reply, finish_reason=finish, refusal=False)
        is_graded = score.verdict in (Verdict.CORRECT, Verdict.WRONG)
        assert isinstance(score.verdict, Verdict)
        assert (score.value is not None) == (score.span is not None) == (score.rule is not None) == is_graded
        assert EXTRACTING[kind].score(question, reply, finish_reason=finish, refusal=False) == score


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_what_stands_in_closed_thinking_changes_nothing(thought: str) -> None:
    thought = thought.replace("<think>", "").replace("</think>", "")
    for extract in EXTRACTORS.values():
        assert extract(f"<think>{thought}</think>Answer: B 7").value == extract("Answer: B 7").value


@pytest.mark.parametrize("kind", EXTRACTORS)
@pytest.mark.parametrize("size", [4_000, pytest.param(60_000, marks=pytest.mark.slow)])
def test_hostile_replies_take_linear_time(kind: str, size: int) -> None:
    # Fifty microseconds a character is several times what the slowest case takes on a busy core;
    # quadratic behaviour would need minutes at the larger size.
    extract, slowest = EXTRACTORS[kind], {}
    for piece in HOSTILE:
        reply = (piece * (size // len(piece) + 1))[:size]
        took_s = []
        while not took_s or (len(took_s) < 3 and took_s[-1] > 0.1 + size * 25e-6):  # the machine's hiccup?
            started = time.process_time()
            extract(reply)
            EXTRACTING[kind].score(QUESTIONS[kind], reply, finish_reason="stop", refusal=False)
            took_s.append(time.process_time() - started)
        slowest[piece] = min(took_s)
    piece = max(slowest, key=lambda p: slowest[p])
    assert slowest[piece] < 0.2 + size * 50e-6, f"{piece!r} took {slowest[piece]:.2f} s"


@pytest.mark.parametrize("kind", EXTRACTORS)
@pytest.mark.parametrize("piece", ["1", "{", "\\boxed{1} ", "The answer is 5.\n", "é yes ", "Q: "])
def test_five_megabytes_are_graded_in_seconds(kind: str, piece: str) -> None:
    reply = piece * (5_000_000 // len(piece))
    visible_part.cache_clear()
    started = time.process_time()
    EXTRACTING[kind].score(QUESTIONS[kind], reply, finish_reason="stop", refusal=False)
    assert time.process_time() - started < 8


def test_the_end_of_a_very_long_reply_is_read() -> None:
    filler = "We go on and on. " * (LONGEST // 16)
    reply = f"\\boxed{{1}} {filler} \\boxed{{B}} The answer is 7."
    assert extract_number(reply).value == "7"
    for kind, extract in EXTRACTORS.items():
        found = extract(reply)
        if found.span is not None:
            assert "1" not in reply[slice(*found.span)], kind
    # The model answers and then plays both sides: what counts stands before the next question.
    runaway = "The answer is 12.\n\n" + "Question: What is 1 + 1?\nAnswer: 2\n\n" * (LONGEST // 20)
    found = extract_number(runaway)
    assert found.value == "12"
    assert found.span is not None
    assert runaway[slice(*found.span)] == "12"


@settings(deadline=None)
@given(st.text())
def test_a_refusal_is_looked_for_in_any_text(reply: str) -> None:
    assert refuses(reply) in (True, False)
    assert refuses(
        "I'm sorry, but I can't help with that.\n" + reply.replace("<", "").replace("[", "").replace("◁", "")
    )
