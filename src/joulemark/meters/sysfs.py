"""The kernel's sysfs: where it is, what its small files say, and how it writes a PCI address."""

from __future__ import annotations

import os
import re
from pathlib import Path

SYS_VARIABLE = (
    "JOULEMARK_SYS"  # moves the whole of /sys, for tests and for containers that mount it elsewhere
)

PCI_ADDRESS = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\Z")  # 0000:03:00.0
_NUMBER = re.compile(r"-?[0-9]{1,20}\Z")  # what Python would take too, such as 1_000, the kernel never writes


def sys_root() -> Path:
    """Return the root of sysfs, which an environment variable can move."""
    return Path(os.environ.get(SYS_VARIABLE) or "/sys")


def moved_by(own_variable: str) -> str | None:
    """Return the variable that moves a tree which has one of its own besides; null where none is set."""
    return next((name for name in (own_variable, SYS_VARIABLE) if os.environ.get(name)), None)


def text(path: Path) -> str | None:
    """Return what a file says, without its line end; null where it says nothing or cannot be read."""
    try:
        return path.read_text().strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def number(path: Path) -> int | None:
    """Return a file's whole number; null where it cannot be read or is none."""
    said = text(path)
    return int(said) if said is not None and _NUMBER.match(said) else None
