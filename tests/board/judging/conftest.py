"""Facts of one honest run, for tests that change a fact at a time."""

from __future__ import annotations

import pytest

from doubles.board_runs import content_of, verified
from doubles.forgeries import H100
from joulemark.board.judging import RunFacts, facts_of


@pytest.fixture(scope="session")
def facts() -> RunFacts:
    """One request at a time on an H100, Llama 3.1 8B in bfloat16, tier C."""
    return facts_of(verified(content_of(H100)))
