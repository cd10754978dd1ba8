"""Small problems whose right answers and whose costs are known."""

from __future__ import annotations

from typing import Any

from joulemark.code.problems.problem import Checker, Comparison, Example, Generator, Problem

TOTAL = """
def total(values):
    result = 0
    for value in values:
        result += value
    return result
"""
TOTAL_TWICE = """
def total(values):
    for _ in range(2):
        result = 0
        for value in values:
            result += value
    return result
"""
_GENERATE = """
def generate(rng, size, shape):
    low = -9 if shape == "signed" else 0
    return ([rng.randint(low, 9) for _ in range(size)],)
"""


def total_problem(**changes: Any) -> Problem:
    """The sum of a list: linear, with a generator, brute force and examples."""
    facts: dict[str, Any] = {
        "problem_id": "total",
        "title": "Total",
        "statement": "Return the sum of the values.",
        "entry_point": "total",
        "canonical": TOTAL,
        "origin": "tests",
        "licence": "Apache-2.0",
        "examples": (Example(([1, 2, 3],), 6), Example(([],), 0)),
        "generator": Generator(_GENERATE, sizes=(1_000, 1_000_000), shapes=("plain", "signed")),
        "brute_force": "def total(values):\n    return sum(values)\n",
        "brute_force_size": 8,
        "edge_cases": (([0],),),
        "algorithms": ("sorting",),
        "difficulty": "easy",
    }
    return Problem(**{**facts, **changes})


def root_problem() -> Problem:
    """Any square root: several answers are right, and a checker of the problem decides."""
    return Problem(
        problem_id="root",
        title="Root",
        statement="Return a number whose square is given.",
        entry_point="root",
        canonical="def root(square):\n    return square ** 0.5\n",
        origin="tests",
        licence="Apache-2.0",
        inputs=((4.0,), (9.0,)),
        checker=Checker(
            Comparison.CHECKER,
            source="def check(args, expected, got):\n    return abs(got * got - args[0]) < 1e-6\n",
        ),
    )


def scripted_problem() -> Problem:
    """A problem that comes with a test script, as HumanEval's do."""
    return Problem(
        problem_id="double",
        title="Double",
        statement="Return twice the number.",
        entry_point="double",
        canonical="def double(number):\n    return 2 * number\n",
        origin="tests",
        licence="Apache-2.0",
        test_source="def check(candidate):\n    for n in range(5):\n        assert candidate(n) == 2 * n\n",
    )
