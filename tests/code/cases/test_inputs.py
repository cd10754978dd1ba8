"""Inputs are made in one go, and one at a time where that fails."""

from __future__ import annotations

import pytest

from doubles.small_problems import total_problem
from joulemark.code.cases.inputs import Wanted, make_inputs
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.problems.problem import Generator
from joulemark.record.errors import InputError

_WANTED = [Wanted(size, "one", size) for size in (1, 2, 3)]


def _made(sandbox: Sandbox, at_two: str) -> list[tuple[int, object]]:
    source = f"def generate(rng, size, shape):\n    if size == 2:\n        {at_two}\n    return ([size],)\n"
    problem = total_problem(generator=Generator(source, sizes=(1, 3), shapes=("one",)))
    return [(one.wanted.size, one.args) for one in make_inputs(sandbox, problem, _WANTED)]


def test_each_is_what_was_asked_for(sandbox: Sandbox) -> None:
    assert _made(sandbox, "pass") == [(size, ([size],)) for size in (1, 2, 3)]


def test_one_that_is_too_large_to_be_sent_takes_no_other_with_it(sandbox: Sandbox) -> None:
    assert _made(sandbox, "return ('x' * (40 << 20),)") == [(1, ([1],)), (3, ([3],))]


@pytest.mark.parametrize(
    ("at_two", "why"), [("raise KeyError('two')", "KeyError"), ("return [2]", "not a tuple")]
)
def test_one_that_fails_is_told(sandbox: Sandbox, at_two: str, why: str) -> None:
    with pytest.raises(InputError, match="the generator of") as caught:
        _made(sandbox, at_two)
    assert why in caught.value.why
