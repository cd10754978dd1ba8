"""How the contained interpreter is started: without the user's settings, packages and environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import joulemark

LAUNCH, TRIAL = "launch", "trial"
_FLAGS = ("-P", "-s", "-S", "-B")
_START = (
    "import sys; sys.path.insert(0, {source!r}); "
    "from joulemark.code.inside.{module} import main; sys.path.pop(0); main()"
)
# glibc moves both when a program frees a large block, and a program of large integers then takes 0.4 of its
# time: one line that frees one would be a figure. Given, they stay where every process begins.
_ALLOCATOR = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(128 << 10))
_SINGLE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def python(module: str, *arguments: str) -> list[str]:
    """Return the command that runs ``main`` of a module of `joulemark.code.inside`."""
    start = _START.format(source=str(source()), module=module)
    return [executable(), *_FLAGS, "-c", start, *arguments]


def source() -> Path:
    """Return the folder that holds this package."""
    return Path(joulemark.__file__).resolve().parents[1]


def executable() -> str:
    """Return the interpreter's path, without the links of a virtual environment."""
    return os.path.realpath(sys.executable)


def environment() -> dict[str, str]:
    """Return what programs find in their environment: nothing of the user's."""
    threads = dict.fromkeys(_SINGLE, "1")
    return {"PYTHONHASHSEED": "0", "LANG": "C.UTF-8", "PATH": os.defpath, **threads, **_ALLOCATOR}
