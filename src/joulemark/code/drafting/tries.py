"""Asking for a generator until one is accepted, or the tries are used up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.drafting.draft import Draft, Unusable, draft_of, program_in
from joulemark.code.drafting.prompt import feedback, generator_prompt, program_again
from joulemark.code.drafting.validation import LEAST_DISTINCT, validate
from joulemark.code.drafting.verdict import Check, Verdict, not_reached
from joulemark.code.drafting.voice import Answer, Ask
from joulemark.code.problems.problem import Problem
from joulemark.record.content import Message

_CHECKS = tuple(Check)


@dataclass(frozen=True, slots=True)
class Try:
    """One answer of the model and all that was found of it. ``program``: what it holds, null for nothing."""

    number: int
    answer: Answer
    program: str | None
    draft: Draft | None
    verdicts: tuple[Verdict, ...]

    @property
    def is_accepted(self) -> bool:
        """Whether nothing was found wrong."""
        return self.draft is not None and all(one.passed is not False for one in self.verdicts)

    @property
    def failures(self) -> tuple[Verdict, ...]:
        """What was found wrong."""
        return tuple(one for one in self.verdicts if one.passed is False)


Writable = Callable[[Draft], str | None]
"""Returns why a draft cannot be written where it is to go, null where it can."""


def draft_generator(
    ask: Ask,
    sandbox: Sandbox,
    problem: Problem,
    *,
    more: int = 3,
    least_distinct: int = LEAST_DISTINCT,
    writable: Writable | None = None,
    told: Callable[[Try], None] = lambda one: None,
) -> tuple[Try, ...]:
    """Ask for a generator, and up to ``more`` times again with the reasons why the one before was refused.

    Only the last try may be accepted. ``told`` hears of each. Raises `InputError` where the engine is gone,
    or the problem's own parts fail.
    """
    found: list[Try] = []
    for number in range(more + 1):
        answer = ask(_messages(problem, found[-1] if found else None), number)
        found.append(_tried(answer, found, sandbox, problem, least_distinct, writable))
        told(found[-1])
        if found[-1].is_accepted:
            break
    return tuple(found)


def _messages(problem: Problem, last: Try | None) -> list[Message]:
    asked: list[Message] = [("user", generator_prompt(problem))]
    if last is None or last.answer.error is not None:
        return asked
    again = program_again(last.program)
    if again is None:
        return [("user", f"{generator_prompt(problem)}\n# An earlier answer\n\n{feedback(last.verdicts)}")]
    return [*asked, ("assistant", again), ("user", feedback(last.verdicts))]


def _tried(
    answer: Answer,
    before: list[Try],
    sandbox: Sandbox,
    problem: Problem,
    least_distinct: int,
    writable: Writable | None,
) -> Try:
    number = len(before) + 1
    if answer.error is not None:
        return Try(number, answer, None, None, _failed(Check.ANSWERED, answer.error))
    answered = Verdict(Check.ANSWERED, True)
    program = program_in(answer.text)
    cut = "; the answer was cut when its tokens were used up" if answer.was_cut else ""
    try:
        if program is None:
            raise Unusable("it holds no ```python block that defines `generate(rng, size, shape)`")
        draft = draft_of(program)
    except Unusable as error:
        return Try(number, answer, program, None, (answered, *_failed(Check.PROGRAM, f"{error}{cut}")))
    for one in before:
        if one.program == program:  # a model that repeats itself is told the same again
            return Try(number, answer, program, draft, one.verdicts)
    verdicts = (answered, Verdict(Check.PROGRAM, True), *validate(sandbox, problem, draft, least_distinct))
    if writable is not None:
        verdicts = (*verdicts, _written(draft, verdicts, writable))
    return Try(number, answer, program, draft, verdicts)


def _written(draft: Draft, verdicts: tuple[Verdict, ...], writable: Writable) -> Verdict:
    if any(one.passed is False for one in verdicts):
        return not_reached((Check.FILE,))[0]
    why = writable(draft)
    return Verdict(Check.FILE, why is None, why or "")


def _failed(check: Check, why: str) -> tuple[Verdict, ...]:
    rest = _CHECKS[_CHECKS.index(check) + 1 : _CHECKS.index(Check.FILE)]
    return (Verdict(check, False, why), *not_reached(rest))
