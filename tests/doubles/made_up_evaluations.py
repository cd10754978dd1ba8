"""Evaluations that never ran: their records are made as real ones are, their rows are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from doubles.made_up_code_runs import evaluation
from doubles.small_problems import total_problem
from joulemark.code.contain.containment import WHOLE, Containment
from joulemark.code.evaluation.environment import environment_of
from joulemark.code.evaluation.job import Answer, Done
from joulemark.code.evaluation.journal import CodeJournal, Recorded
from joulemark.code.evaluation.record import EvaluationRecord, new_record, write_record
from joulemark.code.evaluation.settings import Settings
from joulemark.record.code_run import CodeRun

NO_LANDLOCK = Containment(True, False, True, ("limits on files by Landlock: none here",))


def record_of(
    model: str = "a model",
    *,
    containment: Containment = WHOLE,
    answers: Sequence[str] = ("sum(values)",),
    n_problems: int = 4,
    **settings: Any,
) -> EvaluationRecord:
    """A record of answers to problems ``p00`` and on; ``settings`` differ from the defaults."""
    problems = [total_problem(problem_id=f"p{k:02}") for k in range(n_problems)]
    given = [Answer(n, f"def total(values):\n    return {one}\n") for n, one in enumerate(answers)]
    asked = {problem.problem_id: given for problem in problems}
    return new_record(model, problems, asked, Settings(**settings), environment_of(containment))


def write_evaluation(directory: Path, record: EvaluationRecord, recorded: Recorded) -> Path:
    """Write what `joulemark code report` reads."""
    write_record(directory, record)
    journal = CodeJournal(directory)
    for done in done_of(record, recorded):
        journal.append(done)
    journal.close()
    return directory


def done_of(record: EvaluationRecord, recorded: Recorded) -> list[Done]:
    """Return the rows as what came of jobs, of the programs that the record names."""

    def named(run: CodeRun) -> CodeRun:
        facts = record.problems.get(run.problem)
        if facts is None:
            return run
        digest = record.references[run.problem] if run.sample is None else facts.programs[run.sample]
        return replace(run, program=digest)

    return [
        Done(problem, tuple(map(named, runs)), is_control=problem not in record.problems)
        for problem, runs in recorded.runs.items()
    ]


def rows_of(ratios: Sequence[float], **how: Any) -> Recorded:
    """Rows of one answer a problem, so many times as slow as the reference."""
    runs: dict[str, list[CodeRun]] = {}
    for run in evaluation(ratios, **how):
        runs.setdefault(run.problem, []).append(run)
    return Recorded({problem: tuple(mine) for problem, mine in runs.items()}, {})
