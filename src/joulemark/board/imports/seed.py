"""Fill a board that is new: bundles of real runs, and rows that others published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Engine, select

from joulemark.board.database.tables import configurations
from joulemark.board.imports.rows import Taken, take_rows
from joulemark.board.intake.examine import examine
from joulemark.board.intake.examined import NotTaken
from joulemark.board.intake.ingest import ingest
from joulemark.bundles.foreign_file import read_foreign
from joulemark.bundles.kinds import KINDS
from joulemark.bundles.store import SUFFIX, read_stored
from joulemark.bundles.submission.bundle_file import read_bundle
from joulemark.record.errors import InputError
from joulemark.record.published import PublishedRow

_MOST_A_KEY = 1_000_000  # whoever may write to the database is not counted


@dataclass(slots=True)
class Seeded:
    """What was taken: bundles by their status, rows, and what was passed over with the reason."""

    bundles: dict[str, int] = field(default_factory=dict)
    rows: Taken = field(default_factory=lambda: Taken(0, 0))
    passed_over: list[tuple[str, str]] = field(default_factory=list)


def is_empty(engine: Engine) -> bool:
    """Tell whether a board shows nothing yet."""
    with engine.connect() as connection:
        return connection.execute(select(configurations.c.id).limit(1)).first() is None


def seed(engine: Engine, places: Sequence[Path], mlenergy: Path | None = None) -> Seeded:
    """Take bundles (``.zip``) and stored rows of files and folders, and ML.ENERGY's CSV files of a folder.

    A file that cannot be taken is told and passed over; raises `InputError` for a place that does not exist.
    """
    found = Seeded()
    rows: list[PublishedRow] = []
    for path in _files(places):
        with _telling(found, path):
            if path.name.endswith(SUFFIX):
                rows += read_stored(path).rows
            else:
                _bundle(engine, path, found)
    for path in () if mlenergy is None else _csv_files(mlenergy):
        with _telling(found, path):
            rows += KINDS["mlenergy"].read(read_foreign(path), None)
    if rows:
        found.rows = take_rows(engine, rows)
    return found


def stored_rows(places: Sequence[Path]) -> tuple[list[PublishedRow], list[tuple[str, str]]]:
    """Return the rows of stored imports in files and folders, and the files that cannot be read."""
    rows: list[PublishedRow] = []
    found = Seeded()
    for path in _files(places):
        if path.name.endswith(SUFFIX):
            with _telling(found, path):
                rows += read_stored(path).rows
        elif path in places:
            fix = f"joulemark import KIND {path.name} --into DIR makes one"
            found.passed_over.append((str(path), f"it is no stored import; {fix}"))
    return rows, found.passed_over


def _bundle(engine: Engine, path: Path, found: Seeded) -> None:
    data = read_bundle(path)
    examined = examine(data)
    if isinstance(examined, NotTaken):
        raise InputError(f"{path.name} does not verify", why=examined.why)
    stored = ingest(engine, examined, data, most_a_day=_MOST_A_KEY)
    status = str(stored.row["status"]) if stored.is_new else "known"
    found.bundles[status] = found.bundles.get(status, 0) + 1
    if status == "quarantined":
        grounds = "; ".join(str(one["why"]) for one in stored.row["grounds"])
        found.passed_over.append((str(path), f"held back: {grounds}"))


def _files(places: Sequence[Path]) -> list[Path]:
    files: list[Path] = []
    for place in places:
        if not place.exists():
            raise InputError(f"there is no {place}", fix="name files, or folders of bundles or imported rows")
        below = [place] if place.is_file() else sorted(place.rglob("*"))
        files += [
            path
            for path in below
            if path.is_file() and (path == place or path.suffix == ".zip" or path.name.endswith(SUFFIX))
        ]
    return files


def _csv_files(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.csv"))
    if not files:
        raise InputError(f"there is no CSV file in {folder}", fix="name the folder of ML.ENERGY's CSV files")
    return files


@contextmanager
def _telling(found: Seeded, path: Path) -> Iterator[None]:
    """Pass over a file that cannot be taken, and tell why."""
    try:
        yield
    except InputError as error:
        found.passed_over.append((str(path), error.what + (f": {error.why}" if error.why else "")))
