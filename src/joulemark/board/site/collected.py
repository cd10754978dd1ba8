"""Bundles and published rows, taken in as a board takes them, into a database that nobody else sees.

The order in which they are judged is that of their measuring, so that the same bundles give the same board
wherever it is built.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine, update

from joulemark.board.database.tables import submissions
from joulemark.board.database.writing import writing
from joulemark.board.imports.rows import take_rows
from joulemark.board.intake.examined import Examined, NotTaken
from joulemark.board.intake.ingest import ingest
from joulemark.board.site.work_done import WorkDone
from joulemark.board.standing.kept import ACCEPTED
from joulemark.bundles.submission.bundle_file import read_bundle
from joulemark.bundles.submission.refusal import NotABundle
from joulemark.record.errors import InputError
from joulemark.record.published import PublishedRow
from joulemark.report.wording import printable

_NO_LIMIT = 10**9
_EPOCH = "1970-01-01T00:00:00.000000+00:00"


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that gave no accepted run: ``status`` is ``refused``, ``quarantined`` or ``rejected``."""

    file: str
    digest: str | None
    status: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Collected:
    """What was taken in: how many runs were accepted, and what was not."""

    n_files: int
    n_accepted: int
    n_published: int
    problems: tuple[Problem, ...]


def collect(
    engine: Engine,
    files: Mapping[Path, str],
    rows: Iterable[PublishedRow],
    done: WorkDone,
    told: Callable[[int, int], None] = lambda _at, _of: None,
) -> Collected:
    """Take in bundles, each with its name, and rows; ``told`` hears how many of how many were examined."""
    found: list[tuple[str, Examined, bytes]] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    for place, (path, name) in enumerate(files.items(), 1):
        outcome = _examined(path, name, done, seen)
        if isinstance(outcome, Problem):
            problems.append(outcome)
        elif outcome is not None:
            found.append((name, *outcome))
        told(place, len(files))
    n_accepted = 0
    for name, examined, data in sorted(
        found, key=lambda one: (one[1].columns.measured_at or "", one[1].digest)
    ):
        row = ingest(engine, examined, data, most_a_day=_NO_LIMIT).row
        if row["status"] == ACCEPTED:
            n_accepted += 1
        else:
            grounds = tuple(printable(f"{one['code']}: {one['why']}") for one in row["grounds"])
            problems.append(Problem(name, examined.digest, str(row["status"]), grounds))
        _date(engine, examined)
    return Collected(len(files), n_accepted, take_rows(engine, rows).n_new, tuple(problems))


def _examined(
    path: Path, name: str, done: WorkDone, seen: set[str]
) -> tuple[Examined, bytes] | Problem | None:
    """Return what a file comes to; nothing for a second copy of one."""
    try:
        data = read_bundle(path)
    except (NotABundle, InputError) as error:
        return Problem(name, None, "refused", (printable(error.why or error.what),))
    digest = hashlib.sha256(data).hexdigest()
    if digest in seen:
        return None
    seen.add(digest)
    made = done.examined(data, digest)
    if isinstance(made, NotTaken):
        why = made.why if made.check is None else f"{made.check}: {made.why}"
        return Problem(name, digest, "refused", (printable(why),))
    return made, data


def _date(engine: Engine, examined: Examined) -> None:
    """Have a run come in when it was measured: two builds must not differ by a clock."""
    at = examined.columns.measured_at or _EPOCH
    with writing(engine) as connection:
        connection.execute(
            update(submissions).where(submissions.c.digest == examined.digest).values(received_at=at)
        )
