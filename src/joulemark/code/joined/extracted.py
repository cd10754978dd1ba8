"""The program in an answer, and whether an answer without one was cut off."""

from __future__ import annotations

from joulemark.code.answers.program import Found, program_of
from joulemark.code.problems.problem import Problem
from joulemark.tasks.extract.visible import kept_ranges


def program_in(text: str, problem: Problem) -> tuple[str | None, str | None]:
    """Return the source of the program in an answer and where it was found; null twice for none."""
    found = program_of(text, problem)
    return (None, None) if found.found is Found.NOT_FOUND else (found.program, found.found.value)


def is_cut_thinking(text: str) -> bool:
    """Tell whether an answer ends in the midst of thinking, which was never closed."""
    return kept_ranges(text)[1]
