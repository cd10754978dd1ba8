"""Pages as files: written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from joulemark.record.errors import InputError
from joulemark.runs.layout import write_atomically


def write_page(path: Path, text: str, *, fix: str) -> None:
    """Write a page to ``path``, at once: a reader, or a crash, sees the old page or the new one.

    Raises `InputError` with the caller's ``fix`` when the place cannot be written.
    """
    try:
        write_atomically(path, text.encode())
    except (InputError, OSError) as error:
        why = error.why if isinstance(error, InputError) else error.strerror or str(error)
        raise InputError(f"the page {path} could not be written", why=why, fix=fix) from error
