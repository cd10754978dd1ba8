from __future__ import annotations

import json
from pathlib import Path

import pytest

from doubles.apart import checked
from joulemark.code.problems.problem import Comparison, Problem
from joulemark.code.problems.registry import ProblemSet, load_problems
from joulemark.record.errors import InputError


@pytest.fixture(scope="module")
def humaneval(data_dir: Path) -> ProblemSet:
    return load_problems(data_dir / "code" / "humaneval" / "HumanEval.jsonl.gz")


def _row(**changes: str) -> str:
    fields = {
        "task_id": "own/0",
        "prompt": 'def twice(x):\n    """Return 2x."""\n',
        "entry_point": "twice",
        "canonical_solution": "    return 2 * x\n",
        "test": "def check(candidate):\n    assert candidate(1) == 2\n",
    }
    return json.dumps({**fields, **changes}) + "\n"


def _load(tmp_path: Path, text: str) -> tuple[Problem, ...]:
    path = tmp_path / "problems.jsonl"
    path.write_text(text)
    return load_problems(path).problems


def test_every_canonical_solution_passes_its_own_script(humaneval: ProblemSet) -> None:
    assert humaneval.kind == "humaneval"
    assert len(humaneval) == 164
    results = checked([(one.canonical, one.entry_point, one.test_source) for one in humaneval])
    assert results == [True] * 164


def test_scripts_fail_programs_that_do_nothing(humaneval: ProblemSet) -> None:
    idle = "def {}(*args):\n    return None\n"
    jobs = [(idle.format(one.entry_point), one.entry_point, one.test_source) for one in humaneval]
    assert all(result is not True for result in checked(jobs))


def test_scripts_bring_what_they_take_from_the_prompt(humaneval: ProblemSet) -> None:
    scripts = {one.problem_id: one.test_source or "" for one in humaneval}
    assert "def poly" in scripts["HumanEval/32"]
    assert "def encode_cyclic" in scripts["HumanEval/38"]
    assert "def decode_cyclic" not in scripts["HumanEval/38"]
    assert "sort_third" not in scripts["HumanEval/33"]  # it calls the function under test by its name


def test_cases_carry_the_comparison_of_their_asserts(humaneval: ProblemSet) -> None:
    problems = humaneval.by_id()
    first = problems["HumanEval/0"]
    assert first.inputs[0] == ([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.3)
    assert first.expected is not None
    assert first.expected[:2] == (True, False)
    assert problems["HumanEval/4"].checker.comparison is Comparison.CLOSE
    assert problems["HumanEval/56"].checker.comparison is Comparison.CHECKER
    assert problems["HumanEval/38"].inputs == ()
    assert sum(len(one.inputs) for one in humaneval) > 1000


def test_prompts_are_kept_and_statements_are_docstrings(humaneval: ProblemSet) -> None:
    problem = humaneval.by_id()["HumanEval/53"]
    assert problem.completes_prompt
    assert problem.prompt is not None
    assert problem.prompt.startswith("\n\ndef add(x: int, y: int):")
    assert problem.statement.startswith("Add two numbers")


def test_the_smallest_problem_is_read(data_dir: Path) -> None:
    (problem,) = load_problems(data_dir / "code" / "humaneval" / "example_problem.jsonl")
    assert checked([(problem.canonical, problem.entry_point, problem.test_source)]) == [True]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"entry_point": "thrice"}, "does not define 'thrice'"),
        ({"entry_point": "1x"}, "must be a name of Python"),
        ({"test": "def check(other):\n    pass\n"}, "check(candidate)"),
        ({"test": "def check(candidate:\n"}, "is no Python in its line 1"),
        ({"canonical_solution": "  return (\n"}, "no Python"),
        ({"prompt": ""}, "is empty"),
        ({"task_id": "x" * 5000}, "must be a short text"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, changes: dict[str, str], why: str) -> None:
    with pytest.raises(InputError, match="line 2 cannot be used") as caught:
        _load(tmp_path, _row() + _row(**{"task_id": "own/1", **changes}))
    assert why in caught.value.why


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2 cannot be used.*'own/0' is that of .*line 1"):
        _load(tmp_path, _row() + _row())
