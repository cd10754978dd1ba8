from __future__ import annotations

import json
from pathlib import Path

import pytest

from doubles.apart import checked, run_apart
from joulemark.code.inside.plain import Linked, Tree
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.registry import ProblemSet, load_problems
from joulemark.record.errors import InputError

_REVERSED = """
class Solution:
    def turned(self, head: Optional[ListNode]) -> Optional[ListNode]:
        before = None
        while head:
            head.next, before, head = before, head, head.next
        return before
"""
_RECORD = {
    "problem_idx": 1,
    "task_name": "Turned",
    "markdown_description": "Turn a list round.",
    "canonical_solution": _REVERSED,
    "test_case": (
        "solution = Solution()\n"
        "assert solution.turned(ListNode(1, ListNode(2))) == ListNode(2, ListNode(1))\n"
        "assert solution.turned(None) == None\n"
    ),
    "small_test_cases": "solution = Solution()\nassert solution.turned(None) == None\n",
}


@pytest.fixture(scope="module")
def effibench(data_dir: Path) -> ProblemSet:
    return load_problems(data_dir / "code" / "effibench" / "EffiBench_Qwen2.5-0.5B.sample2.json")


def _load(tmp_path: Path, **changes: object) -> Problem:
    path = tmp_path / "records.json"
    path.write_text(json.dumps([{**_RECORD, **changes}]))
    (problem,) = load_problems(path)
    return problem


def _passes(problem: Problem, program: str) -> object:
    (result,) = checked([(problem.prelude + "\n" + program, problem.entry_point, problem.test_source)])
    return result


def test_genuine_records_are_read_and_their_solutions_pass(effibench: ProblemSet) -> None:
    assert effibench.kind == "effibench"
    assert [one.entry_point for one in effibench] == [
        "Solution.partitionArray",
        "Solution.maxNumberOfFamilies",
    ]
    for problem in effibench:
        assert _passes(problem, problem.canonical) is True
        assert len(problem.inputs) == 100
        assert problem.expected is not None
        assert len(problem.examples) == 3
    wrong = effibench.problems[0].canonical.replace("b - a > k", "b - a >= k")
    assert _passes(effibench.problems[0], wrong) == "AssertionError: "


def test_the_prompt_holds_description_and_small_tests(effibench: ProblemSet) -> None:
    prompt = effibench.problems[0].prompt or ""
    assert "You are given an integer array `nums`" in prompt
    assert "assert solution.partitionArray([3,6,1,2,5], 2) == 2" in prompt
    assert "`Solution`" in prompt


def test_its_own_generator_makes_inputs(effibench: ProblemSet) -> None:
    sources = [[one.generator.source] for one in effibench if one.generator is not None]
    made = run_apart(
        """
def job(source):
    generate = load(source)["generate"]
    first, again = (generate(random.Random(3), 10, "") for _ in range(2))
    assert first == again and type(first) is tuple
    return [first, generate(random.Random(4), 10, "")]
""",
        sources,
    )
    assert len(made) == 2
    for first, other in made:
        assert len(first) == 2
        assert first != other


def test_linked_lists_are_data_and_are_compared_by_what_they_hold(tmp_path: Path) -> None:
    problem = _load(tmp_path)
    assert problem.inputs == ((Linked((1, 2)),), (None,))
    assert problem.expected == (Linked((2, 1)), None)
    assert _passes(problem, _REVERSED) is True
    assert str(
        _passes(problem, "class Solution:\n    def turned(self, head):\n        return head\n")
    ).startswith("AssertionError")


def test_trees_are_data(tmp_path: Path) -> None:
    problem = _load(
        tmp_path,
        canonical_solution="class Solution:\n    def depth(self, root):\n        return 1\n",
        test_case="assert solution.depth(TreeNode(1, None, TreeNode(2, TreeNode(3)))) == 1\n",
        small_test_cases="",
    )
    assert problem.inputs == ((Tree((1, None, 2, 3)),),)


def test_builtins_are_pythons_own_below_the_star_imports(tmp_path: Path) -> None:
    problem = _load(
        tmp_path,
        canonical_solution="class Solution:\n    def f(self, x):\n        return pow(x, 2, 7) + gcd(4, 6)\n",
        test_case="assert solution.f(3) == 4\n",
        small_test_cases="",
    )
    assert _passes(problem, problem.canonical) is True


def test_tags_are_taken_where_a_record_has_them(tmp_path: Path) -> None:
    problem = _load(tmp_path, difficulty="Medium", algorithms=["Two Pointers", "Linked List"])
    assert (problem.difficulty, problem.algorithms) == ("medium", ("two_pointers", "linked_list"))
    assert _load(tmp_path).difficulty is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"canonical_solution": "def turned(head):\n    return head\n"}, "defines no class Solution"),
        ({"test_case": "assert solution.other(1) == 1"}, "no method"),
        ({"test_case": "assert ("}, '"test_case" is no Python'),
        ({"problem_idx": [1]}, '"problem_idx" must be a text'),
        ({"problem_idx": 10**30}, '"problem_idx"'),
        ({"test_case": 5}, '"test_case" must be a text, but it is a whole number'),
    ],
)
def test_a_bad_record_is_named(tmp_path: Path, changes: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match="item 1 cannot be used") as caught:
        _load(tmp_path, **changes)
    assert why in caught.value.why
