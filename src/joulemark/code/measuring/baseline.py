"""What a program that does nothing takes by the same way: to be subtracted, and published."""

from __future__ import annotations

from joulemark.code.cases.case import Case, Kind
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.packed import pack
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.problems.problem import Problem
from joulemark.record.code_run import CodeRun, Purpose

NOTHING = Problem(
    problem_id="nothing",
    title="Nothing",
    statement="Return nothing.",
    entry_point="nothing",
    canonical="def nothing():\n    return None\n",
    origin="joulemark",
    licence="Apache-2.0",
)
REPEATS = 15
"""By one control alone; several share more than twice as many."""
LEAST_REPEATS = 4


def run_baseline(sandbox: Sandbox, repeats: int = REPEATS) -> list[CodeRun]:
    """Run the program that does nothing, ``repeats`` times in fresh processes."""
    case = Case(0, Kind.GIVEN, (), pack(()), None)
    with Judge(sandbox, NOTHING) as judge:
        bench = Bench(sandbox, NOTHING, judge)
        ran = Ran(NOTHING.problem_id, NOTHING.canonical)
        return [bench.run(ran, [case], Purpose.BASELINE, pair=repeat) for repeat in range(repeats)]
