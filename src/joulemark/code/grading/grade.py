"""Grading one program on a problem's tests: which are right, what each took, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from joulemark.code.cases.case import Case
from joulemark.code.contain.called import Called
from joulemark.code.contain.cell import Cell
from joulemark.code.contain.ended import Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge, passes_script
from joulemark.code.grading.shown import shown_input, wrong_result
from joulemark.code.inside.packed import pack
from joulemark.code.inside.plain import Plain
from joulemark.code.measuring.observed import Ran, ended_run, observed_run
from joulemark.code.problems.problem import Problem, program_id
from joulemark.record.code_run import CodeRun, Outcome, Purpose
from joulemark.record.reason import Reason


@dataclass(frozen=True, slots=True)
class Grade:
    """Whether a program is right on every test, with one run for each that was made.

    ``outcome``: how the first one ended that was not right, else ``RETURNED``; ``detail`` says more.
    ``inputs``: what a test script called the program with, where there was one; ``results``: what the program
    returned there, one for each where it passed.
    """

    is_correct: bool
    outcome: Outcome
    detail: str
    runs: tuple[CodeRun, ...]
    inputs: tuple[tuple[Plain, ...], ...] = ()
    results: tuple[Plain, ...] = ()


def grade(sandbox: Sandbox, problem: Problem, cases: Sequence[Case], ran: Ran) -> Grade:
    """Grade a program. Tests after the first that is not right are not run: they could change nothing.

    Raises `InputError` where the problem's own parts fail.
    """
    runs: list[CodeRun] = []
    inputs: list[tuple[Plain, ...]] = []
    if not cases and problem.test_source is None:
        return Grade(False, Outcome.RETURNED, "the problem has no tests", ())
    under: Case | None = None
    try:
        with sandbox.cell() as cell, Judge(sandbox, problem) as judge:
            cell.load(ran.source(problem), problem.entry_point)
            for case in cases:
                under = case
                called = cell.call([case.sent])
                right = called.outcome is Outcome.RETURNED and judge.is_right(case, called.values[0])
                run = observed_run(called, ran, Purpose.TEST, right, case=case.number, size=case.size)
                runs.append(run if right else replace(run, detail=_why(case, called)))
                if not right:
                    return _not_right(called, runs, inputs, f"test {case.number}")
            under = None
            if problem.test_source is not None:
                return _by_script(sandbox, problem, cell, ran, runs, inputs)
    except Ended as ended:
        run = ended_run(ended, ran, Purpose.TEST, sandbox.limits, case=len(runs))
        runs.append(run if under is None else replace(run, detail=_on_test(under, ended.detail)))
        return Grade(False, ended.outcome, ended.detail, tuple(runs), tuple(inputs))
    return Grade(True, Outcome.RETURNED, "", tuple(runs), tuple(inputs))


def _why(case: Case, called: Called) -> str:
    """Say what a program made of a test that it does not pass."""
    if called.outcome is Outcome.RETURNED:
        return wrong_result(case, called.values[0])
    return _on_test(case, called.detail)


def _on_test(case: Case, detail: str) -> str:
    return f"{detail} (test {case.number}, on {shown_input(case)})".lstrip()


class _NotReturned(Exception):
    """A call ended in another way than by a result."""


def _by_script(
    sandbox: Sandbox,
    problem: Problem,
    cell: Cell,
    ran: Ran,
    runs: list[CodeRun],
    inputs: list[tuple[Plain, ...]],
) -> Grade:
    """Let the problem's test script call the program: every call is a run; the script says what is right."""
    calls: list[Called] = []

    def call(args: tuple[Plain, ...]) -> Plain:
        inputs.append(args)
        called = cell.call([pack(args)])
        calls.append(called)
        if called.outcome is not Outcome.RETURNED:
            raise _NotReturned
        return called.values[0]

    first, failure = len(runs), "it ended"
    try:
        failure = passes_script(sandbox, problem, call) or ""
    except _NotReturned:
        runs += [
            observed_run(one, ran, Purpose.TEST, False if one is calls[-1] else None, case=first + i)
            for i, one in enumerate(calls)
        ]
        return _not_right(calls[-1], runs, inputs, f"call {len(calls)}")
    except Ended:
        runs += [observed_run(one, ran, Purpose.TEST, None, case=first + i) for i, one in enumerate(calls)]
        raise
    # The script judges the calls together: where it fails, nobody knows which of them was wrong.
    right = None if failure else True
    runs += [observed_run(one, ran, Purpose.TEST, right, case=first + i) for i, one in enumerate(calls)]
    if not failure:
        results = tuple(one.values[0] for one in calls)
        return Grade(True, Outcome.RETURNED, "", tuple(runs), tuple(inputs), results)
    return Grade(False, Outcome.RETURNED, failure, (*runs, _verdict(ran, len(calls), failure)), tuple(inputs))


def _verdict(ran: Ran, n_calls: int, failure: str) -> CodeRun:
    """Return what a test script says of ``n_calls`` calls: a row, for the record holds all that decides."""
    row = CodeRun(
        problem=ran.problem,
        program=program_id(ran.program),
        role=ran.role,
        purpose=Purpose.VERDICT,
        outcome=Outcome.RETURNED,
        correct=False,
        sample=ran.sample,
        n_calls=n_calls,
        detail=failure,
    )
    nothing = [name for name, value in asdict(row).items() if value is None]
    return replace(row, reasons=dict.fromkeys(nothing, Reason.NOT_APPLICABLE.value))


def _not_right(
    called: Called, runs: Sequence[CodeRun], inputs: Sequence[tuple[Plain, ...]], where: str
) -> Grade:
    detail = called.detail or f"wrong on {where}"
    return Grade(False, called.outcome, detail, tuple(runs), tuple(inputs))
