"""Every operation of the board's schema with requests made up from it: no 5xx, and answers as stated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.checks import CHECKS, load_all_checks

from doubles.boards import MODERATOR_KEY, BoardDouble, board, bundle

_CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
_EXAMPLES = 6
schemathesis.serializer.alias("application/zip", "application/octet-stream")
_FOUND = st.sampled_from([bundle().digest, bundle(seed=6, watts=5.0).digest])


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardDouble]:
    """A board with a run that is accepted and one that is held back."""
    taken = [bundle().data, bundle(seed=6, watts=5.0).data]
    with board(tmp_path_factory.mktemp("board"), taken) as made:
        yield made


def _operations(where: BoardDouble) -> list[Any]:
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", where.app)
    return [one.ok() for one in schema.get_all_operations()]


def test_every_operation_answers_as_it_states(where: BoardDouble) -> None:
    load_all_checks()
    checks = [CHECKS.get_one(name) for name in _CHECKED]
    operations = _operations(where)
    assert len(operations) > 12
    for operation in operations:

        @given(case=operation.as_strategy(), known=_FOUND, signs_in=st.booleans())
        @settings(
            max_examples=_EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def ask(case: Case, known: str, signs_in: bool) -> None:
            if "digest" in (case.path_parameters or {}):
                case.path_parameters["digest"] = known
            headers = {"Authorization": f"Bearer {MODERATOR_KEY}"} if signs_in else {}
            case.call_and_validate(headers=headers, checks=checks)

        try:
            ask()
        except BaseException as error:
            error.add_note(f"of {operation.method.upper()} {operation.path}")
            raise
