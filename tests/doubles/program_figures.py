"""Figures of a run's programs that never ran: what they are made of is chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from doubles.made_up_code_runs import MIB, MS, abba, nothing, program
from doubles.small_problems import TOTAL, TOTAL_TWICE, total_problem
from joulemark.code.contain.containment import WHOLE
from joulemark.code.evaluation.environment import environment_of
from joulemark.code.evaluation.job import Answer
from joulemark.code.evaluation.record import new_record
from joulemark.code.evaluation.settings import Settings
from joulemark.code.joined.figures import ProgramFigures
from joulemark.code.joined.source_kind import SourceKind
from joulemark.code.problems.problem import program_id
from joulemark.metrics.code.summary import summarize_code
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import Outcome, Purpose
from joulemark.record.reason import Reason

TITLE = "Total <b>of</b> all"
SOURCES = {
    "twice": TOTAL_TWICE,
    "same": TOTAL,
    "lean": "def total(values):\n    return sum(values)\n",
    "limited": "def total(values):\n    return sum(sorted(values))\n",
    "wrong": "def total(values):\n    return 0\n",
    "crashed": "import os\nos.abort()\n",
    "none": None,
}


def program_figures_of(*, measure: bool = True, **changes: Any) -> ProgramFigures:
    """A problem for each of `SOURCES`: slower, alike, of little memory, over a limit, and what is wrong."""
    problems = [total_problem(problem_id=name, title=TITLE) for name in SOURCES]
    answers = {name: [Answer(0, source)] for name, source in SOURCES.items()}
    record = new_record("m", problems, answers, Settings(measure=measure), environment_of(WHOLE))
    ids = {name: program_id(source or "") for name, source in SOURCES.items()}
    runs = [*nothing(cpu_ns=0, n=1)]
    for name, facts in {
        "wrong": {"correct": False, "case": 3},
        "crashed": {"outcome": Outcome.CRASHED, "case": 0},
        "none": {"outcome": Outcome.NO_ENTRY_POINT, "case": 0},
    }.items():
        runs.append(program(name, 0, program=ids[name], **facts))
    for name, mine_ms, facts in (
        ("twice", 40, {}),
        ("same", 20, {"peak_bytes": 4 * MIB}),
        ("lean", 20, {"peak_bytes": 0}),
        ("limited", 2_000, {"outcome": Outcome.OVER_CPU, "correct": False, "limit_ns": 2_000 * MS}),
    ):
        runs.append(program(name, 0, program=ids[name], case=0))
        if measure:
            runs += abba(name, 0, [20 * MS] * 6, [mine_ms * MS] * 6, program=ids[name], **facts)
    if measure:  # what a tie is has to be known
        controls = [run for name in ("twice", "same", "lean") for run in abba(name, 0, *[[20 * MS] * 6] * 2)]
        runs += [replace(run, purpose=Purpose.SAME) for run in controls]
    made = {
        "record": record,
        "summary": summarize_code(runs),
        "cost": None,
        "curve": (),
        "joules_per_cpu_second": withheld("J/s", Reason.NOT_MEASURED),
        "generate": Value(150.0, "J", 149.0, 151.0, "bound", n=7),
        "run_cpu_s": Value(0.04, "s", n=3),
        "run_j": withheld("J", Reason.NOT_MEASURED),
        "why_no_joules": "No meter saw the processors.",
        "source": SourceKind.MEASURED,
        "failures": {},
    }
    return ProgramFigures(**{**made, **changes})
