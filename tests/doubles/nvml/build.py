"""Where the compiled fake library lies."""

from __future__ import annotations

from pathlib import Path

from doubles.c_library import built

SOURCE = Path(__file__).with_name("fake_nvml.c")
LIBRARY = "libnvidia-ml.so.1"


def library_directory() -> Path:
    """Return a directory that holds ``libnvidia-ml.so.1``, for ``LD_LIBRARY_PATH``."""
    return built(SOURCE, LIBRARY)
