"""Whether a problem may judge programs: its own parts must agree first."""

from __future__ import annotations

from joulemark.code.cases.make import make_cases
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.grade import grade
from joulemark.code.measuring.observed import Ran
from joulemark.code.problems.problem import Problem
from joulemark.record.errors import InputError

_N_TESTS = 60


def soundness(sandbox: Sandbox, problem: Problem) -> list[str]:
    """Return what is wrong with a problem, in words; nothing where it is sound.

    Tests can be made, the canonical solution agrees with examples and brute force on them, it passes the
    problem's own tests, and so does every slow solution.
    """
    try:
        cases = make_cases(sandbox, problem, _N_TESTS)
        right = {"the canonical solution": problem.canonical, **problem.slow}
        faults = []
        for number, (name, source) in enumerate(right.items()):
            graded = grade(sandbox, problem, cases, Ran(problem.problem_id, source, number))
            if not graded.is_correct:
                faults.append(f"{name}: {graded.outcome}, {graded.detail}")
        return faults
    except InputError as error:
        return [f"{error.what}: {error.why}"]
