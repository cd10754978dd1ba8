"""Rows of a journal held against the record of the evaluation that they are said to be of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from joulemark.code.evaluation.journal import Recorded, read_journal
from joulemark.code.evaluation.record import DIGESTS_SINCE, EvaluationRecord
from joulemark.metrics.code.sample import samples_of
from joulemark.record.code_run import REFERENCE, CodeRun

_AGAIN = "the command that made them does it again"


def read_rows(directory: Path, record: EvaluationRecord) -> Recorded:
    """Return the rows of a directory that are of its record. Raises `InputError` for a file that is none."""
    return held_against(record, read_journal(directory, must_have_digests=record.procedure >= DIGESTS_SINCE))


def held_against(record: EvaluationRecord, recorded: Recorded) -> Recorded:
    """Return what is recorded without problems whose rows are not of this evaluation."""
    found = {problem: _fault(record, problem, runs) for problem, runs in recorded.runs.items()}
    faults = {problem: f"{fault}: {_AGAIN}" for problem, fault in found.items() if fault is not None}
    if not faults:
        return recorded
    kept = {problem: runs for problem, runs in recorded.runs.items() if problem not in faults}
    return replace(recorded, runs=kept, unsound={**recorded.unsound, **faults})


def open_problems(record: EvaluationRecord, recorded: Recorded) -> tuple[str, ...]:
    """Return the problems of an evaluation of which nothing is told yet: it was interrupted, or goes on.

    What takes longest ends last, so they are no chance draw: figures without them lean towards what is good.
    """
    told = {*recorded.runs, *recorded.unusable}
    return tuple(name for name in record.problems if name not in told)


def _fault(record: EvaluationRecord, problem: str, runs: Sequence[CodeRun]) -> str | None:
    facts = record.problems.get(problem)
    if facts is None:
        return "it is no problem of this evaluation"
    if any(run.problem != problem for run in runs):
        return "it has rows of another problem"
    reference = record.references.get(problem)
    if reference and any(run.role == REFERENCE and run.program != reference for run in runs):
        return "it has rows of another reference"
    if not facts.programs:
        return None  # a record of before names no programs
    samples = samples_of(runs)
    for sample in samples:
        programs = {run.program for run in sample.runs}
        if programs != {facts.programs.get(sample.number)}:
            return f"it has rows of other programs than sample {sample.number}"
    if samples and len(samples) < len(facts.programs):
        return f"it has no rows of {len(facts.programs) - len(samples)} samples"
    return None
