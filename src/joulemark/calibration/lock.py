"""One calibration at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from joulemark.files.homes import data_home
from joulemark.files.locks import FileLock, LockHeld, is_held
from joulemark.record.errors import InputError


def lock_path() -> Path:
    """Return where the lock's file lies."""
    return data_home() / "restore" / "lock"


@contextlib.contextmanager
def calibration_lock() -> Iterator[None]:
    """Hold the lock. Raises `InputError` where another holds it or its file cannot be written."""
    path = lock_path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(path)
    except LockHeld as held:
        raise InputError(
            "a calibration is running",
            why=f"{held.who} holds {path}, and two would measure each other",
            fix="wait for it, or end it",
        ) from held
    except OSError as error:
        fix = f"make {path.parent} writable, or set XDG_DATA_HOME to a directory that is"
        raise InputError(f"{path} cannot be written", why=error.strerror or str(error), fix=fix) from error
    with lock:
        yield


def is_locked() -> bool:
    """Tell whether a living process holds the lock; of no effect on it."""
    return is_held(lock_path())
