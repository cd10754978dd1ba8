from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.code.problems.problem import ALGORITHMS, Problem
from joulemark.code.problems.registry import built_in, load_problems
from joulemark.code.problems.statistics import code_lines, statistics_of


def _problem(number: int, algorithms: tuple[str, ...], difficulty: str | None, words: int) -> Problem:
    return Problem(
        problem_id=str(number),
        title="T",
        statement=" ".join(["word"] * words),
        entry_point="f",
        canonical="def f(x):\n    return x\n" + "\nY = 1\n" * number,
        origin="tests",
        licence="Apache-2.0",
        algorithms=algorithms,
        difficulty=difficulty,
    )


def test_a_problem_counts_in_each_of_its_classes_and_once_in_all() -> None:
    found = statistics_of(
        [
            _problem(0, ("greedy", "sorting"), "easy", 10),
            _problem(1, ("sorting", "heap"), "hard", 20),
            _problem(2, ("graph",), None, 60),
        ]
    )
    rows = {row.name: row for row in found.classes}
    assert tuple(rows) == ALGORITHMS
    assert rows["greedy"].n_problems == 1
    assert rows["sorting"].n_problems == 2
    assert rows["sorting"].by_difficulty == {"easy": 1, "medium": 0, "hard": 1}
    assert rows["sorting"].mean_words == 15
    assert rows["sorting"].mean_lines == 2.5
    assert rows["backtracking"].mean_words is None
    assert rows["backtracking"].mean_lines is None
    assert found.total.n_problems == 3
    assert found.total.mean_words == 30
    assert found.total.mean_lines == 3
    assert found.n_unclassified == 1


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("", 0),
        ("# only a comment\n\n", 0),
        ('def f():\n    """One.\n\n    Two.\n    """\n    return 1  # said\n', 2),
        ('"""Module."""\n\nclass A:\n    """Doc."""\n\n    x = 1\n', 2),
        ("x = '''\n\na\n'''\n", 3),
        ("this is no python\n# at all\n", 1),
    ],
)
def test_lines_are_those_with_code(source: str, lines: int) -> None:
    assert code_lines(source) == lines


def test_the_built_in_set_and_published_ones_have_statistics(data_dir: Path) -> None:
    found = statistics_of(built_in())
    assert found.total.n_problems == len(built_in())
    assert found.n_unclassified == 0
    humaneval = statistics_of(load_problems(data_dir / "code" / "humaneval" / "HumanEval.jsonl.gz"))
    assert humaneval.n_unclassified == humaneval.total.n_problems == 164
    assert humaneval.total.mean_lines is not None
    assert 5 < humaneval.total.mean_lines < 15
