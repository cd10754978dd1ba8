"""Numbers out of replies: the corpus, our own variations, and what must never happen."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.tasks.extract import extract_number
from joulemark.tasks.extract.number import canonical, only_number, parse_number


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        # separators, decimal signs, currency
        ("The total is 12\u00a0500 kr", "12500"),
        ("12\u202f500", "12500"),
        ("1'250", "1250"),
        ("1_000", "1000"),
        ("The answer is 1,00,000", "100000"),
        ("Die Antwort ist 1.250,00", "1250"),
        ("The answer is 1 250,50 €", "1250.5"),
        ("The answer is 12,5", "12.5"),
        ("0,125 is left", "0.125"),
        ("The answer is $5,000.50", "5000.5"),
        ("£1,250", "1250"),
        ("The answer is 25 %", "25"),
        ("The answer is 5,000,000.", "5000000"),
        ("The answer is .5", "0.5"),
        ("one of 1,2,3", "3"),
        # signs
        ("#### -5", "-5"),
        ("#### −5", "-5"),
        ("The answer is $-5", "-5"),
        ("The answer is -$5", "-5"),
        ("The answer is –7°C", "-7"),
        ("The answer is negative 7", "-7"),
        ("5 - 7 is asked", "7"),
        ("12 minus 5 is 7", "7"),
        # fractions, powers, scale
        ("The answer is ½.", "0.5"),
        ("The answer is 1½ cups", "1.5"),
        ("1 and 1/2 cups", "1.5"),
        ("The answer is 2/3.", "2/3"),
        ("The answer is 1.2 × 10^3", "1200"),
        ("The answer is 1.2x10³", "1200"),
        ("6 \\times 10^{12}", "6000000000000"),
        ("It is 10¹² now", "1000000000000"),
        ("The answer is 5e-1", "0.5"),
        ("The answer is 1.5 million", "1500000"),
        ("The answer is 18/2 = 9", "9"),
        # LaTeX and boxes
        ("\\boxed{70{,}000}", "70000"),
        ("\\boxed{70\\,000}", "70000"),
        ("\\boxed{\\frac{3}{4}}", "0.75"),
        ("\\boxed{-\\frac12}", "-0.5"),
        ("$1\\frac{1}{2}$", "1.5"),
        ("\\boxed{x = 5}", "5"),
        ("\\boxed{\\$1,250}", "1250"),
        ("\\boxed{5} wait \\boxed{6", "5"),
        ("\\boxed{\\boxed{5}}", "5"),
        ("\\boxed{}\nThe answer is 4", "4"),
        # markers
        ("####42", "42"),
        ("#### **18**", "18"),
        ("#### Step 1: Add\n3+4=7\n\nThe answer is 7.", "7"),
        ("#### Step 2: Divide\nIt is 36/2 = 18", "18"),
        ("#### 1. Add\nso 12", "12"),
        ("**Answer:** 36", "36"),
        ("Answer:\n\n36", "36"),
        ("The answer is 3 + 4 = 7", "7"),
        ("The answer is not 18, it is 20", "20"),
        ("The answer to question 3 is 18.", "18"),
        ("The answer (in hours): 5", "5"),
        ("答案是18", "18"),
        ("答案：１８", "18"),
        ("La respuesta es ١٨.", "18"),
        ("The answer is eighteen.", "18"),
        ("He had 5 and 13. The answer is thirty-six.", "36"),
        ("{'answer': '1,250'}", "1250"),
        ('{"answer": "42 apples"}', "42"),
        ('```json\n{"steps": 3, "answer": 12}\n```', "12"),
        ('{"answer": null, "confidence": 0.9}', None),
        # no marker
        ("5 hours, i.e. 300 minutes", "5"),
        ("18 (see step 2)", "18"),
        ("She has 18 (see step 2).", "18"),
        ("So she has 18.\n\n3. Done.", "18"),
        ("H2O has 3 atoms", "3"),
        ("A spider has eight legs.", "8"),
        ("The 3rd one", None),
        # what does not count
        ("blah 12 </think> Answer: 14", "14"),
        ("[THINK]12[/THINK] 14", "14"),
        ("<think>a 5</think>The answer is 6 <think> 9", "6"),
        ("Question: Tom has 3\nAnswer: 5", "5"),
        ("5\n\nQ: what 7\nA: 8", "5"),
        ("#### 11 Question: Tom\n#### 4", "11"),
        ("The answer is 18.\n\n**Question 2:** 5?", "18"),
        ("I'm sorry, but I can't help with 3.", None),
        ("I don't know 5", None),
        ("Cannot answer: 2 parts are missing.", None),
        ("She can't help 3 people, so 5 are left.", "5"),
        ("I cannot answer fully but the answer is 5", "5"),
        ("The answer is 1/0", None),
        ("The answer is 1e999999999", None),
        ("The answer is " + "9" * 5000, None),
    ],
)
def test_variations(reply: str, value: str | None) -> None:
    assert extract_number(reply).value == value


def test_rule_and_span_show_where_the_answer_stands() -> None:
    reply = "<think>4 − 11</think>Ｔhe answer is −７ degrees, not 3."
    found = extract_number(reply)
    assert found.span is not None
    assert (found.rule, reply[slice(*found.span)]) == ("phrase", "−７")


def test_a_cut_at_the_next_question_is_no_cut_by_the_limit() -> None:
    assert extract_number("#### 11").at_end
    assert not extract_number("#### 11\n\nQuestion: next").at_end


@given(st.fractions(max_denominator=10**6))
def test_canonical_reads_back_as_the_same_number(value: Fraction) -> None:
    assert parse_number(canonical(value)) == value


@given(st.integers(-(10**12), 10**12), st.sampled_from([",", " ", "\u00a0", "\u202f", "_", "'"]))
def test_any_grouping_of_an_integer_is_that_integer(value: int, separator: str) -> None:
    reply = f"The answer is {value:,}.".replace(",", separator)
    assert extract_number(reply).value == str(value)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**6), max_value=10**6))
def test_every_marker_gives_the_same_number(value: object) -> None:
    templates = ("#### {}", "The answer is {}", "**Answer:** {}", "\\boxed{{{}}}", '{{"answer": {}}}', "{}")
    values = {extract_number(template.format(f"{value:f}")).value for template in templates}
    assert values == {canonical(Fraction(str(value)))}


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("End your reply with a line like this:\n#### 7\n\nFinal answer: 42", "42"),
        ("\\boxed{7}\n#### 12", "12"),
        ("#### 12\nThe answer is \\boxed{7}", "7"),
        ("Tom has 5 pens. End your reply like this:\n#### <number>", None),
        ("Tom has 5 pens. Answer: number", None),
        ("Tom has 5 pens. End like this:\n#### <number>\n\nHe has 5 + 2 = 7.", "7"),
        ("Tom has 5 pens. End like this:\n#### <number>\n\n#### 7", "7"),
        ("So it is 5. \\boxed{}", None),
    ],
)
def test_the_last_marked_answer_counts_and_an_empty_place_is_none(reply: str, value: str | None) -> None:
    assert extract_number(reply).value == value


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("The answer is not 12.", None),
        ("The answer isn't 12", None),
        ("It is not the case that the answer is 12.", None),
        ("The answer is not twelve.", None),
        ('{"answer": "not 12"}', None),
        ("#### not 12", None),
        ("12 or 13", None),
        ("Answer: 12 or 13", None),
        ("\\boxed{12 or 13}", None),
        ("The answer is 12 to 15", None),
        ("between 12 and 15", None),
        ("The answer is between 12 and 15.", None),
        ("greater than 12", None),
        ("The answer is less than 12.", None),
        ("12 more than 5, that is 17", "17"),
        ("The answer is 12 more than 5, that is 17", "17"),
        ("The answer is 12 more than 5", None),
        ("The answer is not 12 but 17", "17"),
        ("It is 18, not 12", "18"),
        ("It is 18, which is more than 12", "18"),
        ("The answer is 1/2 or 0.5", "0.5"),
        ("The answer is 0.5 or 50%", "0.5"),
        ("12 more", "12"),
        ("It went from 12 to 15", "15"),
    ],
)
def test_denials_bounds_and_alternatives_are_no_answer(reply: str, value: str | None) -> None:
    assert extract_number(reply).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$1,234.50", "1234.5"),
        ("51.0", "51"),
        ("1/2", "0.5"),
        ("½", "0.5"),
        ("-3", "-3"),
        ("−3", "-3"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("10%", "10"),
        ("5 €", "5"),
        (" 72.\n", "72"),
        ("1e+16", "1" + "0" * 16),
        ("24 clips in May. Altogether 72.", None),
        ("24 clips", None),
        ("( 8.0 - 3.0 )", None),
        ("5 to 7", None),
        ("12 13", None),
        ("x = 5", None),
        ("5-", None),
        ("3/0", None),
        ("", None),
        ("many", None),
    ],
)
def test_a_reference_is_one_number_and_nothing_else(text: str, value: str | None) -> None:
    number = only_number(text)
    assert (None if number is None else canonical(number)) == value


@given(st.fractions())
def test_every_written_number_is_a_reference(value: Fraction) -> None:
    assert only_number(canonical(value)) == value
