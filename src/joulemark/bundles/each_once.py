"""Every imported row and every run at or below some places, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from joulemark.bundles.store import SUFFIX, read_stored, stored_files
from joulemark.record.errors import InputError
from joulemark.record.published import PublishedRow
from joulemark.runs.layout import RunLayout

MAX_DEPTH = 5
"""How many folders deep runs are looked for."""
_COPY = "it is a copy of {first}, and a run counts once"

T = TypeVar("T")
Unread = tuple[tuple[str, str], ...]
"""Files and runs that could not be read, each with the reason."""


def each_once(
    places: Sequence[Path],
    of_row: Callable[[PublishedRow], T],
    of_run: Callable[[Path], T],
    *,
    purpose: str,
) -> tuple[list[T], Unread]:
    """Return what rows and runs are turned into, and what was passed over; raises `InputError`.

    A broken file or run, and a copy of a run that was read, are told and passed over; a place that does not
    exist, or nothing at all to read (``purpose``: to do what), is an error.
    """
    found: list[T] = []
    unread: list[tuple[str, str]] = []
    rows_seen: set[str] = set()
    runs_seen: set[Path] = set()
    first: dict[str, Path] = {}
    for place in places:
        if not place.exists():
            raise InputError(f"there is no {place}", fix="name a run, or a folder of runs or imported rows")
        for path in _sources(place, MAX_DEPTH):
            try:
                if path.name.endswith(SUFFIX):
                    for row in read_stored(path).rows:
                        same = row.model_dump_json(exclude={"source"})
                        if same not in rows_seen:
                            rows_seen.add(same)
                            found.append(of_row(row))
                elif path.resolve() not in runs_seen:
                    runs_seen.add(path.resolve())
                    run_id = RunLayout(path).read_manifest().run_id
                    if run_id in first:
                        unread.append((str(path), _COPY.format(first=first[run_id])))
                        continue
                    found.append(of_run(path))
                    first[run_id] = path
            except InputError as error:
                unread.append((str(path), error.what + (f": {error.why}" if error.why else "")))
    if not found:
        told = "; ".join(why for _, why in unread[:3])
        raise InputError(
            f"nothing to {purpose} from in {', '.join(map(str, places))}",
            why=told or "there are neither runs nor imported rows in it",
            fix="measure with joulemark bench, or joulemark import mlenergy FILE.csv --into DIR",
        )
    return found, tuple(unread)


def _sources(place: Path, depth: int) -> Iterator[Path]:
    """Yield files of imported rows and run directories at or below a place, ``depth`` folders deep."""
    if place.is_file():
        yield place
        return
    if (place / "manifest.json").is_file():
        yield place
        return
    yield from stored_files(place)
    if depth > 0:
        for folder in sorted(place.iterdir()):
            if folder.is_dir() and not folder.is_symlink() and not folder.name.startswith("."):
                yield from _sources(folder, depth - 1)
