"""Evaluating a set of answers: plan, carry out, journal; the same command goes on where it stopped."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from joulemark.code.contain.containment import Containment
from joulemark.code.evaluation.environment import environment_of
from joulemark.code.evaluation.executor import CodeExecutor
from joulemark.code.evaluation.job import Answer, Done, Job
from joulemark.code.evaluation.journal import CodeJournal, Recorded, read_journal
from joulemark.code.evaluation.record import FILE, EvaluationRecord, new_record, read_record, write_record
from joulemark.code.evaluation.settings import Settings
from joulemark.code.problems.problem import DIFFICULTIES, Problem
from joulemark.files.locks import FileLock, LockHeld
from joulemark.record.errors import InputError

_LOCK = ".code.lock"


class Watcher(Protocol):
    """Is told how an evaluation goes on."""

    def started(self, n_problems: int, n_done: int) -> None:
        """So many problems, of which some were done before."""
        ...

    def finished(self, done: Done) -> None:
        """A problem is done and on the disk."""
        ...


def evaluate(
    directory: Path,
    model: str,
    problems: Sequence[Problem],
    answers: Mapping[str, Sequence[Answer]],
    settings: Settings,
    containment: Containment,
    executor: CodeExecutor,
    watcher: Watcher,
) -> tuple[EvaluationRecord, Recorded]:
    """Evaluate ``answers`` (by problem) and return the record with every row that there is.

    Ctrl-C ends it with what is done. Raises `InputError`, also for a directory of another evaluation.
    """
    wanted = [problem for problem in problems if answers.get(problem.problem_id)]
    if not wanted:
        raise InputError(
            "there is nothing to evaluate",
            why=f"no answer belongs to one of the {len(problems)} problems",
            fix="joulemark code problems   # lists the built-in ones; others are named with --problems",
        )
    record = new_record(model, wanted, answers, settings, environment_of(containment))
    with _only_here(directory):
        record = _begun(directory, record)
        before = read_journal(directory)
        jobs = [job for job in _jobs(wanted, answers, settings) if job.problem.problem_id not in before.done]
        watcher.started(len(wanted), len(wanted) - len(jobs))
        journal = CodeJournal(directory)
        results = executor.run(jobs, containment)
        try:
            for done in results:
                journal.append(done)
                watcher.finished(done)
        finally:
            with contextlib.suppress(AttributeError):
                results.close()  # type: ignore[attr-defined]  # a generator ends its workers
            journal.close()
        return record, read_journal(directory)


def _jobs(
    problems: Sequence[Problem], answers: Mapping[str, Sequence[Answer]], settings: Settings
) -> list[Job]:
    """Return one job a problem, those that tell most first: what scales, and of that the hard ones.

    The reference is measured against itself, and nothing is measured, beside the first ``same_problems``.
    """
    ordered = sorted(problems, key=_expected_information)
    same = {problem.problem_id for problem in ordered[: settings.same_problems]}
    return [
        Job(problem, tuple(answers[problem.problem_id]), settings, problem.problem_id in same)
        for problem in ordered
    ]


def _expected_information(problem: Problem) -> tuple[bool, int, str]:
    """Return what sorts problems that tell efficient programs apart before those that cannot."""
    scales = problem.generator is not None and problem.generator.sizes is not None
    hardness = DIFFICULTIES.index(problem.difficulty) if problem.difficulty in DIFFICULTIES else 0
    return (not scales, -hardness, problem.problem_id)


def _begun(directory: Path, record: EvaluationRecord) -> EvaluationRecord:
    """Return the directory's record; the new one is written where there is none."""
    if (directory / FILE).exists():
        there = read_record(directory)
        if there.evaluation_id != record.evaluation_id:
            raise InputError(
                f"{directory} holds another evaluation",
                why="other problems, answers, settings or another machine: rows of two would be mixed",
                fix="choose another directory with --into",
            )
        return there
    try:
        write_record(directory, record)
    except OSError as error:
        raise _not_writable(directory, error) from error
    return record


def _only_here(directory: Path) -> FileLock:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        return FileLock(directory / _LOCK)
    except LockHeld as held:
        raise InputError(
            f"{directory} is in use",
            why=f"{held.who} evaluates into it",
            fix="wait for it, or choose another directory with --into",
        ) from held
    except OSError as error:
        raise _not_writable(directory, error) from error


def _not_writable(directory: Path, error: OSError) -> InputError:
    return InputError(
        f"{directory} cannot be written",
        why=error.strerror or str(error),
        fix="choose another directory with --into",
    )
