"""Compile a double that is a C library, once for a given source; all processes of a user share the result."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def built(source: Path, name: str) -> Path:
    """Return the directory that holds ``name``, compiled from ``source`` with that soname.

    The rename at the end makes it safe for several test processes.
    """
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    directory = Path(tempfile.gettempdir()) / f"joulemark-{source.stem}-{os.getuid()}-{digest}"
    if (directory / name).exists():
        return directory
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise RuntimeError(f"{source.name} needs a C compiler: apt install gcc")
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / f"{name}.{os.getpid()}"
    subprocess.run(
        [
            compiler,
            *("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"),
            *("-shared", "-fPIC", "-fvisibility=hidden", f"-Wl,-soname,{name}"),
            *("-o", str(target), str(source), "-ldl"),
        ],
        check=True,
    )
    target.rename(directory / name)
    return directory
