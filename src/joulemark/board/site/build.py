"""A board as files: from a repository of bundles, or from a board's database."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import SQLAlchemyError

from joulemark.board.database.connection import connect
from joulemark.board.database.tables import published_rows, submissions
from joulemark.board.database.upgrade import upgrade
from joulemark.board.site.bundle_files import bundle_files
from joulemark.board.site.collected import Collected, Problem, collect
from joulemark.board.site.pages import site_files
from joulemark.board.site.replaced_folder import require_replaceable, write_folder
from joulemark.board.site.work_done import WorkDone
from joulemark.board.standing.kept import ACCEPTED
from joulemark.bundles.store import SUFFIX, read_stored
from joulemark.record.errors import InputError
from joulemark.record.published import PublishedRow

_SQLITE = b"SQLite format 3\x00"
Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Built:
    """What was built: where, of what, and what did not become a row."""

    folder: Path
    n_written: int
    collected: Collected
    n_examined: int
    n_known: int

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values: the report of the build."""
        found = self.collected
        return {
            "files": found.n_files,
            "accepted": found.n_accepted,
            "published_rows": found.n_published,
            "problems": [_problem_json(one) for one in found.problems],
            "written": self.n_written,
            "examined": self.n_examined,
            "known_from_before": self.n_known,
        }


def build(
    folder: Path,
    places: Sequence[str],
    rows: Sequence[Path] = (),
    *,
    cache: Path | None = None,
    public_url: str | None = None,
    told: Told = lambda _at, _of: None,
) -> Built:
    """Build the board of ``places`` (folders or files of bundles, or one database) in ``folder``.

    ``rows`` are files of imported rows, or folders of them. ``cache`` keeps what was worked out of bundles
    for the next build. Raises `InputError`.
    """
    require_replaceable(folder)
    done = WorkDone(cache)
    with _collected(places, _published(rows), done, told) as (engine, found):
        report = {"problems": [_problem_json(one) for one in found.problems]}
        files = _with_report(site_files(engine, done, public_url), report)
        n_written = write_folder(folder, files)
    done.forget_others()
    return Built(folder, n_written, found, done.n_examined, done.n_known)


def _with_report(files: Iterator[tuple[str, bytes]], report: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    yield from files
    yield "report.json", orjson.dumps(report, option=orjson.OPT_INDENT_2)


@contextmanager
def _collected(
    places: Sequence[str], rows: list[PublishedRow], done: WorkDone, told: Told
) -> Iterator[tuple[Engine, Collected]]:
    databases = [place for place in places if _is_database(place)]
    if databases:
        if len(places) > 1 or rows:
            raise InputError(
                "a board's database is built alone",
                why="its runs were judged in the order in which they came",
                fix="submit the bundles and import the rows to that board, and build it again",
            )
        engine = connect(databases[0])
        try:
            yield engine, _told_of(engine, databases[0])
        finally:
            engine.dispose()
        return
    files = bundle_files([Path(place) for place in places])
    with tempfile.TemporaryDirectory(prefix="joulemark-board-") as scratch:
        engine = connect(str(Path(scratch) / "board.sqlite"))
        upgrade(engine)
        try:
            yield engine, collect(engine, files, rows, done, told)
        finally:
            engine.dispose()


def _told_of(engine: Engine, name: str) -> Collected:
    """Return what a database holds; what stands in it is not judged again."""
    shown = submissions.c.status.in_((ACCEPTED, "quarantined", "rejected"))
    asked = select(submissions.c.digest, submissions.c.status, submissions.c.grounds).where(shown)
    try:
        with engine.connect() as connection:
            found = connection.execute(asked.order_by(submissions.c.digest)).all()
            n_published = connection.execute(select(func.count()).select_from(published_rows)).scalar_one()
    except SQLAlchemyError as error:
        shown_name = name if "://" not in name else engine.url.render_as_string(hide_password=True)
        raise InputError(
            f"{shown_name} holds no board of this version",
            why="it cannot be reached, or its tables are not those of a board",
            fix="`joulemark board serve --database` brings a database up to date",
        ) from error
    problems = tuple(
        Problem("", one.digest, one.status, tuple(f"{g['code']}: {g['why']}" for g in one.grounds))
        for one in found
        if one.status != ACCEPTED
    )
    return Collected(len(found), len(found) - len(problems), n_published, problems)


def _is_database(place: str) -> bool:
    if "://" in place:
        return True
    path = Path(place)
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def _published(places: Sequence[Path]) -> list[PublishedRow]:
    found = []
    for place in places:
        if not place.exists():
            raise InputError(f"there is no {place}", fix="name a file of imported rows, or a folder of them")
        for path in [place] if place.is_file() else sorted(place.rglob(f"*{SUFFIX}")):
            found.extend(read_stored(path).rows)
    return found


def _problem_json(one: Problem) -> dict[str, Any]:
    return {"file": one.file, "digest": one.digest, "status": one.status, "why": list(one.why)}
