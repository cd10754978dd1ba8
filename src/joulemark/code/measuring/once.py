"""One run of one program on given inputs in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from joulemark.code.cases.case import Case
from joulemark.code.contain.ended import Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.compare import same
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.plain import Plain, encode
from joulemark.code.measuring.observed import Ran, ended_run, observed_run
from joulemark.code.problems.problem import Checker, Problem
from joulemark.record.code_run import CodeRun, Outcome, Purpose

_EQUAL = Checker()


@dataclass(frozen=True, slots=True)
class Bench:
    """Where programs of one problem are run: the sandbox, the problem, and who says what is right.

    ``seed``: what the inputs are drawn by that programs are timed on.
    """

    sandbox: Sandbox
    problem: Problem
    judge: Judge
    seed: int | str = 0

    def run(
        self,
        ran: Ran,
        cases: Sequence[Case],
        purpose: Purpose,
        *,
        sample_memory_s: float | None = None,
        cpu_limit_s: float | None = None,
        rehearsal: Case | None = None,
        accepted: Sequence[Plain] = (),
        **place: Any,
    ) -> CodeRun:
        """Call a program once for each of ``cases``, in one fresh process, and look at every result.

        ``accepted``: see `judged`; for the rest `unjudged`.
        """
        run, values = self.unjudged(
            ran,
            cases,
            purpose,
            sample_memory_s=sample_memory_s,
            cpu_limit_s=cpu_limit_s,
            rehearsal=rehearsal,
            **place,
        )
        return self.judged(run, cases, values, accepted)

    def unjudged(
        self,
        ran: Ran,
        cases: Sequence[Case],
        purpose: Purpose,
        *,
        sample_memory_s: float | None = None,
        cpu_limit_s: float | None = None,
        rehearsal: Case | None = None,
        **place: Any,
    ) -> tuple[CodeRun, tuple[Plain, ...]]:
        """Call a program as `run` does, and return what it returned: nobody has looked at it.

        ``cpu_limit_s``: of the calls, where it is less than that of the sandbox. ``rehearsal``: an input that
        a copy of the program is called with before, see `Cell.load`. Raises ``ValueError`` for no case: a
        program that was given nothing is not right.
        """
        if not cases:
            raise ValueError("a program is not measured on nothing")
        place.setdefault("n_calls", len(cases))
        try:
            with self.sandbox.cell() as cell:
                before = None if rehearsal is None else encode(rehearsal.args)
                cell.load(ran.source(self.problem), self.problem.entry_point, rehearsal=before)
                called = cell.call(
                    [case.sent for case in cases], sample_memory_s=sample_memory_s, cpu_limit_s=cpu_limit_s
                )
        except Ended as ended:
            return ended_run(ended, ran, purpose, self.sandbox.limits, cpu_limit_s=cpu_limit_s, **place), ()
        correct = None if called.outcome is Outcome.RETURNED else False
        return observed_run(called, ran, purpose, correct, **place), called.values

    def judged(
        self, run: CodeRun, cases: Sequence[Case], values: Sequence[Plain], accepted: Sequence[Plain] = ()
    ) -> CodeRun:
        """Return a run of `unjudged` with whether every result is right.

        ``accepted``: for each case a result that is right whatever is expected, or empty: where a test script
        judged the program, what it returned then. Its rule is in no checker.
        """
        if run.outcome is not Outcome.RETURNED:
            return run
        known = [same(one, value, _EQUAL) for one, value in zip(accepted, values, strict=bool(accepted))]
        right = all(
            is_known or self.judge.is_right(case, value)
            for case, value, is_known in zip(cases, values, known or [False] * len(cases), strict=True)
        )
        return replace(run, correct=right)
