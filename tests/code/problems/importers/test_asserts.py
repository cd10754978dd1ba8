from __future__ import annotations

import ast

import pytest

from joulemark.code.problems.importers.asserts import Cases, cases_of, is_name_call, script, settled
from joulemark.code.problems.problem import Comparison


def _cases(text: str) -> Cases:
    return settled(cases_of(ast.parse(text).body, is_name_call("f")))


@pytest.mark.parametrize(
    ("text", "args", "expected", "comparison"),
    [
        ("assert f(1, [2]) == (3,)", (1, [2]), (3,), Comparison.EQUAL),
        ("assert f() == None, 'said'", (), None, Comparison.EQUAL),
        ("assert f('a') is True", ("a",), True, Comparison.EQUAL),
        ("assert abs(f(1.5) - 0.5) < 1e-6", (1.5,), 0.5, Comparison.CLOSE),
        ("assert math.isclose(f(1), 2.0, rel_tol=0.001)", (1,), 2.0, Comparison.CLOSE),
        ("assert f(1)", (1,), True, Comparison.CHECKER),
        ("assert not f(1)", (1,), False, Comparison.CHECKER),
        ("assert set(f(1)) == set([2, 3])", (1,), [2, 3], Comparison.CHECKER),
    ],
)
def test_an_assert_is_a_case(text: str, args: object, expected: object, comparison: Comparison) -> None:
    cases = _cases(text)
    assert cases.inputs == (args,)
    assert cases.expected == (expected,)
    assert cases.checker.comparison is comparison


@pytest.mark.parametrize(
    "text",
    [
        "assert f(x) == 1",
        "assert f(1) == g(1)",
        "assert f(1) != 2",
        "assert f(1) < 2",
        "assert f(1) == 1 == 1",
        "assert f(a=1) == 1",
        "assert g(1) == 1",
        "assert set(f(1)) == tuple([1])",
        "assert len(f(1)) == 3",
        "assert f(f(1)) == 3",
        "assert f(1) is 5",
        "assert abs(f(1) - x) < 1",
        "assert True",
        "f(1) == 1",
    ],
)
def test_what_is_not_written_out_is_left_to_the_script(text: str) -> None:
    assert _cases(text).inputs == ()


def test_the_comparison_of_most_asserts_decides() -> None:
    cases = _cases("assert f(1) == 1\nassert f(2)\nassert f(3) == 3")
    assert cases.inputs == ((1,), (3,))
    assert cases.checker.comparison is Comparison.EQUAL


def test_a_script_is_one_function_below_its_preamble() -> None:
    source = script(ast.parse("assert candidate(1) == 'a\\nb'").body, "import math")
    assert source == "import math\n\n\ndef check(candidate):\n    assert candidate(1) == 'a\\nb'\n"
    assert script([]) == "def check(candidate):\n    pass\n"
