"""What tests of several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

# The same examples everywhere, so that what passes here passes on a stranger's machine.
# `pytest -m hypothesis --hypothesis-profile=explore` looks for new ones.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile(
    "explore", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("fixed")

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
