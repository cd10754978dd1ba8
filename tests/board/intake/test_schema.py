"""Every operation that the board's schema states, with requests made up from it: no 5xx, answers as stated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.checks import CHECKS

from doubles.boards import MODERATOR_KEY, BoardDouble, board, bundle

_CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
)


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardDouble]:
    """A board with a run that is accepted and one that is held back."""
    given = [bundle().data, bundle(seed=6, watts=5.0).data]
    with board(tmp_path_factory.mktemp("board"), given) as made:
        yield made


@pytest.fixture(scope="module")
def schema(where: BoardDouble) -> Any:
    """What it says of itself."""
    found = schemathesis.openapi.from_asgi("/api/v1/openapi.json", where.app)
    found.config.generation.update(max_examples=12)
    return found


stated = schemathesis.pytest.from_fixture("schema")


@stated.parametrize()
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_operation_answers_as_it_states(case: Case) -> None:
    headers = {"Authorization": f"Bearer {MODERATOR_KEY}"} if len(case.path) % 2 else {}
    answer = case.call(headers=headers)
    case.validate_response(answer, checks=[CHECKS.get_one(name) for name in _CHECKED])
