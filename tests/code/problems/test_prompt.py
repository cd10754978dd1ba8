from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.code.inside.plain import Linked, Tree
from joulemark.code.problems.importers.constant import constant_of
from joulemark.code.problems.problem import Checker, Comparison, Example, Problem
from joulemark.code.problems.prompt import assertions_of, prompt_of, shown
from joulemark.code.problems.registry import built_in

_TREES = st.recursive(
    st.integers(0, 9).map(lambda value: f"TreeNode({value})"),
    lambda inner: st.tuples(st.integers(0, 9), inner | st.just("None"), inner | st.just("None")).map(
        lambda parts: f"TreeNode({parts[0]}, {parts[1]}, {parts[2]})"
    ),
    max_leaves=12,
)


def _problem(**changes: Any) -> Problem:
    facts: dict[str, Any] = {
        "problem_id": "p",
        "title": "T",
        "statement": "Add the two.",
        "entry_point": "add",
        "canonical": "def add(a, b=2):\n    return a + b\n",
        "origin": "tests",
        "licence": "Apache-2.0",
        "examples": (Example((1, 2), 3), Example((1,), 3)),
    }
    return Problem(**{**facts, **changes})


def test_a_prompt_has_the_papers_parts() -> None:
    assert prompt_of(_problem()) == (
        "Write the Python function `add` that solves this task.\n\n"
        "- Answer with one ```python block that holds the whole function `add`, imports included.\n"
        "- The block must pass the tests below; do not repeat them in it, and print nothing.\n\n"
        "# Task\n\nAdd the two.\n\n"
        "# Examples\n\nInput: a = 1, b = 2\nOutput: 3\n\nInput: a = 1\nOutput: 3\n\n"
        "# Tests\n\n```python\nassert add(1, 2) == 3\nassert add(1) == 3\n```\n"
    )


def test_an_origins_own_prompt_is_kept() -> None:
    assert prompt_of(_problem(prompt="As it is")) == "As it is"


def test_a_class_and_a_program_are_asked_for_as_such() -> None:
    canonical = "class Solution:\n    def add(self, a, b):\n        return a + b\n"
    prompt = prompt_of(_problem(entry_point="Solution.add", canonical=canonical))
    assert "class `Solution` with its method `add`" in prompt
    assert "solution = Solution()\nassert solution.add(1, 2) == 3" in prompt
    assert "Input: a = 1, b = 2" in prompt
    prompt = prompt_of(_problem(entry_point="", examples=(Example(("1 2\n",), "3\n"),)))
    assert "reads standard input" in prompt
    assert "Input:\n1 2" in prompt
    assert "assert" not in prompt


@pytest.mark.parametrize(
    ("checker", "result", "line"),
    [
        (
            Checker(Comparison.CLOSE, 1e-9, 1e-9),
            0.5,
            "assert math.isclose(add(1, 2), 0.5, rel_tol=1e-09, abs_tol=1e-09)",
        ),
        (Checker(Comparison.CLOSE, 1e-9, 1e-9), 1, "assert add(1, 2) == 1"),
        (Checker(Comparison.UNORDERED), [2, 1], "assert sorted(add(1, 2)) == sorted([2, 1])"),
        (Checker(Comparison.CHECKER, source=""), 5, "add(1, 2)  # for instance 5"),
    ],
)
def test_assertions_compare_as_the_grader_does(checker: Checker, result: object, line: str) -> None:
    text = assertions_of(_problem(checker=checker, examples=(Example((1, 2), result),)))
    assert line in text.splitlines()
    assert ("import math" in text) is ("math." in line)


@given(_TREES)
def test_trees_are_shown_as_the_calls_that_make_them(text: str) -> None:
    tree = constant_of(text)
    assert isinstance(tree, Tree)
    assert constant_of(shown(tree)) == tree


def test_values_are_shown_as_python_writes_them() -> None:
    assert shown(Linked((1, "a"))) == "ListNode(1, ListNode('a'))"
    assert shown([(1,), {"a": float("inf")}]) == "[(1,), {'a': float('inf')}]"
    assert shown({1}) == "{1}"
    assert shown(Linked(())) == shown(Tree(())) == "None"


def test_prompts_of_built_in_problems_hold_statement_and_assertions() -> None:
    for problem in built_in():
        prompt = prompt_of(problem)
        assert problem.statement in prompt
        tests = prompt.rpartition("```python\n")[2].rpartition("```")[0]
        assert len(ast.parse(tests).body) >= len(problem.examples)
