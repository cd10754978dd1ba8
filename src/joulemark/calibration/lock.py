"""One calibration at a time: an advisory lock that names its holder, and that no dead process holds."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from joulemark.calibration.node import boot_id
from joulemark.meters.privacy import data_home
from joulemark.record.errors import InputError


@dataclass(frozen=True, slots=True)
class Holder:
    """Who wrote the lock's file last: a process of one boot."""

    pid: int
    boot_id: str | None

    @property
    def lives(self) -> bool:
        """Whether that process can still be there: of this boot, and its number is in use."""
        if self.boot_id != boot_id():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True  # somebody else's process
        return True


def lock_path() -> Path:
    """Return where the lock's file lies."""
    return data_home() / "restore" / "lock"


@contextlib.contextmanager
def calibration_lock() -> Iterator[None]:
    """Hold the lock; the kernel lets go of it when the process ends, however it ends.

    Where there are no such locks, a holder that lives counts. Raises `InputError` where another holds it.
    """
    path = lock_path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        fix = f"make {path.parent} writable, or set XDG_DATA_HOME to a directory that is"
        raise InputError(f"{path} cannot be written", why=error.strerror or str(error), fix=fix) from error
    try:
        taken = _take(descriptor)
        holder = _holder(descriptor)
        if taken is False or (taken is None and holder is not None and holder.lives):
            who = f"process {holder.pid}" if holder is not None else "another process"
            raise InputError(
                "a calibration is running",
                why=f"{who} holds {path}, and two would measure each other",
                fix="wait for it, or end it",
            )
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, orjson.dumps({"pid": os.getpid(), "boot_id": boot_id()}), 0)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def is_locked() -> bool:
    """Tell whether a living process holds the lock; of no effect on it."""
    try:
        descriptor = os.open(lock_path(), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        taken = _take(descriptor)
        holder = _holder(descriptor)
        return taken is False or (taken is None and holder is not None and holder.lives)
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool | None:
    """Take the file's lock without waiting: whether it was free, null where there are no such locks."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _holder(descriptor: int) -> Holder | None:
    try:
        written = orjson.loads(os.pread(descriptor, 4096, 0))
        return Holder(int(written["pid"]), written["boot_id"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
