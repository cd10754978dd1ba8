"""The calibrations on file: one JSON file each, whole or reported and left aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
from pydantic import ValidationError

from joulemark.calibration.document import FORMAT, SCHEMA_VERSION, Calibration
from joulemark.calibration.durable import remove_private, write_private
from joulemark.files.homes import data_home
from joulemark.record.errors import InputError

ALL = "all"
_MAX_BYTES = 4 << 20  # a document takes some kilobytes; more than this is none of ours


@dataclass(frozen=True, slots=True)
class Stored:
    """A calibration and where it lies; ``page`` is its picture, which may be gone."""

    path: Path
    calibration: Calibration

    @property
    def page(self) -> Path:
        """Where its page is kept."""
        return self.path.with_suffix(".html")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file among the calibrations that is none that this version can read."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class Held:
    """What is on file, latest first, and what lies beside it."""

    stored: tuple[Stored, ...]
    unreadable: tuple[Unreadable, ...]


def calibrations_home() -> Path:
    """Return the directory of the calibrations."""
    return data_home() / "calibrations"


def save(calibration: Calibration) -> Stored:
    """Keep a calibration; raises `InputError` where the place cannot be written."""
    stamp = calibration.created_utc.replace("-", "").replace(":", "")[:15]
    path = calibrations_home() / f"{stamp}-{calibration.id}.json"
    write_private(path, calibration.model_dump_json(indent=1).encode() + b"\n")
    return Stored(path, calibration)


def held() -> Held:
    """Read everything that is on file; what cannot be read is in ``unreadable`` and stops nothing."""
    stored: list[Stored] = []
    unreadable: list[Unreadable] = []
    try:
        paths = sorted(path for path in calibrations_home().glob("*.json") if not path.name.startswith("."))
    except OSError as error:
        return Held((), (Unreadable(calibrations_home(), error.strerror or str(error)),))
    for path in paths:
        read = _read(path)
        if isinstance(read, Calibration):
            stored.append(Stored(path, read))
        else:
            unreadable.append(Unreadable(path, read))
    stored.sort(key=lambda one: (one.calibration.created_utc, one.path.name), reverse=True)
    return Held(tuple(stored), tuple(unreadable))


def remove(names: Sequence[str]) -> list[Path]:
    """Remove calibrations by id (or the beginning of one), or all of them; returns the removed files.

    Files that cannot be read are removed by their name only. Raises `InputError` for an id that names none,
    or several.
    """
    there = held()
    known = {one.path: one.calibration.id for one in there.stored}
    known |= {one.path: one.path.name for one in there.unreadable if one.path.is_file()}
    chosen: list[Path] = []
    for name in names:
        found = [path for path, key in known.items() if key == name] or [
            path for path, key in known.items() if name == ALL or (name and key.startswith(name))
        ]
        if not found or (len(found) > 1 and name != ALL):
            raise InputError(
                f"{name} names {'several calibrations' if found else 'no calibration'}",
                why="an id or its beginning was expected" if found else "",
                fix="`joulemark calibrate --list` names them",
            )
        chosen += found
    for path in dict.fromkeys(chosen):
        remove_private(path)
        remove_private(path.with_suffix(".html"))
    return list(dict.fromkeys(chosen))


def _read(path: Path) -> Calibration | str:
    """Return the document of a file, or why it is none."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return "it is no file of a calibration"
        document = orjson.loads(path.read_bytes())
    except OSError as error:
        return error.strerror or str(error)
    except orjson.JSONDecodeError as error:
        return f"it is torn, or no JSON: {error}"
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return "it is no calibration"
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        return f"it has the form {version}, and this version reads form {SCHEMA_VERSION}"
    try:
        return Calibration.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
