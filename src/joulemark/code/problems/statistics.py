"""How many problems there are of which kind, and how long: the columns of the paper's table."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from joulemark.code.problems.problem import ALGORITHMS, DIFFICULTIES, Problem
from joulemark.code.problems.syntax import Definition, NotPython, parse, split_lines


@dataclass(frozen=True, slots=True)
class Row:
    """One class, or all problems. ``by_difficulty`` counts those that state one.

    ``mean_words``: of the statement; ``mean_lines``: of the canonical solution, without blank lines, comments
    and docstrings. Null where there is no problem.
    """

    name: str
    n_problems: int
    by_difficulty: Mapping[str, int]
    mean_words: float | None
    mean_lines: float | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """``classes``: the paper's eleven, in its order; a problem counts in each of its classes.

    ``total`` counts every problem once; ``n_unclassified``: those of none of the classes.
    """

    classes: tuple[Row, ...]
    total: Row
    n_unclassified: int


def statistics_of(problems: Iterable[Problem]) -> Statistics:
    """Return the statistics of problems."""
    counted = [(one, len(one.statement.split()), code_lines(one.canonical)) for one in problems]
    classes = tuple(_row(name, [one for one in counted if name in one[0].algorithms]) for name in ALGORITHMS)
    outside = sum(1 for one, _, _ in counted if not set(one.algorithms) & set(ALGORITHMS))
    return Statistics(classes, _row("all", counted), outside)


def _row(name: str, counted: list[tuple[Problem, int, int]]) -> Row:
    n = len(counted)
    difficulties = Counter(one.difficulty for one, _, _ in counted)
    return Row(
        name=name,
        n_problems=n,
        by_difficulty={one: difficulties[one] for one in DIFFICULTIES},
        mean_words=sum(words for _, words, _ in counted) / n if n else None,
        mean_lines=sum(lines for _, _, lines in counted) / n if n else None,
    )


def code_lines(source: str) -> int:
    """Return how many lines of a source hold code: no blank ones, no comments, no docstrings."""
    lines = [line.strip() for line in split_lines(source)]
    kept = {number for number, line in enumerate(lines, start=1) if line and not line.startswith("#")}
    try:
        tree = parse(source)
    except NotPython:
        return len(kept)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | Definition) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                kept -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(kept)
