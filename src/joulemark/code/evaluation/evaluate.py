"""Evaluating a set of answers: plan, carry out, journal; the same command goes on where it stopped."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from joulemark.code.contain.containment import Containment
from joulemark.code.evaluation.comparable import what_differs
from joulemark.code.evaluation.environment import environment_of
from joulemark.code.evaluation.executor import CodeExecutor
from joulemark.code.evaluation.job import Answer, Done, Job, is_scalable
from joulemark.code.evaluation.journal import CodeJournal, Recorded
from joulemark.code.evaluation.order import expected_information
from joulemark.code.evaluation.record import FILE, EvaluationRecord, new_record, read_record, write_record
from joulemark.code.evaluation.scaled_sizes import ScaledSizes
from joulemark.code.evaluation.settings import FigureSet, Settings
from joulemark.code.evaluation.sound import read_rows
from joulemark.code.measuring.baseline import LEAST_REPEATS, NOTHING, REPEATS
from joulemark.code.problems.problem import Problem
from joulemark.files.locks import FileLock, LockHeld
from joulemark.metrics.code.baseline import baseline_of
from joulemark.record.code_run import CodeRun
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
    record = new_record(model, wanted, answers, settings, environment_of(containment), executor.n_workers)
    with _only_here(directory):
        record = _begun(directory, record)
        before = read_rows(directory, record)
        sizes = ScaledSizes(record.environment_id)
        jobs = [job for job in _jobs(wanted, answers, settings, sizes) if job.job_id not in before.done]
        # what a program left to the next evaluation of it, or knew before this one, is of no use to it
        jobs = [replace(job, draw=record.created_utc) for job in jobs]
        left = sum(not job.is_control for job in jobs)
        watcher.started(len(wanted), len(wanted) - left)
        by_id = {problem.problem_id: problem for problem in wanted}
        journal = CodeJournal(directory)
        control_runs = [run for runs in before.controls.values() for run in runs]
        results = executor.run(_stages(jobs, control_runs), containment)
        try:
            for done in results:
                journal.append(done)
                if done.is_control:
                    control_runs += done.runs
                    continue
                if done.size is not None:
                    sizes.keep(by_id[done.problem_id], done.size)
                watcher.finished(done)
        finally:
            with contextlib.suppress(AttributeError):
                results.close()  # type: ignore[attr-defined]  # a generator ends its workers
            journal.close()
        return record, read_rows(directory, record)


def _stages(jobs: Sequence[Job], control_runs: Sequence[CodeRun]) -> Iterator[list[Job]]:
    """Yield the controls, then the jobs that have what these found, by ``control_runs``, taken off.

    Every job has the same baseline, that of the report, also where an evaluation goes on.
    """
    yield [job for job in jobs if job.is_control]
    baseline = baseline_of(control_runs)
    yield [replace(job, baseline=baseline) for job in jobs if not job.is_control]


def _jobs(
    problems: Sequence[Problem],
    answers: Mapping[str, Sequence[Answer]],
    settings: Settings,
    sizes: ScaledSizes,
) -> list[Job]:
    """Return the controls, then one job a problem, those that tell most first."""
    ordered = sorted(problems, key=lambda one: expected_information(one, answers[one.problem_id]))
    jobs = [
        Job(problem, tuple(answers[problem.problem_id]), settings, sizes.of(problem)) for problem in ordered
    ]
    if not settings.measure:
        return jobs
    # whatever the answers are: every model's band is of the same problems
    of_all = sorted(problems, key=lambda one: expected_information(one, ()))
    return [*_controls(of_all, settings, sizes), *jobs]


def _controls(ordered: Sequence[Problem], settings: Settings, sizes: ScaledSizes) -> list[Job]:
    """Return the jobs that measure nothing, and references against themselves, whatever is right.

    ``same_problems`` of those that scale, spread over all: the hard ones alone would not stand for them.
    """
    scalable = [problem for problem in ordered if is_scalable(problem)]
    n = min(settings.same_problems, len(scalable)) if settings.wants(FigureSet.CORRECTED) else 0
    chosen = [scalable[i * len(scalable) // n] for i in range(n)] or [NOTHING]
    # together at least as many as one control alone makes: here and there on the machine, now and later
    repeats = max(LEAST_REPEATS, -(-REPEATS // len(chosen)))
    return [
        Job(problem, (), settings, sizes.of(problem), is_control=True, baseline_runs=repeats)
        for problem in chosen
    ]


def _begun(directory: Path, record: EvaluationRecord) -> EvaluationRecord:
    """Return the directory's record; the new one is written where there is none."""
    if (directory / FILE).exists():
        there = read_record(directory)
        if there.evaluation_id != record.evaluation_id:
            raise InputError(
                f"{directory} holds another evaluation",
                why=f"it differs in {what_differs(there, record)}: rows would be mixed",
                fix=f"give its options again to go on with it, or begin another with --into {directory}-2",
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
