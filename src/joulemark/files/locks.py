"""One advisory lock: a file that names its holder, and that no dead process holds."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import orjson

from joulemark.files.boot import boot_id

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


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


class LockHeld(Exception):
    """Another holds the lock. ``who`` names it for people: ``process 123``, or ``another process``."""

    def __init__(self, holder: Holder | None) -> None:
        self.who = "another process" if holder is None else f"process {holder.pid}"
        super().__init__(f"{self.who} holds the lock")


class FileLock:
    """A lock that is taken when this is made, without waiting. `release` it, or use ``with``.

    The kernel lets go of it when the process ends, however it ends. Where there are no such locks, a holder
    that lives counts. Its file stays, with the holder as JSON while it is held and empty afterwards.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        """Raises `LockHeld`, and ``OSError`` where the file cannot be opened."""
        self._fd = _open(path, create=create)
        try:
            if _is_held(self._fd):
                raise LockHeld(_holder(self._fd))
            os.ftruncate(self._fd, 0)
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.write(self._fd, orjson.dumps({"pid": os.getpid(), "boot_id": boot_id()}))
        except BaseException:
            os.close(self._fd)
            raise

    def release(self) -> None:
        """Let go of the lock."""
        if self._fd >= 0:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> FileLock:
        return self

    def __exit__(self, *_error: object) -> None:
        self.release()


def is_held(path: Path) -> bool:
    """Tell whether somebody holds the lock; of no effect on it."""
    try:
        descriptor = _open(path, create=False)
    except OSError:
        return False
    try:
        return _is_held(descriptor)
    finally:
        os.close(descriptor)


def _open(path: Path, *, create: bool) -> int:
    return os.open(path, os.O_RDWR | _NOFOLLOW | (os.O_CREAT if create else 0), 0o600)


def _is_held(descriptor: int) -> bool:
    """Take the lock if it is free and tell whether it was not."""
    taken = _take(descriptor)
    if taken is not None:
        return not taken
    holder = _holder(descriptor)
    return holder is not None and holder.lives


def _take(descriptor: int) -> bool | None:
    """Take the file's lock without waiting: whether it was free, null where there are no such locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the second is Windows' word for it
        return False
    except OSError:
        return None
    return True


def _holder(descriptor: int) -> Holder | None:
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        written = orjson.loads(os.read(descriptor, 4096))
        return Holder(int(written["pid"]), written["boot_id"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
