"""A directory of this process's own for what it writes while it runs, gone when it is.

What a killed process left behind is removed by the next one: the directory of a living process is locked.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from joulemark.files.locks import FileLock, LockHeld

_PREFIX = "joulemark-live-"
_LOCK = "lock"


class PrivatePlace:
    """Made with the mode 0700. Only the process that made it removes it; a forked child lets it be."""

    def __init__(self) -> None:
        """Raises ``OSError`` where no directory can be made."""
        _remove_abandoned(Path(tempfile.gettempdir()))
        made = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}"))  # under this name nobody takes it for abandoned
        try:
            self._lock: FileLock | None = FileLock(made / _LOCK)
            self.path = made.rename(made.with_name(made.name[1:]))
        except OSError:
            shutil.rmtree(made, ignore_errors=True)
            raise
        self._pid = os.getpid()

    def remove(self) -> None:
        """Remove the directory with what is in it."""
        if os.getpid() == self._pid and self._lock is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            self._lock.release()
            self._lock = None


def _remove_abandoned(parent: Path) -> None:
    """Remove this user's directories whose process is gone: their lock is free."""
    for place in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, LockHeld):
            if place.is_symlink() or place.stat().st_uid != os.getuid():
                continue
            with FileLock(place / _LOCK, create=False):
                shutil.rmtree(place, ignore_errors=True)
