"""The bundles of a repository: files below a folder, whatever they are called but for their ending."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from joulemark.record.errors import InputError

MAX_DEPTH = 8
ENDING = ".zip"


def bundle_files(places: Sequence[Path]) -> dict[Path, str]:
    """Return the files that should be bundles, each once, with their names; raises `InputError`.

    Hidden files and folders, and what a link leads to, are no part of a repository of bundles.
    """
    found: dict[Path, str] = {}
    for place in places:
        if not place.exists():
            raise InputError(f"there is no {place}", fix="name a folder of bundles, or a board's database")
        for path in [place] if place.is_file() else sorted(_below(place, MAX_DEPTH)):
            found.setdefault(
                path.resolve(), path.name if place == path else path.relative_to(place).as_posix()
            )
    return found


def _below(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"{folder} cannot be read", why=why, fix="make it readable") from error
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir() and depth:
            yield from _below(entry, depth - 1)
        elif entry.is_file() and entry.name.lower().endswith(ENDING):
            yield entry
