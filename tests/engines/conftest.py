"""Finds the corpus of streams."""

import os
from pathlib import Path

import pytest


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
