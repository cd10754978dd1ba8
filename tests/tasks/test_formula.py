"""Where a reply gives its mathematical answer."""

from __future__ import annotations

import pytest

from joulemark.tasks.extract.formula import extract_formula
from joulemark.tasks.scorers import MathScorer
from joulemark.tasks.task import Question


@pytest.mark.parametrize(
    ("reply", "value", "rule"),
    [
        (r"So \boxed{\frac{1}{2}}.", r"\frac{1}{2}", "boxed"),
        (r"\boxed{1} no, \boxed{2}", "2", "boxed"),
        (r"\boxed{\left\{1, \frac{a}{b}\right\}}", r"\left\{1, \frac{a}{b}\right\}", "boxed"),
        (r"\boxed{1", r"\boxed{1", "line"),
        (r"The answer is $\frac{1}{2}$.", r"\frac{1}{2}", "phrase"),
        (r"The answer is $x=1$ and $x=2$.", "x=1$ and $x=2", "phrase"),
        (r"The answer is 5 (since $x>0$).", "5", "phrase"),
        ("The answer is 3.5. That is all.", "3.5", "phrase"),
        ("The answer is 42.The end", "42", "phrase"),
        ("The answer is .5", ".5", "phrase"),
        ("The answer is $32,348.", "$32,348", "phrase"),
        ("The answer is 12 apples in every basket.", "12 apples", "phrase"),
        ("The answer is 864 square inches, as shown.", "864 square inches", "phrase"),
        ("The answer is x + 1 because x is odd.", "x + 1", "phrase"),
        ("**Answer:** Evelyn", "Evelyn", "phrase"),
        ("Final answer:\n\n\\[\n x^2 + 1\n\\]", "x^2 + 1", "phrase"),
        ("Answer: \\(2\\pi\\)", "2\\pi", "phrase"),
        ("#### 1,2", "1,2", "hash"),
        ('{"answer": "\\\\frac{1}{2}"}', "\\frac{1}{2}", "json"),
        ("We add.\n\nSo the area is $5\\pi$ and not $6\\pi$.", "6\\pi", "formula"),
        ("Hence\n$$\\frac{3}{4}$$", "\\frac{3}{4}", "formula"),
        ("The roots are $1$ and $-2$.", "1$ and $-2", "formula"),
        ("x = 5", "x = 5", "line"),
        ("Add them.\n\n(3, \\infty)", "(3, \\infty)", "line"),
        ("Evelyn", "Evelyn", "line"),
        ("After a while every one of them sees that the total is 7.", "7", "sentence"),
        ("It costs $5 and then later on another $6 for everything", None, None),
        ("", None, None),
        ("I cannot answer this.", None, None),
        ("There are many ways of looking at this problem, none of them easy.", None, None),
        ("<think>\\boxed{3}</think>\\boxed{4}", "4", "boxed"),
        (f"\\boxed{{{'1+' * 2000}1}}", None, None),
    ],
)
def test_places(reply: str, value: str | None, rule: str | None) -> None:
    found = extract_formula(reply)
    assert (found.value, found.rule) == (value, rule)
    if value is not None and rule != "json":
        assert found.span is not None
        assert " ".join(reply[slice(*found.span)].split()) == value


@pytest.mark.parametrize(
    ("gold", "reply", "finish", "verdict", "value"),
    [
        (r"\frac{1}{2}", r"\boxed{\dfrac12}", "stop", "correct", "0.5"),
        (r"\frac{1}{2}", r"\boxed{0.51}", "stop", "wrong", "0.51"),
        (r"3\sqrt{13}", r"\boxed{3 \sqrt{13}}", "stop", "correct", r"3 \sqrt{13}"),
        (r"\text{Evelyn}", r"\boxed{\text{Evelyn}}", "stop", "correct", "Evelyn"),
        ("12", r"\boxed{12\text{apples}}", "stop", "correct", "12"),
        # the box is closed, so the cut behind it has cut no digit off
        ("12", r"\boxed{12}", "length", "correct", "12"),
        ("125", r"The answer is 12", "length", "truncated", None),
        ("12", "", "stop", "unparsed", None),
    ],
)
def test_verdicts(gold: str, reply: str, finish: str, verdict: str, value: str | None) -> None:
    score = MathScorer().score(Question("q", (), gold, "math"), reply, finish_reason=finish, refusal=False)
    assert (score.verdict, score.value) == (verdict, value)


@pytest.mark.parametrize("reply", ["\\boxed{}", "So x = 5.\n\\boxed{ }"])
def test_an_empty_box_is_no_answer(reply: str) -> None:
    assert extract_formula(reply).value is None
