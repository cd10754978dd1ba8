"""Names that may leave this machine: an engine often names a model by the path of its file."""

from __future__ import annotations

import re

_PATH = re.compile(r"(?:file:)?(?:[/~]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|\\\\)|.*[/\\].*\.gguf$", re.IGNORECASE)


def published_name(text: str) -> str:
    """Return ``text``, of a file's path its last part only: the folders may name a user.

    A repository's name such as ``org/model`` is no path.
    """
    if not _PATH.match(text):
        return text
    return re.split(r"[/\\]", text.rstrip("/\\"))[-1]
