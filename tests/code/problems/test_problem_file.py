from __future__ import annotations

from pathlib import Path

import pytest

from doubles.apart import run_apart
from joulemark.code.problems.problem import Comparison, Problem
from joulemark.code.problems.problem_file import parse_problem, read_problem_file
from joulemark.record.errors import InputError

_SOURCE = '''"""Longest run of distinct values

Description: Return the length of the longest stretch of `values`
in which no value stands twice.
"""

import random
from collections import deque

ALGORITHMS = ("sliding_window", "hash_table")
DIFFICULTY = "easy"
ENTRY_POINT = "longest_distinct"
EXAMPLES = (
    (([1, 2, 1, 3],), 3),
    (([],), 0),
)
SHAPES = ("random", "sorted")
SIZES = (1_000, 200_000)
CHECKER = "equal"
EDGE_CASES = (([7] * 3,), ([],))
BRUTE_FORCE_SIZE = 8

_FIRST: int = 0


def longest_distinct(values: list[int]) -> int:
    """Canonical: a window."""
    last: dict[int, int] = {}
    best = start = _FIRST
    for place, value in enumerate(values):
        start = max(start, last.get(value, -1) + 1)
        last[value] = place
        best = max(best, place - start + 1)
    return best


def slow_rescan(values: list[int]) -> int:
    """Start anew at each place."""
    return max((_length(values, start) for start in range(len(values))), default=0)


def _length(values: list[int], start: int) -> int:
    seen = set()
    for value in values[start:]:
        if value in seen:
            break
        seen.add(value)
    return len(seen)


def brute_force(values: list[int]) -> int:
    """All stretches."""
    n = len(values)
    return max(
        (b - a for a in range(n) for b in range(a, n + 1) if len(set(values[a:b])) == b - a), default=0
    )


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int]]:
    """Random values."""
    values = [rng.randint(0, size) for _ in range(size)]
    return (sorted(values) if shape == "sorted" else values,)
'''
_CALLED = """
def job(program, entry_point, values):
    return entry(program, entry_point)(values)
"""


def _changed(*changes: tuple[str, str]) -> Problem:
    source = _SOURCE
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return parse_problem(source, "sliding_window_longest", place="longest.py")


def test_the_parts_of_a_file_are_a_problem() -> None:
    problem = _changed()
    assert problem.title == "Longest run of distinct values"
    assert problem.statement.startswith("Return the length")
    assert problem.statement.endswith("stands twice.")
    assert problem.algorithms == ("sliding_window", "hash_table")
    assert (problem.difficulty, problem.entry_point) == ("easy", "longest_distinct")
    assert [(one.args, one.result) for one in problem.examples] == [(([1, 2, 1, 3],), 3), (([],), 0)]
    assert problem.edge_cases == (([7, 7, 7],), ([],))
    assert problem.brute_force_size == 8
    assert problem.generator is not None
    assert problem.generator.sizes == (1000, 200000)
    assert problem.generator.shapes == ("random", "sorted")
    assert list(problem.slow) == ["slow_rescan"]


def test_every_part_is_a_program_that_stands_alone_under_the_entry_points_name() -> None:
    problem = _changed()
    assert problem.brute_force is not None
    programs = [problem.canonical, problem.slow["slow_rescan"], problem.brute_force]
    jobs = [[one, problem.entry_point, [1, 2, 3, 1, 2, 4, 4]] for one in programs]
    assert run_apart(_CALLED, jobs) == [4, 4, 4]
    assert problem.slow["slow_rescan"].endswith("longest_distinct = slow_rescan\n")
    assert "def brute_force" not in problem.canonical
    assert "def generate" not in problem.slow["slow_rescan"]


def test_the_generator_and_a_checker_of_its_own_are_programs_too() -> None:
    check = "\n\ndef check(args, expected, got):\n    return got == expected + _FIRST\n"
    problem = parse_problem(_SOURCE.replace('"equal"', '"custom"') + check, "x")
    assert problem.checker.comparison is Comparison.CHECKER
    assert problem.generator is not None
    results = run_apart(
        """
def job(generator, checker):
    made = [load(generator)["generate"](random.Random(1), 5, shape) for shape in ("random", "sorted")]
    check = load(checker)["check"]
    return [sorted(made[0][0]) == made[1][0], check((), 1, 1), check((), 1, 2)]
""",
        [[problem.generator.source, problem.checker.source]],
    )
    assert results == [[True, True, False]]


@pytest.mark.parametrize(
    ("name", "comparison", "tolerance"),
    [("unordered", "unordered", 0), ("unordered_nested", "unordered_nested", 0), ("close", "close", 1e-9)],
)
def test_checkers_by_name(name: str, comparison: str, tolerance: float) -> None:
    checker = _changed(('CHECKER = "equal"', f'CHECKER = "{name}"')).checker
    assert (checker.comparison.value, checker.rel_tol, checker.abs_tol) == (comparison, tolerance, tolerance)


def test_a_problem_without_a_generator_waits_for_one() -> None:
    source = _SOURCE[: _SOURCE.index("def generate")]
    assert parse_problem(source, "x").generator is None


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"easy"', '"simple"', "DIFFICULTY must be one of easy, medium, hard"),
        ('("sliding_window", "hash_table")', '("hash_table",)', "the first of ALGORITHMS"),
        ('"longest_distinct"\n', '"other"\n', "ENTRY_POINT must name"),
        ("([],), 0),", "([], 3), 0),", "EXAMPLES gives 2 arguments, and `longest_distinct` takes 1"),
        ("EDGE_CASES = (([7] * 3,), ([],))", "EDGE_CASES = ([7],)", "EDGE_CASES must be"),
        ("EDGE_CASES = (([7] * 3,)", "EDGE_CASES = ((list(values),)", "EDGE_CASES is no constant"),
        ("(1_000, 200_000)", "(1_000, 1_000)", "the first of SIZES"),
        ("(1_000, 200_000)", "(0, 10)", "SIZES must be two whole numbers"),
        ('SHAPES = ("random", "sorted")', "SHAPES = ()", "has no SHAPES"),
        ('CHECKER = "equal"', 'CHECKER = "custom"', "there is no `check(args, expected, got)`"),
        ('CHECKER = "equal"', "CHECKER = ['equal']", "CHECKER must be one of"),
        ("BRUTE_FORCE_SIZE = 8", "BRUTE_FORCE_SIZE = True", "BRUTE_FORCE_SIZE"),
        ("import random\n", "import numpy\n", "imports 'numpy'"),
        ("from collections import deque", "from .near import deque", "imports '.near'"),
        ("Description:", "Text:", "docstring must be a title"),
        ("_FIRST: int = 0", "FIRST = 0\n_FIRST = 0", "'FIRST' is no part of a problem"),
        ("_FIRST: int = 0", "_FIRST = 0; print()", "two statements share a line"),
        ("_FIRST: int = 0", "print('hello')", "a Expr has no place at the top level"),
        ("_FIRST: int = 0", "", "`longest_distinct` uses _FIRST, which nothing defines"),
        ("def _length", "def length", "'length' is no part of a problem"),
        ("def brute_force", "def longest_distinct", "'longest_distinct' stands twice"),
        ("    return max((_length", "    longest_distinct(values)\n    return max((_length", "does not get"),
        ("rng: random.Random, size: int, shape: str", "size: int", "must take (rng, size, shape)"),
        ("    return best", "    return (best", "it is no Python"),
        ("    return best", "    return " + "-" * 50_000 + "1", "it is no Python: nested too deep"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(old: str, new: str, why: str) -> None:
    with pytest.raises(InputError, match=r"longest\.py.* cannot be used") as caught:
        _changed((old, new))
    assert why in caught.value.why


def test_errors_name_the_line() -> None:
    with pytest.raises(InputError, match="line 23 cannot be used"):
        _changed(("_FIRST: int = 0", "FIRST: int = 0"))


def test_a_file_is_never_imported(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    path = tmp_path / "own.py"
    path.write_text(_SOURCE.replace("_FIRST: int = 0", f"_FIRST: int = open({str(mark)!r}, 'w').write('')"))
    assert read_problem_file(path).problem_id == "own"
    assert not mark.exists()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_problem_file(tmp_path / "none.py")
    path = tmp_path / "big.py"
    path.write_text("#" * (1 << 21))
    with pytest.raises(InputError, match="cannot be used"):
        read_problem_file(path)
