"""Names and passwords of meters: from the environment, or from a file that an option names.

They are read anew in each process that needs them, so that none stands in a `SourceSpec`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_LONGEST = 4096
# a pipe without a writer would hold the reader for ever
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class PasswordUnreadable(Exception):
    """The file with the password cannot be used; the message says why and never what is in it."""


def read_password(variable: str, file: str | None) -> str | None:
    """Return the first line of ``file`` where one is named, else the environment's ``variable``.

    Null where neither holds anything. Raises `PasswordUnreadable` for a file that cannot be read.
    """
    if file is None:
        return os.environ.get(variable) or None
    try:
        with open(os.open(Path(file).expanduser(), _FLAGS), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise PasswordUnreadable("it is no regular file")
            content = stream.read(_LONGEST + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise PasswordUnreadable(str(error.strerror)) from None
    except UnicodeDecodeError:
        raise PasswordUnreadable("it is no text") from None
    if len(content) > _LONGEST:
        raise PasswordUnreadable(f"it is larger than {_LONGEST} bytes")
    lines = text.splitlines()
    if not lines or not lines[0].strip():
        raise PasswordUnreadable("its first line is empty")
    return lines[0].strip()
