"""Compile the fake library once for a given source; all processes of a user share the result."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("fake_nvml.c")
LIBRARY = "libnvidia-ml.so.1"


def library_directory() -> Path:
    """Return a directory that holds ``libnvidia-ml.so.1``, for ``LD_LIBRARY_PATH``."""
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    directory = Path(tempfile.gettempdir()) / f"joulemark-fake-nvml-{os.getuid()}-{digest}"
    if not (directory / LIBRARY).exists():
        compile_into(directory)
    return directory


def compile_into(directory: Path) -> None:
    """Compile the source to ``directory``; the rename makes it safe for several test processes."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise RuntimeError("the fake NVML library needs a C compiler: apt install gcc")
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / f"{LIBRARY}.{os.getpid()}"
    subprocess.run(
        [
            compiler,
            *("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"),
            *("-shared", "-fPIC", "-fvisibility=hidden", f"-Wl,-soname,{LIBRARY}"),
            *("-o", str(target), str(SOURCE)),
        ],
        check=True,
    )
    target.rename(directory / LIBRARY)
