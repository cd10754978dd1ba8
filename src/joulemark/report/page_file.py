"""Pages as files: written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from joulemark.record.errors import InputError
from joulemark.runs.layout import write_atomically

_SUFFIXES = (".html", ".htm")


def write_page(path: Path, text: str, *, fix: str) -> None:
    """Write a page to ``path``, at once: a reader, or a crash, sees the old page or the new one.

    A link is followed; what is no file (a device, a pipe) is written into, never replaced. Raises
    `InputError` with the caller's ``fix`` when the place cannot be written, and for a name that is no page's:
    it may be the record of a run.
    """
    try:
        path = path.resolve() if path.is_symlink() else path
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_text(text, encoding="utf-8")
            return
    except OSError as error:
        raise _refused(path, error.strerror or str(error), fix) from error
    if path.is_dir():
        raise _refused(path, "it is a folder", fix)
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(
            f"{path} is no name of a page",
            why="a page's name ends in .html, so that no other file is written over",
            fix="name a file that ends in .html",
        )
    try:
        write_atomically(path, text.encode())
    except (InputError, OSError) as error:
        why = error.why if isinstance(error, InputError) else error.strerror or str(error)
        raise _refused(path, why, fix) from error


def _refused(path: Path, why: str, fix: str) -> InputError:
    return InputError(f"the page {path} could not be written", why=why, fix=fix)
