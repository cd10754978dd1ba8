"""MBPP, whole or sanitized: a sentence, a solution, and ``assert`` lines that call it by its name."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from joulemark.code.problems.importers.asserts import (
    CANDIDATE,
    Cases,
    Renamed,
    cases_of,
    is_name_call,
    script,
    settled,
)
from joulemark.code.problems.importers.needs import needed
from joulemark.code.problems.importers.rows import Row, make_problems
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.prompt import task_prompt
from joulemark.code.problems.syntax import definitions, parse, unbound_names

ORIGIN = "mbpp"
LICENCE = "CC-BY-4.0"
FIELDS = ("task_id", "code", "test_list")


def read(rows: Sequence[Row]) -> tuple[Problem, ...]:
    """Return the problems of MBPP's rows. Raises `InputError`."""
    return make_problems(rows, _problem)


def _problem(row: Row) -> Problem:
    canonical, tests = row.source("code"), row.texts("test_list")
    statement = row.text("prompt" if "prompt" in row.fields else "text").strip()
    entry_point = entry_point_of(row, canonical, tests)
    cases = cases_of_lines(tests, entry_point)
    return Problem(
        problem_id=mbpp_id(row),
        title=entry_point,
        statement=statement,
        entry_point=entry_point,
        canonical=canonical,
        origin=ORIGIN,
        licence=LICENCE,
        prompt=task_prompt(statement, entry_point=entry_point, assertions="\n".join(tests)),
        inputs=cases.inputs,
        expected=cases.expected,
        checker=cases.checker,
        test_source=lines_script(row, canonical, tests, entry_point),
    )


def mbpp_id(row: Row) -> str:
    """Return a row's id as other tools write it: ``Mbpp/2``."""
    identity = row.identity("task_id")
    return f"Mbpp/{identity}" if identity.isdecimal() else identity


def entry_point_of(row: Row, canonical: str, tests: Sequence[str]) -> str:
    """Return the function of the solution that the tests call: the first, where there are several."""
    functions = {name for name, node in definitions(parse(canonical)).items() if _is_function(node)}
    for number, test in enumerate(tests):
        row.check_source(test, f"test {number + 1}")
        calls = [node for node in ast.walk(parse(test)) if isinstance(node, ast.Call)]
        called = [node.func for node in calls if isinstance(node.func, ast.Name)]
        found = [one for one in called if one.id in functions]
        if found:
            return min(found, key=lambda one: (one.lineno, one.col_offset)).id
    raise row.fault("its tests call no function that its solution defines")


def _is_function(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef)


def cases_of_lines(tests: Sequence[str], entry_point: str) -> Cases:
    """Return the cases of assert lines that are written out."""
    statements = [one for test in tests for one in parse(test).body]
    return settled(cases_of(statements, is_name_call(entry_point)))


def lines_script(row: Row, canonical: str, tests: Sequence[str], entry_point: str) -> str:
    """Return ``check(candidate)`` of assert lines, with the imports that they want before it."""
    if not tests:
        raise row.fault('"test_list" is empty')
    tree = ast.Module([one for test in tests for one in parse(test).body], [])
    Renamed(entry_point).visit(tree)
    imports = "\n".join(row.texts("test_imports", may_be_missing=True))
    setup = row.fields.get("test_setup_code", "")
    before = "\n".join(part for part in (imports, setup if isinstance(setup, str) else "") if part.strip())
    row.check_source(before, "what its tests import")
    source = script(tree.body, before)
    missing = unbound_names(source) - {CANDIDATE}
    found = needed(missing, canonical, without=frozenset({entry_point}))
    forgotten = sorted((unbound_names(found + source) - {CANDIDATE}) & sys.stdlib_module_names)
    return "".join(f"import {name}\n" for name in forgotten) + found + source
