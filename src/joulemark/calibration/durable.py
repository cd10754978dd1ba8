"""Files of the user's own that are whole or not there, and on the disk before the call returns."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from joulemark.record.errors import InputError


def write_private(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` with mode 0600, atomically, and force it to the disk.

    Directories are made with mode 0700. Raises `InputError` where the place cannot be written.
    """
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
            raise
        _sync(path.parent)
    except OSError as error:
        fix = f"make {path.parent} writable with some space left, or set XDG_DATA_HOME to a directory that is"
        raise InputError(f"{path} cannot be written", why=error.strerror or str(error), fix=fix) from error


def remove_private(path: Path) -> None:
    """Remove a file, and have the disk know it. Raises `InputError` where that fails."""
    try:
        path.unlink(missing_ok=True)
        if path.parent.is_dir():
            _sync(path.parent)
    except OSError as error:
        raise InputError(f"{path} cannot be removed", why=error.strerror or str(error)) from error


def _sync(directory: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
