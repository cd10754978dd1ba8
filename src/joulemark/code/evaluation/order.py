"""In which order problems are evaluated: those first of which most is expected to be learned.

An evaluation may be looked at, or ended, before it is done.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from joulemark.code.evaluation.job import Answer, is_scalable
from joulemark.code.problems.problem import DIFFICULTIES, Problem

_UNDECLARED = DIFFICULTIES[len(DIFFICULTIES) // 2]
_Key = tuple[bool, bool, int, int, int, str]


def expected_information(problem: Problem, answers: Sequence[Answer]) -> _Key:
    """Return what sorts problems that tell efficient programs apart before those that cannot.

    First what has a program at all and inputs of any size, then by the declared difficulty (where there is
    none: the middle one), the number of different programs, and the size of the canonical solution. Of the
    built-in problems that size goes with the difficulty (Kendall's tau 0.41, p 2e-5); their names, by
    which problems without a difficulty were ordered before, do not (0.01).
    """
    n_programs = len({answer.source for answer in answers} - {None})
    declared = problem.difficulty if problem.difficulty in DIFFICULTIES else _UNDECLARED
    hardness = DIFFICULTIES.index(declared)
    return (
        n_programs == 0,
        not is_scalable(problem),
        -hardness,
        -n_programs,
        -_size(problem.canonical),
        problem.problem_id,
    )


def _size(source: str) -> int:
    """Return how many nodes a program's syntax tree has; 0 for what is no Python."""
    try:
        return sum(1 for _ in ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
