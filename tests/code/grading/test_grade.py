"""A program is right when the parent finds its results right, and in no other way."""

from __future__ import annotations

import pytest

from doubles.small_problems import TOTAL, root_problem, scripted_problem, total_problem
from joulemark.code.cases.make import make_cases
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.grade import Grade, grade
from joulemark.code.measuring.observed import Ran
from joulemark.code.problems.problem import Problem
from joulemark.metrics.code.sample import is_right, passes_tests
from joulemark.record.code_run import Outcome, Purpose


def graded(sandbox: Sandbox, problem: Problem, source: str) -> Grade:
    cases = make_cases(sandbox, problem, 12)
    return grade(sandbox, problem, cases, Ran(problem.problem_id, source, 0))


def test_the_canonical_solution_is_right_on_every_test(sandbox: Sandbox) -> None:
    found = graded(sandbox, total_problem(), TOTAL)
    assert found.is_correct
    assert [run.correct for run in found.runs] == [True] * 12
    assert all(run.cpu_ns is not None and run.cpu_ns > 0 for run in found.runs)


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("def total(values):\n    return 6", Outcome.RETURNED),
        ("def total(values):\n    return [*values][99]", Outcome.RAISED),
        ("def total(values):\n    import os; os._exit(0)", Outcome.EXITED),
        ("def total(values):\n    raise SystemExit(0)", Outcome.EXITED),
        ("raise SystemExit(0)", Outcome.EXITED),
        ("def total(values):\n    import ctypes; ctypes.string_at(0)", Outcome.CRASHED),
        ("def other(values):\n    return 6", Outcome.NO_ENTRY_POINT),
        ("def total(values:\n", Outcome.NOT_LOADED),
        ("import no_such_module", Outcome.NOT_LOADED),
        ("def total(values):\n    return x if (x := sum(values)) else None", Outcome.RETURNED),
        (
            "class Yes:\n    def __eq__(self, o): return True\ndef total(values):\n    return Yes()",
            Outcome.RETURNED,
        ),
        ("def total(values):\n    print(sum(values))", Outcome.RETURNED),
        ("def total(values):\n    return (sum(values) for _ in [0])", Outcome.RETURNED),
    ],
)
def test_what_is_not_right_is_never_graded_right(sandbox: Sandbox, source: str, outcome: Outcome) -> None:
    found = graded(sandbox, total_problem(), source)
    assert not found.is_correct
    assert found.outcome is outcome, found.detail
    assert found.runs[-1].correct is False


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def total(values):\n    return 6", "on ([]) it returned 6, the reference 0"),
        ("def total(values):\n    return 6 if values else 1 / 0", "division by zero (test 1, on ([]))"),
        ("import os\ndef total(values):\n    return 6 if values else os._exit(3)", " (test 1, on ([]))"),
    ],
)
def test_what_a_program_made_of_the_test_is_told(sandbox: Sandbox, source: str, said: str) -> None:
    last = graded(sandbox, total_problem(), source).runs[-1]
    assert last.case == 1
    assert last.detail.endswith(said)


def test_what_does_not_load_fails_no_test_in_particular(sandbox: Sandbox) -> None:
    assert "test" not in graded(sandbox, total_problem(), "import no_such_module").runs[-1].detail


def test_nothing_is_run_after_the_first_test_that_is_wrong(sandbox: Sandbox) -> None:
    found = graded(sandbox, total_problem(), "def total(values):\n    return 6")
    assert [run.correct for run in found.runs] == [True, False]


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("def root(square):\n    return -(square ** 0.5)", True),
        ("def root(square):\n    return square", False),
        ("def root(square):\n    return 'text'", False),
        ("def root(square):\n    return object()", False),
    ],
)
def test_a_checker_of_the_problem_decides_where_several_answers_are_right(
    sandbox: Sandbox, source: str, right: bool
) -> None:
    assert graded(sandbox, root_problem(), source).is_correct is right


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("def double(number):\n    return number + number", True),
        ("def double(number):\n    return 0", False),
        ("def double(number):\n    raise ValueError(number)", False),
        ("class Any:\n    def __eq__(self, o): return True\ndef double(number):\n    return Any()", False),
        ("import builtins\nbuiltins.AssertionError = Warning\ndef double(number):\n    return 1", False),
    ],
)
def test_a_test_script_runs_where_the_candidate_cannot_reach_it(
    sandbox: Sandbox, source: str, right: bool
) -> None:
    found = graded(sandbox, scripted_problem(), source)
    assert found.is_correct is right, found.detail
    if right:
        assert found.inputs == ((0,), (1,), (2,), (3,), (4,))
        assert [run.correct for run in found.runs] == [True] * 5
    else:
        assert found.runs[-1].correct is False


def test_what_a_test_script_says_is_no_run_of_the_program(sandbox: Sandbox) -> None:
    found = graded(sandbox, scripted_problem(), "def double(number):\n    return 2 * number or 1")
    *calls, verdict = found.runs
    assert {run.purpose for run in calls} == {Purpose.TEST}
    assert [run.correct for run in calls] == [None] * len(calls)  # which of them is wrong nobody knows
    assert (verdict.purpose, verdict.n_calls, verdict.cpu_ns) == (Purpose.VERDICT, len(calls), None)
    assert verdict.reasons["cpu_ns"]
    assert passes_tests(found.runs) is False
    assert is_right(found.runs) is False


def test_a_call_that_raises_under_a_test_script_is_one_run(sandbox: Sandbox) -> None:
    source = "def double(number):\n    return 2 * number if number < 2 else 1 / 0"
    found = graded(sandbox, scripted_problem(), source)
    assert (found.is_correct, found.outcome) == (False, Outcome.RAISED)
    assert [run.outcome for run in found.runs] == [Outcome.RETURNED] * 2 + [Outcome.RAISED]
    assert [run.correct for run in found.runs] == [None, None, False]


def test_a_problem_without_tests_has_no_right_answer(sandbox: Sandbox) -> None:
    problem = total_problem(generator=None, examples=(), edge_cases=(), brute_force=None)
    assert not graded(sandbox, problem, TOTAL).is_correct


def test_what_a_program_returned_under_a_script_is_kept_beside_its_inputs(sandbox: Sandbox) -> None:
    found = graded(sandbox, scripted_problem(), "def double(number):\n    return number + number")
    assert found.results == (0, 2, 4, 6, 8)
    assert len(found.results) == len(found.inputs)
    assert graded(sandbox, scripted_problem(), "def double(number):\n    return 1").results == ()
