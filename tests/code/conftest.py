"""A sandbox for the tests of generated code: the real one, one for the session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from joulemark.code.contain.containment import WHOLE
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.record.errors import InputError


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    try:
        box = Sandbox(WHOLE, Limits(wall_s=12, cpu_s=2))
    except InputError as error:
        pytest.skip(f"no whole containment on this machine: {error.why}")
    with box:
        yield box
