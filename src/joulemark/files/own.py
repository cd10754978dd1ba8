"""Files that are believed because nobody but this user can have written them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_OPEN = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
)  # a pipe must not hold us up


class NotOurs(PermissionError):
    """The file may be somebody else's words; ``strerror`` says why."""

    def __init__(self, why: str) -> None:
        super().__init__(None, why)


def read_own(path: Path, *, most_bytes: int) -> bytes:
    """Return a file that this user owns and that nobody else may write.

    Raises `NotOurs` for any other, links included, and for one above ``most_bytes``; ``OSError`` where it
    cannot be read. Of what is read nobody can have put another file in its place after the check.
    """
    if path.is_symlink():
        raise NotOurs("it is a link")
    descriptor = os.open(path, _OPEN)
    try:
        _require_ours(os.fstat(descriptor))
    except NotOurs:
        os.close(descriptor)
        raise
    with open(descriptor, "rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise NotOurs(f"it is longer than {most_bytes:,} bytes")
    return data


def _require_ours(facts: os.stat_result) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise NotOurs("it is no plain file")
    if not hasattr(os, "geteuid"):
        return
    if facts.st_uid != os.geteuid():
        raise NotOurs(f"it belongs to user {facts.st_uid}, and user {os.geteuid()} is reading it")
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise NotOurs("others may write it")
    if facts.st_nlink != 1:
        raise NotOurs("it is a link to a file with another name")
