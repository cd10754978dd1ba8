"""The directory of an evaluation: ``code.json`` says what was evaluated and how."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from joulemark import __version__
from joulemark.code.evaluation.environment import Environment
from joulemark.code.evaluation.job import Answer
from joulemark.code.evaluation.settings import Settings
from joulemark.code.evaluation.writable import writable
from joulemark.code.problems.problem import Problem, program_id
from joulemark.files.atomic import write_whole
from joulemark.record.errors import InputError
from joulemark.runs.layout import RunLayout

SCHEMA_VERSION = "1.1"
PROCEDURE = 5
"""Raised whenever a row that is written now would not say what one of before does: two are never mixed."""
FILE = "code.json"
DIGESTS_SINCE, SEALED_SINCE = 2, 4
"""The first procedures whose rows carry digests, and whose record has one of its own."""


class ProblemFacts(BaseModel):
    """What figures need of a problem; its text and its tests stay where they were read.

    ``is_scalable``: whether inputs of any size can be made, null in records of before. ``level_weights``: of
    its levels in the score of its origin, by level; empty for none. ``programs``: SHA-256 of each sample's
    source, by its number.
    """

    model_config = ConfigDict(extra="forbid")

    title: str
    algorithms: list[str]
    difficulty: str | None
    has_generator: bool
    is_scalable: bool | None = None
    level_weights: tuple[float, ...] = ()
    programs: dict[int, str] = Field(default_factory=dict)
    n_samples: int


class EvaluationRecord(BaseModel):
    """What was evaluated and how. ``evaluation_id`` is the hash of all that decides the figures.

    ``procedure``: by which rows are made and judged (`PROCEDURE`). ``n_workers``: programs at a time when it
    was begun, null where that is not known. ``references``: SHA-256 of the reference by problem;
    ``sources``: programs by their SHA-256. ``sha256``: of all else, so that nothing is changed unseen.
    """

    model_config = ConfigDict(extra="forbid")

    schema_version: str = SCHEMA_VERSION
    joulemark_version: str = __version__
    created_utc: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    procedure: int = 1
    n_workers: int | None = None
    evaluation_id: str
    model: str
    origin: str
    problems_digest: str
    samples_digest: str
    settings: Settings
    environment: Environment
    environment_id: str
    problems: dict[str, ProblemFacts]
    references: dict[str, str] = Field(default_factory=dict)
    sources: dict[str, str] = Field(default_factory=dict)
    sha256: str | None = None

    def digest(self) -> str:
        """Return the SHA-256 of all else that the record says."""
        return _digest(self.model_dump(mode="json", exclude={"sha256"}))


def new_record(
    model: str,
    problems: Sequence[Problem],
    answers: Mapping[str, Sequence[Answer]],
    settings: Settings,
    environment: Environment,
    n_workers: int | None = None,
) -> EvaluationRecord:
    """Return the record of an evaluation that is about to start."""
    problems_digest = _digest([asdict(problem) for problem in problems])
    samples_digest = _digest({name: [asdict(one) for one in answers[name]] for name in sorted(answers)})
    identity = [
        PROCEDURE,
        problems_digest,
        samples_digest,
        settings.model_dump(mode="json"),
        environment.environment_id,
    ]
    return EvaluationRecord(
        procedure=PROCEDURE,
        n_workers=n_workers,
        evaluation_id=_digest(identity)[:16],
        model=writable(model),
        origin=", ".join(sorted({problem.origin for problem in problems})),
        problems_digest=problems_digest,
        samples_digest=samples_digest,
        settings=settings,
        environment=environment,
        environment_id=environment.environment_id,
        problems={
            problem.problem_id: ProblemFacts(
                title=problem.title,
                algorithms=list(problem.algorithms),
                difficulty=problem.difficulty,
                has_generator=problem.generator is not None,
                is_scalable=problem.generator is not None and problem.generator.sizes is not None,
                level_weights=problem.generator.level_weights if problem.generator is not None else (),
                n_samples=len(answers.get(problem.problem_id, ())),
                programs={
                    one.sample: program_id(one.source or "") for one in answers.get(problem.problem_id, ())
                },
            )
            for problem in problems
        },
        references={problem.problem_id: program_id(problem.canonical) for problem in problems},
        sources=_sources(problems, answers),
    )


def evaluation_in(directory: Path) -> Path:
    """Return a directory of an evaluation: the one that is named, or that of a benchmark run below it."""
    below = RunLayout(directory).programs
    return below if not (directory / FILE).exists() and (below / FILE).exists() else directory


def read_record(directory: Path) -> EvaluationRecord:
    """Return the record of a directory. Raises `InputError` where there is none."""
    path = directory / FILE
    try:
        record = EvaluationRecord.model_validate_json(path.read_bytes())
    except OSError as error:
        if directory.is_file():
            raise InputError(
                f"{directory} is a file, and no evaluation of programs yet",
                why="an evaluation is a directory, which is made of a file of programs",
                fix=f"joulemark code eval {shlex.quote(str(directory))}   # first; it names the directory",
            ) from error
        raise InputError(
            f"{directory} holds no evaluation of programs",
            why=error.strerror or str(error),
            fix="joulemark code eval SAMPLES --into DIR   # makes one",
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise InputError(f"{path} is no record of an evaluation", why=f"{where}: {first['msg']}") from error
    if record.procedure >= SEALED_SINCE and record.sha256 != record.digest():
        raise InputError(
            f"{path} is not as it was written",
            why="what was evaluated and how was changed in it since, or it is torn",
            fix="put the file back as it was, or evaluate anew into another directory with --into",
        )
    return record


def write_record(directory: Path, record: EvaluationRecord) -> None:
    """Write ``code.json``. Raises ``OSError``."""
    directory.mkdir(parents=True, exist_ok=True)
    document = {**record.model_dump(mode="json"), "sha256": record.digest()}
    write_whole(directory / FILE, orjson.dumps(document, option=orjson.OPT_INDENT_2))


def _sources(problems: Sequence[Problem], answers: Mapping[str, Sequence[Answer]]) -> dict[str, str]:
    """Return the sources of references and answers by SHA-256: reports show code beside figures."""
    sources = [problem.canonical for problem in problems]
    sources += [one.source for mine in answers.values() for one in mine if one.source is not None]
    return {program_id(source): writable(source) for source in sources}


def _digest(value: Any) -> str:
    options = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
    try:
        text = orjson.dumps(value, default=_plain, option=options)
    except TypeError:  # half of a character in a program or in a problem
        text = orjson.dumps(writable(value), default=_plain, option=options)
    return hashlib.sha256(text).hexdigest()


def _plain(value: Any) -> Any:
    return sorted(map(repr, value)) if isinstance(value, (set, frozenset)) else repr(value)
