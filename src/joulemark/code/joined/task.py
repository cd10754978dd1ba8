"""A task whose answers are programs: problems of any origin as questions, and beside them what judges."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from joulemark.code.problems import registry
from joulemark.code.problems.importers import humaneval
from joulemark.code.problems.importers.rows import Row as ProblemRow
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.problem_json import to_json
from joulemark.code.problems.prompt import prompt_of
from joulemark.record.errors import InputError
from joulemark.tasks import hub
from joulemark.tasks.definition import TaskDefinition
from joulemark.tasks.references import ProblemReference, parse_problem_reference
from joulemark.tasks.registry import find_task, load_task
from joulemark.tasks.rows import DataSet, Row
from joulemark.tasks.scorers import CODE
from joulemark.tasks.task import Question, TaskSet

_HUB_READERS = {"openai/openai_humaneval": humaneval.read}


def is_code_task(definition: TaskDefinition) -> bool:
    """Tell whether the answers of a task are programs."""
    return CODE in definition.kinds


def load_any_task(task: str | TaskDefinition, **options: Any) -> TaskSet:
    """Load a task whatever its answers are; options as of `load_task`."""
    definition = find_task(task) if isinstance(task, str) else task
    if is_code_task(definition) and definition.unavailable is None:
        return load_code_task(definition, **options)
    return load_task(definition, **options)


def load_code_task(
    definition: TaskDefinition, *, data: Path | None = None, revision: str | None = None, **options: Any
) -> TaskSet:
    """Load a task of kind ``code``; ``options`` as of `load_task`.

    ``data``: problems in place of the definition's, of any kind that `load_problems` reads. Raises
    `InputError`. The task holds every problem that is asked (`TaskSet.problems`), for the run's directory.
    """
    problems, digest, source = _problems(definition, data, revision)
    written = {problem.problem_id: to_json(problem) for problem in problems}
    origin = problems[0].origin if problems else definition.name
    rows = tuple(_row(definition, problem, written[problem.problem_id]) for problem in problems)
    found = (DataSet(rows, digest, str(data or origin)), source)
    task = load_task(definition, rows=found, **options)
    asked = asked_problems(task.questions)
    return replace(task, problems="".join(f"{written[one]}\n" for one in asked).encode())


def asked_problems(questions: Iterable[Question]) -> list[str]:
    """Return the ids of the problems that questions name, each once, in their order."""
    names = (parse_problem_reference(question.gold or "").problem for question in questions)
    return list(dict.fromkeys(names))


def digest_of(written: str) -> str:
    """Return the SHA-256 of a problem as `to_json` writes it, in hex."""
    return hashlib.sha256(written.encode()).hexdigest()


def _row(definition: TaskDefinition, problem: Problem, written: str) -> Row:
    """Return a problem as a row that the definition's templates see: nothing that judges is in it."""
    fields = {
        "problem": problem.problem_id,
        "prompt": prompt_of(problem),
        "entry_point": problem.entry_point,
        "title": problem.title,
        "statement": problem.statement,
        "difficulty": problem.difficulty or "",
        "algorithms": list(problem.algorithms),
        "reference": ProblemReference(problem.problem_id, digest_of(written)).to_json(),
    }
    split = definition.data.split
    return Row(fields, f"the problem {problem.problem_id}", problem.origin, split)


def _problems(
    definition: TaskDefinition, data: Path | None, revision: str | None
) -> tuple[Sequence[Problem], str, str]:
    """Return problems, the digest of what they were read from, and where that was."""
    wanted = definition.data
    if revision is not None and (data is not None or wanted.hub is None):
        raise InputError(
            f"--revision {revision} has nothing to choose from",
            why="the items do not come from the hub",
            fix="leave --revision out",
        )
    if data is None and wanted.file is not None:
        data = _beside(definition, wanted.file)
    if data is not None:
        found = registry.load_problems(data)
        return found.problems, found.revision, "file"
    if wanted.problems is not None:
        own = registry.load_problems(wanted.problems)
        return own.problems, own.revision, "built in"
    if wanted.hub is None:
        raise InputError(
            f"{definition.name} needs its problems",
            why="joulemark ships none, and they are on no hub",
            fix=f"pass --data FILE, whose rows are {wanted.row}",
        )
    read = _HUB_READERS.get(wanted.hub.repo)
    if read is None:
        raise InputError(
            f"the problems of {wanted.hub.repo} cannot be read from the hub",
            why=f"this is known of {', '.join(_HUB_READERS)} only",
            fix="download the file and pass it with --data FILE",
        )
    fetched = hub.fetch(wanted.hub, revision=revision, rows_key=wanted.rows_key, expected=wanted.row)
    made = read([ProblemRow(row.fields, row.place) for row in fetched.data.rows])
    return made, fetched.data.revision, fetched.source


def _beside(definition: TaskDefinition, file: str) -> Path:
    if Path(file).is_absolute() or ".." in Path(file).parts:
        raise InputError(
            f"the task's file {file} is not beside its definition",
            why="a definition from somebody else must not read whatever it names",
            fix="put the file beside the definition, or name it with --data",
        )
    return (definition.file or Path()).parent / file
