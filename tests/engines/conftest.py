"""Makes the shared doubles importable; finds the corpus of streams and the built-in model."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))


@pytest.fixture(scope="session")
def sse_corpus() -> list[Path]:
    """The bodies of the corpus; skips where there is none."""
    data = os.environ.get("JOULEMARK_DATA") or Path(__file__).parents[3] / "shared" / "data"
    bodies = [
        path
        for path in sorted(Path(data, "sse").glob("*"))
        if path.name[:2].isdigit() and not path.name.endswith(".expect.json")
    ]
    if not bodies:
        pytest.skip(f"no corpus of streams in {data}; set JOULEMARK_DATA")
    return bodies


@pytest.fixture(scope="session")
def built_in_model() -> Path:
    """The built-in model, fetched into the user's cache by the code that a user runs."""
    from joulemark.engines.model_files import DownloadFailed, ensure_model

    try:
        return ensure_model()
    except DownloadFailed as error:
        pytest.skip(f"the built-in model cannot be downloaded here: {error.why}")
