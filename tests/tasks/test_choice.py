"""Letters out of replies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.tasks.extract import extract_choice

CELL = {"A": "nucleus", "B": "mitochondria", "C": "ribosome", "D": "cell wall"}


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("b", "B"), ("B)", "B"), ("[C]", "C"), ("**B.** 4", "B"), ("Ｂ", "B"), ("A", "A"),
        ("B: mitochondria", "B"), ("#### C", "C"), ("ANSWER: $B", "B"), ("Answer - B", "B"),
        ("answer: b", "B"), ("The answer is (b) mitochondria", "B"), ("The answer is d) 42", "D"),
        ("the answer is a because x", "A"), ("the answer is a mitochondrion", None),
        ("The answer is B.Mitochondria", "B"), ("$\\boxed{\\text{C}}$", "C"), ('{"answer": "c"}', "C"),
        ('{"answer": null} maybe B', None), ("Correct answer: C. 42", "C"), ("Only C fits.", "C"),
        # not offered, several, none
        ("The answer is E.", None), ("E", None), ("B seems right, but I choose E.", None),
        ("A and B", None), ("A/B", None), ("Answer: A, C", None), ("The answer is (A) and (B).", None),
        ("Both A & C", None), ("The correct answer is A or C.", None), ("A or B? B", "B"),
        ("Between A and B, I choose B", "B"), ("The answer is B, and A is a distractor.", "B"),
        ("", None), ("None of the above", None), ("I cannot answer this.", None),
        # denied
        ("The answer is not B. It's C", "C"), ("D is correct, not A or B.", "D"),
        ("I pick B over A", "B"), ("C, not B.", "C"), ("C and not B", "C"),
        ("The answer is C. A, B and D are wrong.", "C"), ("Neither A nor B. C.", "C"),
        ("C is not right. D.", "D"),
        ("B. No other option fits.", "B"), ("B. False", "B"),
        ("A) wrong. B) correct. C) wrong. D) wrong.", "B"), ("It can't be A, so it's B.", "B"),
        # the last statement, not the last letter
        ("The answer is B. Wait, actually it's C.", "C"), ("B is the correct answer because A is slow.", "B"),
        ("I choose C, because B has no wings.", "C"), ("B\n\nExplanation: A cell needs energy.", "B"),
        ("A. nucleus\nB. mitochondria\nC. ribosome\n\nAnswer: B", "B"),
        ("A. nucleus\nB. mitochondria\nC. ribosome", None),
        ("A) spoon\n\nThe correct answer is D) cup.", "D"),
        # words that are no choices
        ("Vitamin K is made by bacteria.", None), ("He is at 25°C.", None), ("It is C-shaped.", None),
        ("The U.S.A. is big", None), ("I am sure.", None), ("A student asked. The answer is D", "D"),
        # other languages
        ("Respuesta: B", "B"), ("Réponse : C", "C"), ("答案是B", "B"), ("Ответ: B", "B"), ("정답: C", "C"),
        ("Die Antwort ist D.", "D"), ("Antwort: E", None),
    ],
)  # fmt: skip
def test_variations(reply: str, letter: str | None) -> None:
    assert extract_choice(reply).value == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Mitochondria.", "B"),
        ("The answer is mitochondria.", "B"),
        ("mitochondria or ribosome", None),
        ("B. ribosome", None),
        ("A) mitochondria\n", None),
        ("B) mitochondria", "B"),
        ("\\boxed{\\text{mitochondria}}", "B"),
        ("the cell wall", "D"),
        ("a mitochondrial thing", None),
    ],
)
def test_an_option_may_be_named_by_its_text(reply: str, letter: str | None) -> None:
    assert extract_choice(reply, options=CELL).value == letter


def test_an_option_inside_a_longer_one_is_told_apart() -> None:
    options = {"A": "cell", "B": "cell wall"}
    assert extract_choice("a cell wall", "AB", options).value == "B"
    assert extract_choice("the cell", "AB", options).value == "A"


@pytest.mark.parametrize(
    ("reply", "letter"),
    [("I", "I"), ("(I)", "I"), ("The answer is I.", "I"), ("I think it's J", "J"), ("I would say so", None)],
)
def test_the_pronoun_is_no_choice_among_ten(reply: str, letter: str | None) -> None:
    assert extract_choice(reply, "ABCDEFGHIJ").value == letter


@given(
    st.sampled_from("ABCD"),
    st.sampled_from(["{}", "({})", "{}.", "**{}**", "Answer: {}", "The answer is {}."]),
)
def test_plain_forms(letter: str, form: str) -> None:
    reply = form.format(letter)
    found = extract_choice(reply)
    assert found.span is not None
    assert found.value == letter == reply[slice(*found.span)]


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Answer: A\n\nExplanation: Option B describes respiration, which is in C.", "A"),
        ("**Answer: A**\n\nOption D would need a membrane.", "A"),
        ("#### A\nOption B refers to the wall.", "A"),
        ("Answer: A\nNote: Vitamin B is the best.", "A"),
        ("Answer: A\n\nSo B and C fail because they are too slow.", "A"),
        ("Answer: A\nIn B, cells actually wait, so C is correct there.", "A"),
        ("Answer: A\nWait, no. So C.", "C"),
        ("Answer: A\nHmm, actually C is correct.", "C"),
        ("Answer: A\nSorry, I choose C.", "C"),
        ("Option B is tempting. Answer: A\nAnswer: D", "D"),
    ],
)
def test_an_explanation_does_not_overrule_a_marked_answer(reply: str, letter: str) -> None:
    found = extract_choice(reply)
    assert found.value == letter
    assert found.is_strong == (letter != "C")


@pytest.mark.parametrize(
    "reply",
    [
        "It is not the case that the answer is B.",
        "Answer: A+B",
        "A is correct. B is correct.",
    ],
)
def test_a_denied_claim_and_two_choices_are_none(reply: str) -> None:
    assert extract_choice(reply).value is None
