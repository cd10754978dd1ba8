"""Tests that a model writes are read as data and tried on the canonical solution; each has one standing."""

from __future__ import annotations

import pytest

from doubles.small_problems import root_problem, total_problem
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.drafting.direct_tests import Standing, judge_tests
from joulemark.code.problems.problem import Checker, Comparison, Problem
from joulemark.metrics.accuracy import wilson_interval

_ANSWER = """Here are the tests:

```python
assert total([4, 5]) == 9
assert total([1, 2, 3]) == 6
assert total([4, 5]) == 9
assert total([10, -10, 3]) == 4
assert total([2] * 3) == 6
assert total("a") == 1
assert total(list(map(int, "123"))) == 6
assert total([7]) == total([3, 4])
assert not total([1, -1])
assert abs(total([0.1, 0.2]) - 0.3) < 1e-6
assert total([9]) == 9
assert total([8]) == 8
```
"""


def test_each_test_has_one_standing(sandbox: Sandbox) -> None:
    found = judge_tests(sandbox, total_problem(generator=None), _ANSWER, 7)
    assert [one.standing.value for one in found.tests] == [
        "right",
        "copied",
        "repeated",
        "wrong",
        "right",
        "refused",
        "not_parsed",
        "not_parsed",
        "right",
        "right",
        "right",
        "surplus",
    ]
    assert found.n_judged == 7
    assert found.share == pytest.approx(5 / 7)
    assert found.interval == wilson_interval(5, 7)
    assert found.tests[3].detail == "the canonical solution gives 3"
    assert "TypeError" in found.tests[5].detail


def test_one_bad_line_hides_no_other(sandbox: Sandbox) -> None:
    answer = (
        "1. `assert total([1]) == 1`\n2. assert total([2) == 2\n- assert total([5, 5]) == 10\nassert total([3"
    )
    found = judge_tests(sandbox, total_problem(generator=None), answer, 10)
    assert [one.standing.value for one in found.tests] == ["right", "not_parsed", "right", "not_parsed"]


def test_nothing_written_is_no_share(sandbox: Sandbox) -> None:
    found = judge_tests(sandbox, total_problem(), "I cannot do that.", 5)
    assert (found.tests, found.share, found.interval) == ((), None, None)


def test_a_solution_that_a_test_ends_judges_the_next_one(sandbox: Sandbox) -> None:
    problem = total_problem(
        generator=None,
        canonical="import os\n\n\ndef total(values):\n    return sum(values) if values[0] else os._exit(1)\n",
    )
    answer = "assert total([0, 1]) == 1\nassert total([5]) == 5\n"
    standings = [one.standing for one in judge_tests(sandbox, problem, answer, 5).tests]
    assert standings == [Standing.REFUSED, Standing.RIGHT]


def test_the_problems_own_checker_decides(sandbox: Sandbox) -> None:
    """Any square root is right; the canonical one is not the only one."""
    answer = "assert root(16.0) == -4.0\nassert root(25.0) == 5.0\nassert root(36.0) == 7.0"
    found = judge_tests(sandbox, root_problem(), answer, 5)
    assert [one.standing.value for one in found.tests] == ["right", "right", "wrong"]


def test_methods_and_unordered_results(sandbox: Sandbox) -> None:
    problem = Problem(
        problem_id="pick",
        title="Pick",
        statement="",
        entry_point="Solution.pick",
        canonical="class Solution:\n    def pick(self, n):\n        return list(range(n))\n",
        origin="tests",
        licence="Apache-2.0",
        checker=Checker(Comparison.UNORDERED),
    )
    answer = (
        "s = Solution()\nassert Solution().pick(2) == [1, 0]\nassert sorted(s.pick(3)) == sorted([2, 1, 0])\n"
        "assert s.pick(1) == [1]\nassert pick(1) == [0]\n"
    )
    found = judge_tests(sandbox, problem, answer, 5)
    assert [one.standing.value for one in found.tests] == ["right", "right", "wrong", "not_parsed"]
