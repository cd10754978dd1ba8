"""Grading the answers of a run by running their programs, once all were asked; it can be stopped and goes on.

Raw runs go to the evaluation below the run's directory (``code/``), grades to the run's own journal. Both are
synced problem by problem, so that a process killed at any moment loses the problem under way and no more.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.code.contain.containment import WHOLE, Containment
from joulemark.code.evaluation.environment import environment_of
from joulemark.code.evaluation.evaluate import Watcher, evaluate
from joulemark.code.evaluation.executor import CodeExecutor, LocalExecutor
from joulemark.code.evaluation.job import Done
from joulemark.code.evaluation.record import FILE, EvaluationRecord, new_record, read_record
from joulemark.code.evaluation.settings import Settings
from joulemark.code.evaluation.sound import read_rows
from joulemark.code.joined.programs import Submission, answers_of, submissions_of
from joulemark.code.joined.verdicts import grades_of
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.registry import OWN, load_problems
from joulemark.metrics.accuracy import is_graded_later
from joulemark.metrics.run_view import RunView
from joulemark.record.errors import InputError
from joulemark.runs.finalize import refresh
from joulemark.runs.grades import GradeJournal, read_grades
from joulemark.runs.journal import read_items
from joulemark.runs.layout import RunLayout, locked

_OWN = 0o700  # the evaluation holds the programs, and what they said: the user's alone


@dataclass(frozen=True, slots=True)
class Graded:
    """What came of grading a run: the run as it is now, and how many answers wait still.

    ``failures``: why problems could not judge, by their ids; their answers have no verdict.
    """

    view: RunView = field(repr=False)
    record: EvaluationRecord = field(repr=False)
    n_waiting: int
    failures: Mapping[str, str]


class Silent:
    """A watcher that says nothing."""

    def started(self, n_problems: int, n_done: int) -> None:
        """Say nothing."""

    def finished(self, done: Done) -> None:
        """Say nothing."""


def waits_for_grades(view: RunView) -> int:
    """Return how many answers of a run are still to be graded."""
    return sum(map(is_graded_later, view.measured_items))


def settings_under_way(root: Path) -> Settings | None:
    """Return the settings that a run's programs were evaluated with last, null where they were not yet."""
    programs = RunLayout(root).programs
    return read_record(programs).settings if (programs / FILE).exists() else None


def grade_run(
    root: Path,
    settings: Settings | None = None,
    *,
    containment: Containment = WHOLE,
    executor: CodeExecutor | None = None,
    watcher: Watcher | None = None,
) -> Graded:
    """Run the programs in a run's answers, write their grades, and make the run's tables anew.

    ``settings``: null for those of an evaluation of the run that is under way, else the defaults. Ctrl-C ends
    it with what is done; the same call goes on there. Raises `InputError`: no such run, no programs in it,
    in use, or a sandbox that cannot be started.
    """
    layout = RunLayout(root)
    model = layout.read_manifest().engine.model
    with locked(layout):
        rows, _ = read_items(layout.items_journal)
        unique = {row.item.key: row for row in reversed(rows)}
        kept = _kept(layout)
        submissions = submissions_of(unique.values(), kept.problems)
        _require_same_problems(submissions, kept.digests)
        answers = answers_of(submissions)
        asked = [problem for name, problem in kept.problems.items() if name in answers]
        chosen = settings or settings_under_way(root) or Settings()
        record = _make_room(layout, new_record(model, asked, answers, chosen, environment_of(containment)))
        try:
            record, recorded = evaluate(
                layout.programs,
                model,
                asked,
                answers,
                chosen,
                containment,
                executor or LocalExecutor(),
                watcher or Silent(),
            )
        finally:
            # whatever ended it: what is done counts
            _note(layout, submissions, record.evaluation_id)
        return Graded(view := refresh(layout), record, waits_for_grades(view), dict(recorded.failures))


@dataclass(frozen=True, slots=True)
class _Kept:
    """The problems of a run by id, and the digest of each as the run keeps it."""

    problems: Mapping[str, Problem]
    digests: Mapping[str, str]


def _kept(layout: RunLayout) -> _Kept:
    if not layout.problems.exists():
        raise InputError(
            f"{layout.root} holds no programs to grade",
            why="no problems are kept in it: its answers were graded as they came, or not at all",
            fix="joulemark report RUN   # shows what it holds",
        )
    problems = load_problems(layout.problems, kind=OWN).problems
    lines = [line for line in layout.problems.read_bytes().split(b"\n") if line.strip()]
    digests = [hashlib.sha256(line).hexdigest() for line in lines]
    ids = [problem.problem_id for problem in problems]
    return _Kept(dict(zip(ids, problems, strict=True)), dict(zip(ids, digests, strict=True)))


def _require_same_problems(submissions: Sequence[Submission], digests: Mapping[str, str]) -> None:
    for one in submissions:
        if digests[one.reference.problem] != one.reference.digest:
            raise InputError(
                f"the answer to {one.item.item_id} cannot be graded",
                why="its problem in problems.jsonl is not the one that was asked",
                fix="restore the file, or run again into another directory with --out DIR",
            )


def _make_room(layout: RunLayout, record: EvaluationRecord) -> EvaluationRecord:
    """Put another evaluation of the run aside, under its name, and take this one back where it lies there.

    Answers that came since, or other settings, make another evaluation. Its rows are kept, as all raw runs.
    """
    here = layout.programs
    if (here / FILE).exists() and (held := read_record(here).evaluation_id) != record.evaluation_id:
        _moved(here, _aside(here, held))
    there = _aside(here, record.evaluation_id)
    if there.exists() and not here.exists():
        _moved(there, here)
    try:
        here.mkdir(mode=_OWN, exist_ok=True)
    except OSError as error:
        raise _not_writable(here, error) from error
    return record


def _aside(here: Path, evaluation_id: str) -> Path:
    return here.with_name(f"{here.name}-{evaluation_id}")


def _moved(source: Path, target: Path) -> None:
    try:
        os.rename(source, target)
    except OSError as error:
        raise _not_writable(source, error) from error


def _not_writable(place: Path, error: OSError) -> InputError:
    return InputError(
        f"{place} cannot be made or moved",
        why=error.strerror or str(error),
        fix="make the run's directory one that you may write in",
    )


def _note(layout: RunLayout, submissions: Sequence[Submission], evaluation_id: str) -> None:
    """Write the grades that are not in the journal yet."""
    known, _ = read_grades(layout.grades_journal)
    recorded = read_rows(layout.programs, read_record(layout.programs))
    grades = grades_of(submissions, recorded, evaluation_id)
    new = [grade for grade in grades if known.get((*grade.key, grade.answer_commitment)) != grade]
    if new:
        with GradeJournal(layout.grades_journal) as journal:
            journal.extend(new)
