"""What a calibration keeps: private files, durable, and a sentence where that fails."""

from __future__ import annotations

from pathlib import Path

from joulemark.files.atomic import PRIVATE, remove_for_good, write_whole
from joulemark.record.errors import InputError


def write_private(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` for the user alone. Raises `InputError` where that fails."""
    try:
        write_whole(path, data, mode=PRIVATE, make_folder=True)
    except OSError as error:
        fix = f"make {path.parent} writable with some space left, or set XDG_DATA_HOME to a directory that is"
        raise InputError(f"{path} cannot be written", why=error.strerror or str(error), fix=fix) from error


def remove_private(path: Path) -> None:
    """Remove a file, and have the disk know it. Raises `InputError` where that fails."""
    try:
        remove_for_good(path)
    except OSError as error:
        raise InputError(f"{path} cannot be removed", why=error.strerror or str(error)) from error
