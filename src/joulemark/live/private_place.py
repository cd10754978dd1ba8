"""A directory of this process's own for what it writes while it runs, gone when it is.

What a killed process left behind is removed by the next one: the directory of a living process is locked.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "joulemark-live-"
_LOCK = "lock"


class PrivatePlace:
    """Made with the mode 0700. Only the process that made it removes it; a forked child lets it be."""

    def __init__(self) -> None:
        """Raises ``OSError`` where no directory can be made."""
        _remove_abandoned(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._pid = os.getpid()
        self._lock_fd = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _lock(self._lock_fd)

    def remove(self) -> None:
        """Remove the directory with what is in it."""
        if os.getpid() == self._pid and self._lock_fd >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock_fd)
            self._lock_fd = -1


def _lock(fd: int) -> bool:
    """Take the lock without waiting; false where another process holds it or the system has no such locks."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_abandoned(parent: Path) -> None:
    """Remove this user's directories whose process is gone: their lock is free."""
    for place in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if place.is_symlink() or place.stat().st_uid != os.getuid():
                continue
            fd = os.open(place / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                if _lock(fd):
                    shutil.rmtree(place, ignore_errors=True)
            finally:
                os.close(fd)
