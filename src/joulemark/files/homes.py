"""The program's folders in the user's home (XDG base directory specification). They may not exist yet."""

from __future__ import annotations

import os
from pathlib import Path


def data_home() -> Path:
    """Return the folder for the user's data."""
    return _home("XDG_DATA_HOME", ".local/share")


def config_home() -> Path:
    """Return the folder for the user's settings."""
    return _home("XDG_CONFIG_HOME", ".config")


def cache_home() -> Path:
    """Return the folder for what can be fetched or computed again."""
    return _home("XDG_CACHE_HOME", ".cache")


def _home(variable: str, otherwise: str) -> Path:
    configured = os.environ.get(variable, "")
    # the specification wants relative paths ignored
    base = Path(configured) if os.path.isabs(configured) else Path.home() / otherwise
    return base / "joulemark"
