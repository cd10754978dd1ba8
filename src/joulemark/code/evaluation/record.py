"""The directory of an evaluation: ``code.json`` says what was evaluated and how."""

from __future__ import annotations

import hashlib
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
from joulemark.code.problems.problem import Problem, program_id
from joulemark.files.atomic import write_whole
from joulemark.record.errors import InputError

SCHEMA_VERSION = "1.0"
FILE = "code.json"


class ProblemFacts(BaseModel):
    """What figures need of a problem; its text and its tests stay where they were read."""

    model_config = ConfigDict(extra="forbid")

    title: str
    algorithms: list[str]
    difficulty: str | None
    has_generator: bool
    n_samples: int


class EvaluationRecord(BaseModel):
    """What was evaluated and how. ``evaluation_id`` is the hash of all that decides the figures.

    ``references``: SHA-256 of the reference by problem; ``sources``: programs by their SHA-256.
    """

    model_config = ConfigDict(extra="forbid")

    schema_version: str = SCHEMA_VERSION
    joulemark_version: str = __version__
    created_utc: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
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


def new_record(
    model: str,
    problems: Sequence[Problem],
    answers: Mapping[str, Sequence[Answer]],
    settings: Settings,
    environment: Environment,
) -> EvaluationRecord:
    """Return the record of an evaluation that is about to start."""
    problems_digest = _digest([asdict(problem) for problem in problems])
    samples_digest = _digest({name: [asdict(one) for one in answers[name]] for name in sorted(answers)})
    identity = [problems_digest, samples_digest, settings.model_dump(mode="json"), environment.environment_id]
    return EvaluationRecord(
        evaluation_id=_digest(identity)[:16],
        model=model,
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
                n_samples=len(answers.get(problem.problem_id, ())),
            )
            for problem in problems
        },
        references={problem.problem_id: program_id(problem.canonical) for problem in problems},
        sources=_sources(problems, answers),
    )


def read_record(directory: Path) -> EvaluationRecord:
    """Return the record of a directory. Raises `InputError` where there is none."""
    path = directory / FILE
    try:
        return EvaluationRecord.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"{directory} holds no evaluation of programs",
            why=error.strerror or str(error),
            fix="joulemark code eval SAMPLES --into DIR   # makes one",
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise InputError(f"{path} is no record of an evaluation", why=f"{where}: {first['msg']}") from error


def write_record(directory: Path, record: EvaluationRecord) -> None:
    """Write ``code.json``. Raises ``OSError``."""
    directory.mkdir(parents=True, exist_ok=True)
    write_whole(directory / FILE, orjson.dumps(record.model_dump(mode="json"), option=orjson.OPT_INDENT_2))


def _sources(problems: Sequence[Problem], answers: Mapping[str, Sequence[Answer]]) -> dict[str, str]:
    """Return the sources of references and answers by SHA-256: reports show code beside figures."""
    sources = [problem.canonical for problem in problems]
    sources += [one.source for mine in answers.values() for one in mine if one.source is not None]
    return {program_id(source): source for source in sources}


def _digest(value: Any) -> str:
    return hashlib.sha256(
        orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    ).hexdigest()


def _plain(value: Any) -> Any:
    return sorted(map(repr, value)) if isinstance(value, (set, frozenset)) else repr(value)
