"""Drafted generators, try by try, and tests written directly: for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.code.drafting.direct_tests import DirectTests, Standing
from joulemark.code.drafting.tries import Try
from joulemark.code.drafting.voice import Answer
from joulemark.code.problems.problem import Problem
from joulemark.report.wording import printable

_LINE_CHARS = 200
_MARKS = {True: "yes", False: "NO ", None: "—  "}
_BESIDE = (
    (Standing.NOT_PARSED, "did not parse as plain data"),
    (Standing.COPIED, "copied from the examples"),
    (Standing.REPEATED, "repeated"),
    (Standing.SURPLUS, "more than asked for"),
)


@dataclass(frozen=True, slots=True)
class Drafted:
    """What came of a command: every try, and the tests that the model wrote directly with their answer.

    ``missing``: of the containment. ``out``: where an accepted generator was written, null for nowhere.
    """

    problem: Problem
    model: str
    engine: str
    missing: tuple[str, ...]
    tries: tuple[Try, ...]
    out: Path | None
    direct: tuple[DirectTests, Answer] | None

    @property
    def is_accepted(self) -> bool:
        """Whether the last try was accepted."""
        return self.tries[-1].is_accepted


def print_drafts(drafted: Drafted, say: Callable[[str], None]) -> None:
    """Say what was found of each try and what became of the last, a line at a time."""
    for one in drafted.tries:
        _print_try(one, say)
    last, n = drafted.tries[-1], len(drafted.tries)
    if not last.is_accepted:
        tried = "1 try" if n == 1 else f"{n} tries"
        say(f"\nno generator of {printable(drafted.model)} was accepted after {tried}; nothing was written")
    elif drafted.out is not None:
        say(f"\n{printable(drafted.problem.problem_id)} with its generator: {drafted.out}")
    else:
        say("\naccepted; --out FILE writes it:\n")
        for line in (last.program or "").splitlines():
            say(printable(line, keep_spaces=True))
    if drafted.direct is not None:
        say("")
        _print_direct(*drafted.direct, say)


def drafts_json(drafted: Drafted) -> dict[str, Any]:
    """Return every try with its verdicts, and the tests written directly, as plain values."""
    is_written = drafted.is_accepted and drafted.out is not None
    return {
        "problem": drafted.problem.problem_id,
        "origin": drafted.problem.origin,
        "model": drafted.model,
        "engine": drafted.engine,
        "containment_missing": list(drafted.missing),
        "accepted": drafted.is_accepted,
        "written_to": str(drafted.out) if is_written else None,
        "tries": [_try_json(one) for one in drafted.tries],
        "direct_tests": None if drafted.direct is None else _direct_json(*drafted.direct),
    }


def _print_try(one: Try, say: Callable[[str], None]) -> None:
    say(f"try {one.number}: {'accepted' if one.is_accepted else 'not accepted'}")
    not_made = 0
    for verdict in one.verdicts:
        if verdict.passed is None and not one.is_accepted:
            not_made += 1
            continue
        detail = f": {printable(verdict.detail)}" if verdict.detail else ""
        say(f"  {_MARKS[verdict.passed]} {verdict.check.value}{detail}")
    if not_made:
        say(f"  {_MARKS[None]} {not_made} check{'s' * (not_made != 1)} not made")


def _print_direct(tests: DirectTests, answer: Answer, say: Callable[[str], None]) -> None:
    if answer.error is not None:
        say(f"tests written directly: the engine did not answer: {printable(answer.error)}")
        return
    share, interval = tests.share, tests.interval
    if share is None or interval is None:
        said = "none could be judged"
    else:
        said = (
            f"{share:.0%} right ({tests.n(Standing.RIGHT)} of {tests.n_judged};"
            f" 95 % interval {interval[0]:.0%} to {interval[1]:.0%})"
        )
    beside = [f"; {tests.n(one)} {words}" for one, words in _BESIDE if tests.n(one)]
    say(f"tests written directly: {said}{''.join(beside)}")
    if answer.was_cut:
        say("  the answer was cut when its tokens were used up; --max-tokens allows more")
    for one in tests.tests:
        if one.standing in (Standing.WRONG, Standing.REFUSED):
            say(f"  {one.standing.value}: {printable(one.text)[:_LINE_CHARS]}: {printable(one.detail)}")


def _answer_json(answer: Answer) -> dict[str, Any]:
    return {
        "seconds": answer.seconds,
        "tokens": answer.tokens,
        "finish_reason": answer.finish_reason,
        "error": answer.error,
        "answer": _sendable(answer.text),
    }


def _try_json(one: Try) -> dict[str, Any]:
    return {
        "try": one.number,
        "accepted": one.is_accepted,
        **_answer_json(one.answer),
        "program": None if one.program is None else _sendable(one.program),
        "sizes": None if one.draft is None else list(one.draft.sizes),
        "shapes": None if one.draft is None else list(one.draft.shapes),
        "verdicts": [
            {
                "check": verdict.check.name.lower(),
                "what": verdict.check.value,
                "passed": verdict.passed,
                "detail": _sendable(verdict.detail),
            }
            for verdict in one.verdicts
        ],
    }


def _direct_json(tests: DirectTests, answer: Answer) -> dict[str, Any]:
    return {
        **_answer_json(answer),
        "asked": tests.n_asked,
        "judged": tests.n_judged,
        "share_right": tests.share,
        "interval": tests.interval,
        "interval_method": "Wilson, 95 %",
        "counts": {one.value: tests.n(one) for one in Standing},
        "tests": [
            {"text": _sendable(one.text), "standing": one.standing.value, "detail": _sendable(one.detail)}
            for one in tests.tests
        ],
    }


def _sendable(text: str) -> str:
    """Return a model's text as JSON takes it: without lone surrogates."""
    return text.encode("utf-8", "replace").decode()
