"""Data sets of problems: those built in, and those that an operator keeps in a folder beside a worker.

A board without a worker on its machine knows them from the database, where workers say what they have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, insert, select

from joulemark.board.code_service.job_queue import now
from joulemark.board.database.tables import code_datasets
from joulemark.board.database.times import text_of
from joulemark.board.database.writing import transaction
from joulemark.code.problems.registry import BUILT_IN, load_problems
from joulemark.record.errors import InputError

_OFFERED_S = 24 * 3600.0
_SUFFIXES = re.compile(r"(\.jsonl?|\.csv|\.py)?(\.gz)?$")
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set of problems that can be chosen. ``revision``: SHA-256 of what was read; ``problems``: ids.

    ``path``: where a worker reads it, null for the built-in one, and on a board.
    """

    dataset_id: str
    title: str
    revision: str
    problems: tuple[str, ...]
    path: Path | None = None


@cache
def built_in() -> Dataset:
    """Return the data set that comes with Joulemark."""
    found = load_problems(BUILT_IN)
    ids = tuple(one.problem_id for one in found)
    return Dataset(
        BUILT_IN, f"Built-in: {len(ids)} problems of eleven algorithm classes", found.revision, ids
    )


def found_in(folder: Path | None) -> dict[str, Dataset]:
    """Return the built-in data set and one for each file and folder in ``folder``, by id.

    Raises `InputError` for one that cannot be read: a worker that offers less than was asked would puzzle.
    """
    sets = {BUILT_IN: built_in()}
    if folder is None:
        return sets
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder", fix="name the folder of the data sets with --datasets")
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        problems = load_problems(path)
        name = _NO_NAME.sub("-", _SUFFIXES.sub("", path.name)).strip("-._")[:80]
        if not name or name in sets:
            raise InputError(
                f"{path} has no name of its own", why="two data sets of one name", fix="rename one of them"
            )
        ids = tuple(one.problem_id for one in problems)
        title = f"{name}: {len(ids)} problems ({problems.kind})"
        sets[name] = Dataset(name, title, problems.revision, ids, path.absolute())
    return sets


def announce(engine: Engine, sets: Mapping[str, Dataset]) -> None:
    """Say in the database that a worker has these data sets; to be said again now and then."""
    with transaction(engine) as connection:
        seen_at = now(connection)
        for one in sets.values():
            if one.path is None:
                continue
            connection.execute(delete(code_datasets).where(code_datasets.c.id == one.dataset_id))
            connection.execute(
                insert(code_datasets).values(
                    id=one.dataset_id,
                    title=one.title,
                    revision=one.revision,
                    problems=list(one.problems),
                    seen_at=seen_at,
                )
            )


def offered(connection: Connection) -> Sequence[Dataset]:
    """Return what can be chosen: the built-in set, then those that a worker had in the last day."""
    since = text_of(datetime.fromisoformat(now(connection)) - timedelta(seconds=_OFFERED_S))
    rows = connection.execute(
        select(code_datasets).where(code_datasets.c.seen_at >= since).order_by(code_datasets.c.id)
    )
    there = [Dataset(row.id, row.title, row.revision, tuple(row.problems)) for row in rows]
    return [built_in(), *there]
