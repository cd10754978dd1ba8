"""Tests are the same for every model, and a problem whose parts disagree makes none."""

from __future__ import annotations

import pytest

from doubles.small_problems import root_problem, total_problem
from joulemark.code.cases.case import Kind
from joulemark.code.cases.make import make_cases
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.problems.problem import Checker, Comparison, Example, Generator
from joulemark.record.errors import InputError


def test_examples_and_edge_cases_come_first_and_made_ones_fill_up(sandbox: Sandbox) -> None:
    cases = make_cases(sandbox, total_problem(), 40)
    assert [case.kind for case in cases[:4]] == [Kind.EXAMPLE, Kind.EXAMPLE, Kind.EDGE, Kind.GENERATED]
    assert [case.number for case in cases] == list(range(40))
    assert all(case.expected == sum(case.args[0]) for case in cases)
    assert {case.shape for case in cases[3:]} == {"plain", "signed"}
    sizes = [case.size or 0 for case in cases[3:]]
    assert min(sizes) <= 2
    assert 500 < max(sizes) <= 1_000


def test_the_same_seed_gives_the_same_tests_and_another_gives_others(sandbox: Sandbox) -> None:
    first, again, other = (make_cases(sandbox, total_problem(), 20, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_given_inputs_are_all_kept(sandbox: Sandbox) -> None:
    assert len(make_cases(sandbox, root_problem(), 1)) == 2


NEARLY = Checker(
    Comparison.CHECKER,
    source="def check(args, expected, got):\n    return got >= 0 and abs(got - expected) <= 1\n",
)
"""A checker of the problem, to which several results are right."""


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"checker": NEARLY, "examples": (Example(([1],), 3),)}, "wrong on an example"),
        (
            {"checker": NEARLY, "brute_force": "def total(values):\n    return sum(values) + 2"},
            "brute force differ",
        ),
        ({"checker": NEARLY, "canonical": "def total(values):\n    return -1"}, "wrong on an example"),
        ({"inputs": (([4, 5],), ([6],)), "expected": (9, 7)}, "expected result of its own"),
        ({"checker": NEARLY, "inputs": (([4, 5],),), "expected": (7,)}, "expected result of its own"),
        (
            {"brute_force": "def total(values):\n    return sum(values) + (len(values) == 3)"},
            "brute force differ",
        ),
        ({"examples": (Example(([1],), 2),)}, "wrong on an example"),
        ({"canonical": "def total(values):\n    return 1 / 0"}, "canonical solution failed"),
        (
            {"generator": Generator("def generate(r, s, h):\n    return [1]", (10, 20))},
            "generator of total failed",
        ),
        (
            {"generator": Generator("def generate(r, s, h):\n    while 1: pass", (10, 20))},
            "timed_out|over_cpu",
        ),
        ({"generator": Generator("nonsense(", (10, 20))}, "generator of total failed"),
    ],
)
def test_a_problem_whose_parts_disagree_is_refused_with_the_case(
    sandbox: Sandbox, change: dict[str, object], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        make_cases(sandbox, total_problem(**change), 30)


def test_other_results_that_the_problems_checker_takes_are_no_disagreement(sandbox: Sandbox) -> None:
    changes = {
        "checker": NEARLY,
        "generator": Generator("def generate(r, s, h):\n    return ([1] * s,)", (10, 20)),
        "brute_force": "def total(values):\n    return sum(values) + 1",
        "examples": (Example(([1],), 2),),
        "inputs": (([4, 5],), ([6],)),
        "expected": (8, 6),
    }
    assert len(make_cases(sandbox, total_problem(**changes), 30)) == 30
