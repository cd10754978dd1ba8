"""Files that are whole or not there, and on the disk before the call returns."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

PRIVATE = 0o600
PUBLIC = 0o666  # less the umask, as always


def write_whole(path: Path, data: bytes, *, mode: int = PUBLIC, make_folder: bool = False) -> None:
    """Replace ``path``: a reader, or a crash, sees the old file or the new one, never half of one.

    ``mode`` is less the umask, as always. ``make_folder``: make a missing folder, for the user alone. Raises
    ``OSError``; then the old file is as it was, and nothing half-written lies beside it.
    """
    with _draft(path, data, mode, make_folder) as draft:
        draft.replace(path)
    _sync(path.parent)


def create_whole(path: Path, data: bytes, *, mode: int = PRIVATE) -> None:
    """Make ``path`` where there is none, its folder too; of processes that race, the first one's file stays.

    Raises ``OSError``.
    """
    with _draft(path, data, mode, make_folder=True) as draft, contextlib.suppress(FileExistsError):
        _link(draft, path)
    _sync(path.parent)


def remove_for_good(path: Path) -> None:
    """Remove a file that may be gone already, and have the disk know it. Raises ``OSError``."""
    path.unlink(missing_ok=True)
    if path.parent.is_dir():
        _sync(path.parent)


@contextlib.contextmanager
def _draft(path: Path, data: bytes, mode: int, make_folder: bool) -> Iterator[Path]:
    """Give the body a whole file beside ``path``; what the body leaves of it is removed."""
    if make_folder:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:  # after an interrupt too
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def _link(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        draft.rename(path)


def _sync(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that has no such thing for folders
            raise
    finally:
        os.close(descriptor)
