"""Words of a closed set out of replies."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.tasks.extract.label import extract_label
from joulemark.tasks.scorers import LabelScorer
from joulemark.tasks.task import Question

Options = tuple[tuple[str, str], ...]

YN: Options = (("Yes", "Yes"), ("No", "No"))
TF: Options = (("True", "True"), ("False", "False"))
VI: Options = (("valid", "valid"), ("invalid", "invalid"))
P: Options = (("plausible", "plausible"), ("not plausible", "not plausible"))
AB: Options = (("A", "True"), ("B", "False"))


@pytest.mark.parametrize(
    ("options", "reply", "label"),
    [
        (YN, "Yes", "Yes"),
        (YN, "no.", "No"),
        (YN, "**Yes**", "Yes"),
        (YN, "Answer: No", "No"),
        (YN, "The answer is yes.", "Yes"),
        (YN, "Yes and no.", None),
        (YN, "Yes or No", None),
        (YN, "The answer is yes or no.", None),
        (YN, "There is no reason to think so.", None),
        (YN, "Yes, there is no doubt.", "Yes"),
        (YN, "No, yes would be wrong.", "No"),
        (YN, "Step 1: go. Step 2: no turns.\nSo the answer is Yes", "Yes"),
        (YN, "You end at the start. So yes.", "Yes"),
        (YN, "I know nothing yet.", None),
        (YN, "Options:\n- Yes\n- No", None),
        (YN, "Options:\n- Yes\n- No\nAnswer: Yes", "Yes"),
        (YN, "The answer is Yes. Wait, actually the answer is No.", "No"),
        (YN, "The answer is Yes. Wait, actually it is no.", "No"),
        (YN, "\\boxed{\\text{No}}", "No"),
        (YN, '{"answer": "yes"}', "Yes"),
        (YN, "<think>Yes</think>No", "No"),
        (YN, "#### Yes", "Yes"),
        (YN, "yes because no one can", "Yes"),
        (TF, "not true", None),
        (TF, "It is not true.", None),
        (TF, "It is not true. It is false.", "False"),
        (TF, "False. It is not true that x.", "False"),
        (TF, "not ( True ) = False. So False.", "False"),
        (TF, "True and False is False", "False"),
        (TF, "True and False", None),
        (TF, "The answer is False, because it is true that cats fly.", "False"),
        (TF, "It is untrue.", None),
        (TF, "The statement is true. Hmm, it is not true.", None),
        (TF, "Neither true nor false.", None),
        (TF, '{"answer": false}', "False"),
        (TF, "Is it true or false? It is true.", "True"),
        (TF, "The answer is not True but False.", "False"),
        (TF, "True is incorrect.", None),
        (TF, "True is the correct answer.", "True"),
        (TF, "TRUE", "True"),
        (VI, "The argument is invalid.", "invalid"),
        (VI, "valid", "valid"),
        (VI, "The argument is deductively valid.", "valid"),
        (VI, "It is not valid.", None),
        (VI, "The answer is that the argument is invalid.", "invalid"),
        (VI, "validity is nice", None),
        (VI, "valid or invalid? Answer: invalid", "invalid"),
        (VI, "The argument is valid or invalid.", None),
        (P, "not plausible", "not plausible"),
        (P, "It is plausible.", "plausible"),
        (AB, "Answer: A", "A"),
        (AB, "The answer is b.", "B"),
        (AB, "True", "A"),
        (AB, "A cat is there", None),
        (YN, "", None),
        (YN, "I cannot answer this.", None),
        (YN, "The answer is unclear. Yes, probably.", "Yes"),
        (YN, "Nope", None),
        (TF, "Let me see. The premise is true. The conclusion does not follow.\nFalse", "False"),
        (YN, "The answer is no longer clear", None),
        (YN, "So the answer is No, since 3 is not 0.", "No"),
    ],
)
def test_variations(options: Options, reply: str, label: str | None) -> None:
    found = extract_label(reply, options)
    assert found.value == label
    if label and found.span:
        said = reply[slice(*found.span)].casefold()
        assert said in {label.casefold(), dict(options)[label].casefold()}


@settings(deadline=None)
@given(
    st.sampled_from(["Yes", "No"]),
    st.sampled_from(
        [
            "{}",
            "**{}**",
            "{}.",
            "Answer: {}",
            "The answer is {}.",
            "So the answer is {}",
            "#### {}",
            "\\boxed{{{}}}",
            '{{"answer": "{}"}}',
            "I walk.\n{}",
            "{}, because it is so.",
        ]
    ),
    st.sampled_from([str, str.lower, str.upper]),
)
def test_plain_forms(label: str, form: str, case: type[str]) -> None:
    assert extract_label(form.format(case(label)), YN).value == label


@pytest.mark.parametrize(
    ("gold", "reply", "verdict"),
    [
        ("yes", "Yes.", "correct"),
        ("Yes", "No.", "wrong"),
        ("No", "Yes and no", "unparsed"),
        ("Yes", "", "unparsed"),
    ],
)
def test_verdicts(gold: str, reply: str, verdict: str) -> None:
    question = Question("q", (), gold, "label", YN)
    assert LabelScorer().score(question, reply, finish_reason="stop", refusal=False).verdict == verdict


def test_a_reference_must_be_a_label() -> None:
    with pytest.raises(ValueError, match="Maybe"):
        LabelScorer().score(Question("q", (), "Maybe", "label", YN), "Yes", finish_reason=None, refusal=False)


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("It is not the case that the answer is yes", None),
        ("It isn't true that the answer is yes.", None),
        ("It is not the case that the answer is yes. The answer is no.", "No"),
        ("Answer: Yes\nSorry, I mean no.", "No"),
        ("Answer: Yes\nThe patients actually wait, so no one leaves. It is no use.", "Yes"),
    ],
)
def test_a_claim_denied_or_taken_back_is_not_the_answer(reply: str, label: str | None) -> None:
    assert extract_label(reply, YN).value == label
