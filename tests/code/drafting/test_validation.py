"""A generator is taken only if it does all that is asked; what it does not is said with the reason."""

from __future__ import annotations

import re
from typing import Any

import pytest

from doubles.scripted_model import BARE_LIST, CLOCK, ENDLESS, GOOD, HEAD, LEAVES
from doubles.small_problems import scripted_problem, total_problem
from joulemark.code.cases.make import make_cases
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.drafting.draft import draft_of
from joulemark.code.drafting.validation import validate
from joulemark.code.drafting.verdict import Check, Verdict
from joulemark.code.problems.problem import Checker, Comparison, Problem

_OPEN = total_problem(generator=None)


def _found(sandbox: Sandbox, source: str, problem: Problem = _OPEN) -> dict[Check, Verdict]:
    return {one.check: one for one in validate(sandbox, problem, draft_of(source), 20)}


def test_a_sound_generator_passes_every_check_and_then_makes_tests(sandbox: Sandbox) -> None:
    found = _found(sandbox, GOOD)
    assert [one for one in found.values() if one.passed is not True] == []
    assert list(found) == list(Check)[2:-1]
    problem = draft_of(GOOD).put_into(_OPEN)
    assert len(make_cases(sandbox, problem, 30)) == 30


def test_a_problem_without_examples_and_brute_force_says_what_could_not_be_checked(sandbox: Sandbox) -> None:
    source = HEAD + (
        "def generate(rng, size, shape):\n"
        '    return (size * 1000 + rng.randint(0, 999) * (2 if shape == "rising" else 1),)\n'
    )
    slow = "def double(number):\n    return sum(2 for _ in range(number))\n"
    problem = scripted_problem()
    found = _found(sandbox, source, problem)
    assert found[Check.TYPES].passed is None
    assert found[Check.BRUTE_FORCE].passed is None
    assert not found[Check.SIZES].passed
    assert "neither inputs nor times grow" in found[Check.SIZES].detail
    assert found[Check.TESTS].passed is None
    by_time = Problem(**{**_fields(problem), "canonical": slow})
    source = source.replace("size * 1000 + rng.randint(0, 999)", "size * 20 + rng.randint(0, 19)")
    assert _found(sandbox, source, by_time)[Check.SIZES].passed, "it takes longer, and that is enough"


def _fields(problem: Problem) -> dict[str, Any]:
    return {name: getattr(problem, name) for name in problem.__dataclass_fields__}


_BODY = "def generate(rng, size, shape):\n"
_RISING = '    return (sorted(values) if shape == "rising" else values,)\n'
_FORGES = """
import os

def generate(rng, size, shape):
    said = b'{"kind": "returned", "values": ["{\\\\"t\\\\": [[1, 2]]}"]}'
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, len(said).to_bytes(4, "big") + said)
        except OSError:
            pass
    return ([rng.random()],)
"""
_THING = _BODY + "    class Thing:\n        pass\n    return ([Thing()],)\n"
_STATE = (
    "_seen = []\n\n\n"
    + _BODY
    + (
        "    _seen.append(size)\n    values = [rng.randint(0, 9) + len(_seen) for _ in range(size)]\n"
        + _RISING
    )
)
_GLOBAL = (
    "import random\n\n\n" + _BODY + ("    values = [random.randint(0, 99) for _ in range(size)]\n" + _RISING)
)


@pytest.mark.parametrize(
    ("source", "check", "says"),
    [
        (HEAD + "raise OSError('no')\n\n\n" + GOOD, Check.LOADS, "OSError: no"),
        (BARE_LIST, Check.MAKES, r"generate\(rng, 1, 'random'\) returned a list, not a tuple"),
        (ENDLESS, Check.MAKES, "over cpu|timed out"),
        (LEAVES, Check.MAKES, "exited .it ended itself with code 0"),
        (HEAD + _FORGES, Check.MAKES, "broke protocol|crashed|exited"),
        (HEAD + _THING, Check.MAKES, "holds a Thing"),
        (HEAD + _BODY + "    return ([0] * 10**10,)\n", Check.MAKES, "over memory"),
        (HEAD + _BODY + "    return (open('/etc/passwd').read(),)\n", Check.MAKES, "raised"),
        (CLOCK, Check.DETERMINISTIC, "with the same seed gave"),
        (HEAD + _STATE, Check.DETERMINISTIC, "keep nothing between calls"),
        (HEAD + _GLOBAL, Check.DETERMINISTIC, "draw from `rng` alone"),
        (GOOD.replace("(values,)", "(tuple(values),)"), Check.TYPES, "argument 1 is of type tuple"),
        (GOOD.replace("(values,)", "([None, *values],)"), Check.ACCEPTED, "raised .TypeError"),
        (GOOD.replace("range(size)", "range(50)"), Check.SIZES, "neither inputs nor times grow"),
        (GOOD.replace("        values.sort()", "        pass"), Check.SHAPES, "give the same inputs"),
        (
            HEAD + _BODY + '    return (list(range(size))[:: -1 if shape == "rising" else 1],)\n',
            Check.DISTINCT,
            "and 20 must be",
        ),
        (
            GOOD.replace("(values,)", "(values + [-one for one in values],)"),
            Check.RESULTS,
            "gives 0 for every",
        ),
    ],
)
def test_what_fails_is_told_with_the_reason(sandbox: Sandbox, source: str, check: Check, says: str) -> None:
    found = _found(sandbox, source)
    assert found[check].passed is False
    assert re.search(says, found[check].detail), found[check].detail
    assert found[Check.TESTS].passed is None


@pytest.mark.parametrize(
    "checker",
    [
        Checker(),
        Checker(Comparison.CHECKER, source="def check(args, expected, got):\n    return expected == got"),
    ],
)
def test_brute_force_must_agree_whoever_compares(sandbox: Sandbox, checker: Checker) -> None:
    """The statement's limits are broken (negative values), which the two solutions treat differently."""
    problem = total_problem(
        generator=None,
        canonical="def total(values):\n    return sum(map(abs, values))\n",
        checker=checker,
    )
    found = _found(sandbox, GOOD, problem)
    assert found[Check.BRUTE_FORCE].passed is False
    assert "is that a valid input?" in found[Check.BRUTE_FORCE].detail


def test_tests_that_a_slow_solution_does_not_pass_are_refused(sandbox: Sandbox) -> None:
    slow = "def total(values):\n    assert len(values) < 100\n    return sum(values)\n"
    found = _found(sandbox, GOOD, total_problem(generator=None, slow={"slow_short": slow}))
    assert found[Check.TESTS].passed is False
    assert "slow_short: raised" in found[Check.TESTS].detail
