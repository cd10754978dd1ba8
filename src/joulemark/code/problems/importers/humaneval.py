"""HumanEval: a prompt that is the head of a function, its body, and ``check(candidate)``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from joulemark.code.problems.importers.asserts import (
    CANDIDATE,
    Cases,
    Renamed,
    cases_of,
    is_name_call,
    settled,
)
from joulemark.code.problems.importers.needs import around, needed
from joulemark.code.problems.importers.rows import Row, make_problems
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.syntax import NotPython, definitions, function_of, parse, unbound_names

ORIGIN = "humaneval"
LICENCE = "MIT"
FIELDS = ("task_id", "prompt", "entry_point", "canonical_solution", "test")
_BODY = "\n    pass\n"
_SEEDED = "import random as _random\n\n_random.seed(0)\n"


def read(rows: Sequence[Row]) -> tuple[Problem, ...]:
    """Return the problems of HumanEval's rows. Raises `InputError`."""
    return make_problems(rows, _problem)


def _problem(row: Row) -> Problem:
    prompt, entry_point = row.text("prompt"), row.name("entry_point")
    canonical = prompt + row.text("canonical_solution")
    defines(row, canonical, entry_point)
    cases = test_cases(row, "test")
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
        inputs=cases.inputs,
        expected=cases.expected,
        checker=cases.checker,
        test_source=test_script(row, "test", prompt, entry_point),
    )


def defines(row: Row, source: str, entry_point: str) -> None:
    """Raise `InputError` where a source is no Python, or does not define what is to be called."""
    row.check_source(source, "its solution")
    if function_of(parse(source), entry_point) is None:
        raise row.fault(f"its solution does not define {entry_point!r}")


def test_script(row: Row, name: str, prompt: str, entry_point: str) -> str:
    """Return a row's ``check(candidate)``, which finds all it needs, without the program under test.

    What it takes from the prompt (a polynomial's value, an encoder) comes before it; where it calls the
    function under test by its name, it calls the candidate. Tests that draw numbers draw the same each time.
    """
    tree = _checked(row, name)
    source = ast.unparse(ast.fix_missing_locations(Renamed(entry_point).visit(tree))) + "\n"
    missing = unbound_names(source) - {CANDIDATE}
    before = needed(missing, prompt + _BODY, without=frozenset({entry_point}))
    seed = _SEEDED if "random" in source else ""
    return "\n".join(part for part in (seed, before, source) if part)


def test_cases(row: Row, name: str) -> Cases:
    """Return the cases of a row's ``check(candidate)`` that are written out."""
    check = definitions(_checked(row, name))["check"]
    return settled(cases_of(check.body, is_name_call(CANDIDATE)))


def _checked(row: Row, name: str) -> ast.Module:
    tree = parse(row.source(name))
    check = definitions(tree).get("check")
    if not isinstance(check, ast.FunctionDef) or [one.arg for one in check.args.args] != [CANDIDATE]:
        raise row.fault(f'"{name}" does not define `check(candidate)`')
    return tree


def statement_of(prompt: str, entry_point: str) -> str:
    """Return the docstring of the function that a prompt asks for; the prompt where it has none."""
    try:
        function = function_of(parse(prompt + _BODY), entry_point)
    except NotPython:
        function = None
    text = None if function is None else ast.get_docstring(function)
    return text.strip() if text else prompt.strip()


def preamble_of(prompt: str, entry_point: str) -> str:
    """Return the imports and helpers of a prompt. Raises `NotPython`."""
    return around(prompt + _BODY, entry_point)
