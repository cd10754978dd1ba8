"""All operating points below some folders: imported rows, runs, and folders of runs (sweeps)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from joulemark.bundles.store import SUFFIX, read_stored, stored_files
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.published_points import published_point
from joulemark.metrics.run_point import run_point
from joulemark.metrics.summary import summarize
from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.record.errors import InputError
from joulemark.runs.layout import RunLayout
from joulemark.runs.repriced import repriced
from joulemark.runs.view import summary_of

COPY = "it is a copy of {first}, and a run counts once"
MAX_DEPTH = 5
"""How many folders deep runs are looked for."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found; ``unread`` are files and runs that could not be read, each with the reason."""

    points: tuple[OperatingPoint, ...]
    unread: tuple[tuple[str, str], ...]


def gather(places: Sequence[Path], declared: DeclaredRates) -> Gathered:
    """Return the points of files and folders, each row and each run once; raises `InputError`.

    A broken file or run, and a copy of a run that was read, are told and passed over; a place that does not
    exist, or nothing at all to read, is an error.
    """
    points: list[OperatingPoint] = []
    unread: list[tuple[str, str]] = []
    rates = rates_of(replace(declared, price=None))  # of tokens that nobody counted
    rows_seen: set[str] = set()
    runs_seen: set[Path] = set()
    first: dict[str, Path] = {}
    for place in places:
        if not place.exists():
            raise InputError(f"there is no {place}", fix="name a folder of imported rows or of runs")
        for path in sources(place, MAX_DEPTH):
            try:
                if path.name.endswith(SUFFIX):
                    for row in read_stored(path).rows:
                        same = row.model_dump_json(exclude={"source"})
                        if same not in rows_seen:
                            rows_seen.add(same)
                            points.append(published_point(row, rates))
                elif path.resolve() not in runs_seen:
                    runs_seen.add(path.resolve())
                    run_id = RunLayout(path).read_manifest().run_id
                    if run_id in first:
                        unread.append((str(path), COPY.format(first=first[run_id])))
                        continue
                    points.append(_point_of_run(path, declared))
                    first[run_id] = path
            except InputError as error:
                unread.append((str(path), error.what + (f": {error.why}" if error.why else "")))
    if not points:
        told = "; ".join(why for _, why in unread[:3])
        raise InputError(
            f"nothing to recommend from in {', '.join(map(str, places))}",
            why=told or "there are neither imported rows nor runs in it",
            fix="joulemark import mlenergy FILE.csv --into DIR; or measure with joulemark bench",
        )
    return Gathered(tuple(points), tuple(unread))


def _point_of_run(root: Path, declared: DeclaredRates) -> OperatingPoint:
    view, summary = summary_of(root)
    if declared.given:
        view = repriced(view, RunLayout(root), declared)
        summary = summarize(view)
    return run_point(view, summary, str(root))


def sources(place: Path, depth: int) -> Iterator[Path]:
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
                yield from sources(folder, depth - 1)
