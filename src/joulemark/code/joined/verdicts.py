"""From the runs of programs to the grades of the answers that they were in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from joulemark.code.evaluation.journal import Recorded
from joulemark.code.joined.extracted import is_cut_thinking
from joulemark.code.joined.programs import Submission
from joulemark.metrics.code.sample import passes_tests, samples_of
from joulemark.record.code_run import CodeRun, Outcome
from joulemark.record.item import Verdict
from joulemark.record.late_grade import LateGrade
from joulemark.tasks.extract import refuses
from joulemark.tasks.scorers.grade import TRUNCATING

UNUSABLE = "problem_unusable"
"""The outcome of an answer whose problem could not judge."""


def grades_of(submissions: Iterable[Submission], recorded: Recorded, evaluation: str) -> list[LateGrade]:
    """Return the grade of each answer that waits for one and whose problem is done; others are left out."""
    found = []
    for one in submissions:
        problem = one.reference.problem
        if one.item.verdict is not None or problem not in recorded.done:
            continue
        samples = {sample.number: sample.runs for sample in samples_of(recorded.runs.get(problem, ()))}
        mine = samples.get(one.sample, ())
        found.append(_grade(one, mine, evaluation, usable=problem not in recorded.failures))
    return found


def _grade(one: Submission, runs: Sequence[CodeRun], evaluation: str, *, usable: bool) -> LateGrade:
    right = passes_tests(runs) if usable else None
    verdict = _verdict(one, right)
    return LateGrade(
        item_id=one.item.item_id,
        repeat=one.item.repeat,
        verdict=verdict,
        rule=one.rule,
        answer_commitment=one.item.answer_commitment or "",
        problem=one.reference.digest,
        program=one.program,
        outcome=_outcome(one, runs, right) if usable else UNUSABLE,
        evaluation=evaluation,
    )


def _verdict(one: Submission, right: bool | None) -> Verdict | None:
    """Return what became of an answer: a right program is right wherever the token limit cut behind it."""
    if one.source is not None and right:
        return Verdict.CORRECT
    if (one.item.finish_reason or "").lower() in TRUNCATING:
        return Verdict.TRUNCATED
    if one.source is None and is_cut_thinking(one.text):
        return Verdict.TRUNCATED
    if one.source is None:
        return Verdict.REFUSED if refuses(one.text) else Verdict.UNPARSED
    return None if right is None else Verdict.WRONG


def _outcome(one: Submission, runs: Sequence[CodeRun], right: bool | None) -> str | None:
    """Return how a program's first run that was not right ended, null where none was run."""
    if one.source is None or not runs:
        return None
    bad = next((run for run in runs if run.outcome is not Outcome.RETURNED or run.correct is False), None)
    return Outcome.RETURNED.value if right or bad is None else bad.outcome.value
