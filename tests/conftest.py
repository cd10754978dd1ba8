"""What tests of several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The corpora, which are no part of the repository; skips where they are absent."""
    path = Path(os.environ.get("JOULEMARK_DATA", REPOSITORY.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no corpora at {path}; set JOULEMARK_DATA")
    return path


@pytest.fixture(scope="session")
def built_in_model() -> Path:
    """The built-in model, fetched into the user's cache by the code that a user runs."""
    from joulemark.engines.model_files import DownloadFailed, ensure_model

    try:
        return ensure_model()
    except DownloadFailed as error:
        pytest.skip(f"the built-in model cannot be downloaded here: {error.why}")
