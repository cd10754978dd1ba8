"""Namespaces made by ``bwrap`` (bubblewrap): for systems that let it make some, and refuse them to others."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess

from joulemark.code.contain.interpreter import executable, source
from joulemark.code.inside import root

_INSIDE_ID = "1000"


def found() -> str | None:
    """Return the path of ``bwrap``, null where it is not installed."""
    return shutil.which("bwrap")


def command(path: str, *, per_run: bool, tmp_bytes: int | None = None) -> list[str]:
    """Return the arguments up to ``--``: new namespaces, a read-only root, and a ``/tmp`` of limited size.

    ``per_run``: the first process keeps its rights within the namespaces, so that it can make those of each
    run; programs under test never have them. Without ``tmp_bytes`` the size is the system's default.
    """
    words = [path, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--uid", _INSIDE_ID, "--gid", _INSIDE_ID, "--as-pid-1"]
    if per_run:
        words += ["--cap-add", "ALL"]
    if tmp_bytes is not None and _knows(path, "--size"):
        words += ["--size", str(tmp_bytes)]
    words += ["--tmpfs", "/tmp"]  # before the rest, which may lie below it
    for place in [*root.readable_paths(), *_own_paths()]:
        if os.path.islink(place):
            words += ["--symlink", os.readlink(place), place]
        else:
            words += ["--ro-bind", place, place]
    for place in root.hidden_paths():
        words += ["--tmpfs", place, "--remount-ro", place]
    for place in root.DEVICES:
        words += ["--dev-bind", place, place]  # read-only it would be no device any more; see `launch`
    for link, file in root.STREAMS.items():
        words += ["--symlink", file, link]
    return [*words, "--remount-ro", "/", "--chdir", "/tmp", "--"]


def _own_paths() -> list[str]:
    """Return what the first process is started from, beside the interpreter's library."""
    package = source() / "joulemark"
    parts = [package / "__init__.py", package / "code" / "__init__.py", package / "code" / "inside"]
    return [executable(), *map(str, parts)]


@functools.lru_cache(maxsize=8)
def _knows(path: str, option: str) -> bool:
    told = subprocess.run([path, "--help"], capture_output=True, text=True, check=False)
    return option in told.stdout + told.stderr
