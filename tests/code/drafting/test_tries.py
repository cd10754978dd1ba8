"""A model is told what failed and asked again, so often and no more."""

from __future__ import annotations

from collections.abc import Sequence

from doubles.scripted_model import BARE_LIST, GOOD, fenced
from doubles.small_problems import total_problem
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.drafting.draft import Draft
from joulemark.code.drafting.tries import draft_generator
from joulemark.code.drafting.verdict import Check
from joulemark.code.drafting.voice import Answer
from joulemark.record.content import Message

_OPEN = total_problem(generator=None)


class _Model:
    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[list[Message]] = []

    def __call__(self, messages: Sequence[Message], number: int) -> Answer:
        assert number == len(self.asked)
        self.asked.append(list(messages))
        return self._answers[number]


def _says(text: str, **more: object) -> Answer:
    return Answer(text, 0.5, **more)  # type: ignore[arg-type]


def test_reasons_are_fed_back_until_a_generator_is_accepted(sandbox: Sandbox) -> None:
    model = _Model(_says("No."), _says(fenced(BARE_LIST)), _says(fenced(GOOD)))
    told: list[int] = []
    done = draft_generator(model, sandbox, _OPEN, more=5, told=lambda one: told.append(one.number))
    assert [one.is_accepted for one in done] == [False, False, True]
    assert told == [1, 2, 3]
    assert [len(messages) for messages in model.asked] == [1, 1, 3], "prose is not shown again, a program is"
    assert "no ```python block" in str(model.asked[1][0][1])
    again, feedback = (str(content) for _, content in model.asked[2][1:])
    assert "return values" in again
    assert "returned a list, not a tuple" in feedback
    assert "def total(values)" in str(model.asked[0][0][1]), "the solution helps to choose sizes"


def test_tries_end_and_a_program_that_comes_again_is_not_run_again(sandbox: Sandbox) -> None:
    model = _Model(*[_says(fenced(BARE_LIST))] * 3)
    done = draft_generator(model, sandbox, _OPEN, more=2)
    assert len(done) == len(model.asked) == 3
    assert done[0].verdicts is done[1].verdicts is done[2].verdicts
    assert [one.check for one in done[-1].failures] == [Check.MAKES]


def test_an_engine_that_refuses_and_an_answer_that_is_cut_are_told_apart(sandbox: Sandbox) -> None:
    refused, cut = _says("", error="no such model"), _says(fenced(GOOD)[:150], finish_reason="length")
    model = _Model(refused, cut)
    first, second = draft_generator(model, sandbox, _OPEN, more=1)
    assert (first.failures[0].check, first.failures[0].detail) == (Check.ANSWERED, "no such model")
    assert model.asked[0] == model.asked[1]
    assert second.failures[0].check is Check.PROGRAM
    assert second.failures[0].detail.endswith("cut when its tokens were used up")


def test_what_cannot_be_written_is_not_accepted(sandbox: Sandbox) -> None:
    def why_not(draft: Draft) -> str | None:
        return None if "sort" not in draft.source else "no room for it"

    (one,) = draft_generator(_Model(_says(fenced(GOOD))), sandbox, _OPEN, more=0, writable=why_not)
    assert not one.is_accepted
    assert [(fault.check, fault.detail) for fault in one.failures] == [(Check.FILE, "no room for it")]
