"""A bundle as a file of the user's."""

from __future__ import annotations

from pathlib import Path

from joulemark.bundles.submission.members import MAX_PACKED
from joulemark.bundles.submission.refusal import NotABundle
from joulemark.record.errors import InputError


def read_bundle(path: Path) -> bytes:
    """Return the bytes of a file, one more than a bundle may have at most.

    Raises `NotABundle` for a folder or a device, `InputError` where it cannot be read.
    """
    if path.is_dir():
        raise NotABundle(f"{path} is a folder")
    if path.exists() and not path.is_file():
        raise NotABundle(f"{path} is no plain file")  # a pipe would keep us waiting
    try:
        with path.open("rb") as file:
            return file.read(MAX_PACKED + 1)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read",
            why=error.strerror or str(error),
            fix="name the file of a bundle; `joulemark bench submit RUN --out FILE` makes one",
        ) from error
