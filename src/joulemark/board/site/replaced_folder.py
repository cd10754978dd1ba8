"""A folder that is whole or as it was before: written beside its place, and put there at the end."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from joulemark.record.errors import InputError

MARK = ".joulemark-board"
"""A file that a built board has: nothing else is ever replaced."""


def require_replaceable(folder: Path) -> None:
    """Raise `InputError` for a place that holds something other than a built board."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InputError(
            f"{folder} is no folder", fix="name a folder that is missing, empty, or a built board"
        )
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise InputError(
            f"{folder} is not replaced",
            why="it is not empty, and what is in it was not built by `board build`",
            fix="name another folder, or empty this one",
        )


def write_folder(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write files by their paths into ``folder``, in place of what it held; return how many there are.

    Raises `InputError` where that is not allowed or not possible. Readers see the old folder or the new one,
    but for an instant between two renames.
    """
    require_replaceable(folder)
    draft = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    n = 0
    try:
        draft.mkdir(parents=True)
        for name, data in files:
            path = draft.joinpath(*PurePosixPath(name).parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            n += 1
        (draft / MARK).write_text("built by `joulemark board build`, which may replace this folder\n")
        _put(draft, folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(
            f"{folder} cannot be written", why=why, fix="free space there, or name another"
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return n


def _put(draft: Path, folder: Path) -> None:
    before = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.before")
    there = folder.exists()
    if there:
        os.rename(folder, before)
    try:
        os.rename(draft, folder)
    except OSError:
        if there:  # what was there comes back
            with contextlib.suppress(OSError):
                os.rename(before, folder)
        raise
    shutil.rmtree(before, ignore_errors=True)
