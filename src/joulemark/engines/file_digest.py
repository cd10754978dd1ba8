"""The SHA-256 of a large file, remembered until the file changes."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import orjson

from joulemark.files.atomic import PRIVATE, write_whole
from joulemark.files.homes import cache_home
from joulemark.record.errors import InputError


def sha256_of(path: Path) -> str:
    """Return the SHA-256 (hex) of a file's bytes, read anew."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"The file {path} cannot be read", why=error.strerror or str(error)) from None


def remembered_sha256(path: Path) -> str:
    """Return the SHA-256 (hex) of a file, from the cache where its path and state are still the same."""
    try:
        stat = path.stat()
    except OSError as error:
        raise InputError(f"The file {path} cannot be read", why=error.strerror or str(error)) from None
    where = str(path.resolve())
    state = [where, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, stat.st_dev]
    note = cache_home() / "digests" / f"{hashlib.sha256(os.fsencode(where)).hexdigest()}.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        known = orjson.loads(note.read_bytes())
        if known["state"] == state and isinstance(known["sha256"], str):
            return str(known["sha256"])
    digest = sha256_of(path)
    with contextlib.suppress(OSError):  # a cache that cannot be written costs time, nothing else
        text = orjson.dumps({"state": state, "sha256": digest})
        write_whole(note, text, mode=PRIVATE, make_folder=True)
    return digest
