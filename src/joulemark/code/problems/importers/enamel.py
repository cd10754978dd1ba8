"""ENAMEL: HumanEval's prompts with generators of four levels of size, expert solutions and checkers."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.code.problems.importers.enamel_generators import HELPERS
from joulemark.code.problems.importers.humaneval import defines, preamble_of, statement_of
from joulemark.code.problems.importers.needs import needed
from joulemark.code.problems.importers.rows import Row, make_problems
from joulemark.code.problems.problem import Checker, Comparison, Generator, Problem
from joulemark.code.problems.syntax import KNOWN_NAMES, NotPython, definitions, parse, unbound_names

ORIGIN = "enamel"
LICENCE = "Apache-2.0"
FIELDS = (
    "task_id",
    "prompt",
    "input_generator",
    "input_levels",
    "reference_solution",
    "checker",
    "entry_point",
)
CASES_PER_LEVEL = (8, 4, 4, 4)
HARDNESS = (0.0, 3.0, 3.0, 4.0)
"""Weights of the levels in the published score; level 0 says only whether a program is right."""
_LEFT_OUT = (
    2,
    23,
    41,
    45,
    53,
    60,
    71,
    92,
    97,
    99,
    102,
    123,
    124,
    135,
    137,
    138,
    144,
    148,
    156,
    157,
    159,
    160,
)
LEFT_OUT = frozenset(f"HumanEval/{number}" for number in _LEFT_OUT)
"""Problems of the table that the published scores leave out: 142 of 164 count."""
_MAX_LEVELS = 20
_EQUAL = "return type(output) == type(answer) and output == answer"

_GENERATE = """

def generate(rng, size, shape):
    level, case = map(int, shape.split("/"))
    random.seed(rng.getrandbits(64))
    return tuple(generate_input(size, level, case))
"""
_CHECK = "\n\ndef check(args, expected, got):\n    return bool(__check(args, expected, got))\n"


def read(rows: Sequence[Row]) -> tuple[Problem, ...]:
    """Return the problems of ENAMEL's table. Raises `InputError`."""
    return make_problems(rows, _problem)


def _problem(row: Row) -> Problem:
    prompt, entry_point = row.text("prompt"), row.name("entry_point")
    prompt = prompt if prompt.endswith("\n") else prompt + "\n"
    canonical = prompt + row.text("reference_solution")
    defines(row, canonical, entry_point)
    levels = _levels(row)
    return Problem(
        problem_id=row.identity("task_id"),
        title=entry_point,
        statement=statement_of(prompt, entry_point),
        entry_point=entry_point,
        canonical=canonical,
        origin=ORIGIN,
        licence=LICENCE,
        prompt=prompt,
        completes_prompt=True,
        checker=_checker(row, prompt, entry_point),
        generator=Generator(
            source=_generator(row, prompt, entry_point),
            sizes=(levels[1], levels[-1]) if len(levels) > 1 and levels[1] < levels[-1] else None,
            shapes=tuple(f"{len(levels) - 1}/{case}" for case in range(_cases(levels)[-1])),
            levels=levels,
            cases_per_level=_cases(levels),
            level_weights=_weights(row.identity("task_id"), levels),
        ),
    )


def _cases(levels: Sequence[int]) -> tuple[int, ...]:
    return (*CASES_PER_LEVEL, *[CASES_PER_LEVEL[-1]] * len(levels))[: len(levels)]


def _weights(identity: str, levels: Sequence[int]) -> tuple[float, ...]:
    if identity in LEFT_OUT or len(levels) != len(HARDNESS):
        return ()
    return HARDNESS


def _levels(row: Row) -> tuple[int, ...]:
    words = row.text("input_levels").split()
    if len(words) > _MAX_LEVELS or not all(word.isdecimal() and len(word) < 20 for word in words):
        raise row.fault('"input_levels" must be sizes with blanks between them, such as `20 100 10000`')
    return tuple(map(int, words))


def _generator(row: Row, prompt: str, entry_point: str) -> str:
    source = row.source("input_generator")
    if "generate_input" not in definitions(parse(source)):
        raise row.fault('"input_generator" does not define `generate_input`')
    whole = HELPERS + "\n\n" + source.rstrip() + "\n" + _GENERATE
    return _with_prompt(row, whole, prompt, entry_point, "input_generator")


def _checker(row: Row, prompt: str, entry_point: str) -> Checker:
    source = row.source("checker")
    if "__check" not in definitions(parse(source)):
        raise row.fault('"checker" does not define `__check`')
    if source.split("\n", 1)[-1].strip() == _EQUAL:
        return Checker(Comparison.EQUAL, same_type=True)
    whole = source.rstrip() + "\n" + _CHECK
    return Checker(Comparison.CHECKER, source=_with_prompt(row, whole, prompt, entry_point, "checker"))


def _with_prompt(row: Row, source: str, prompt: str, entry_point: str, name: str) -> str:
    """Put before a source what it takes from the prompt: an encoder, the value of a polynomial."""
    missing = unbound_names(source)
    if not missing:
        return source
    try:
        whole = needed(missing, preamble_of(prompt, entry_point)) + source
    except NotPython as error:
        raise row.fault(f"its prompt is no Python: {error.why}") from error
    left = unbound_names(whole) - KNOWN_NAMES
    if left:
        raise row.fault(f'"{name}" uses {", ".join(sorted(left))[:80]}, which nothing defines')
    return whole
