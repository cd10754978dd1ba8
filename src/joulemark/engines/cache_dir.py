"""Where downloaded models and remembered digests lie."""

from __future__ import annotations

import os
from pathlib import Path


def cache_dir() -> Path:
    """Return the program's folder in ``$XDG_CACHE_HOME`` or ``~/.cache``; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification: a relative path is to be ignored.
    root = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    return root / "joulemark"
