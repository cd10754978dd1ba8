"""MBPP+ of EvalPlus: many inputs for a solution that says what is right, with a contract and a tolerance."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from joulemark.code.inside.plain import Plain
from joulemark.code.problems.importers.asserts import Case, Cases, cases_of, is_name_call, settled
from joulemark.code.problems.importers.constant import NotConstant, constant
from joulemark.code.problems.importers.humaneval import defines
from joulemark.code.problems.importers.lists import restored, shapes_of
from joulemark.code.problems.importers.mbpp import lines_script, mbpp_id
from joulemark.code.problems.importers.rows import Row, is_shallow, make_problems
from joulemark.code.problems.problem import Checker, Comparison, Problem
from joulemark.code.problems.prompt import task_prompt
from joulemark.code.problems.syntax import parse

ORIGIN = "mbpp_plus"
LICENCE = "Apache-2.0"
FIELDS = ("task_id", "prompt", "entry_point", "canonical_solution", "base_input", "plus_input", "assertion")
MAX_INPUTS = 100_000
_REL_TOL = 1e-7
_LEAST_ABS_TOL = 1e-6  # EvalPlus compares floats so where a row asks for no tolerance
_AS_SETS = frozenset(
    {
        "Diff",
        "common_in_nested_lists",
        "extract_singly",
        "find_char_long",
        "find_dissimilar",
        "intersection_array",
        "larg_nnum",
        "similar_elements",
    }
)
"""Functions whose results EvalPlus compares as sets, as MBPP's own asserts of most of them do."""
_QUOTES = re.compile(r'^\s*("""|\'\'\')(.*)\1\s*$', re.DOTALL)


def read(rows: Sequence[Row]) -> tuple[Problem, ...]:
    """Return the problems of MBPP+ rows. Raises `InputError`."""
    return make_problems(rows, _problem)


def _problem(row: Row) -> Problem:
    entry_point, canonical = row.name("entry_point"), row.text("canonical_solution")
    defines(row, canonical, entry_point)
    assertion = row.source("assertion")
    tree = parse(assertion)
    if entry_point in _AS_SETS:
        _ThroughSets(entry_point).visit(tree)
    tests = tuple(ast.unparse(one) for one in tree.body if isinstance(one, ast.Assert))
    imports = "".join(
        ast.unparse(one) + "\n" for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom)
    )
    cases = cases_of(tree.body, is_name_call(entry_point))
    statement, shown = _asked(row)
    return Problem(
        problem_id=mbpp_id(row),
        title=entry_point,
        statement=statement,
        entry_point=entry_point,
        canonical=canonical,
        origin=ORIGIN,
        licence=LICENCE,
        prompt=task_prompt(
            statement, entry_point=entry_point, assertions=shown or (tests[0] if tests else "")
        ),
        inputs=_inputs(row, cases, entry_point),
        checker=_checker(row, settled(cases)),
        test_source=imports + lines_script(row, canonical, tests, entry_point),
    )


class _ThroughSets(ast.NodeTransformer):
    """Compares what a function returns as a set, wherever it is compared as it is."""

    def __init__(self, entry_point: str) -> None:
        self._is_call = is_name_call(entry_point)

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        """Put ``set(…)`` around both sides."""
        left = node.left
        if isinstance(left, ast.Call) and self._is_call(left.func) and isinstance(node.ops[0], ast.Eq):
            node.left, node.comparators = _set(left), [_set(one) for one in node.comparators]
        return ast.fix_missing_locations(node)


def _set(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("set", ast.Load()), [node], [])


def _asked(row: Row) -> tuple[str, str]:
    """Return what a prompt asks for, and the assert that it shows."""
    prompt = row.text("prompt")
    found = _QUOTES.match(prompt)
    lines = (found[2] if found else prompt).strip().splitlines()
    shown = [line for line in lines if line.startswith("assert ")]
    return "\n".join(line for line in lines if line not in shown).strip(), "\n".join(shown)


def _checker(row: Row, cases: Cases) -> Checker:
    """Return the asserts' comparison where they look through a set or at truth, else one with tolerance."""
    if cases.checker.comparison is Comparison.CHECKER:
        return cases.checker
    tolerance = row.fields.get("atol", 0)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1e9:
        raise row.fault(f'"atol" must be a number from 0 up, but it is {str(tolerance)[:40]}')
    return Checker(Comparison.CLOSE, rel_tol=_REL_TOL, abs_tol=max(float(tolerance), _LEAST_ABS_TOL))


def _inputs(row: Row, cases: Sequence[Case], entry_point: str) -> tuple[tuple[Plain, ...], ...]:
    given: list[Any] = []
    for name in ("base_input", "plus_input"):
        value = row.fields.get(name)
        if value == {}:  # one row writes "none" so
            continue
        if not isinstance(value, list) or not all(isinstance(one, list) for one in value):
            raise row.fault(f'"{name}" must be a list of lists of arguments')
        given += value
    if len(given) > MAX_INPUTS or not is_shallow(given):
        raise row.fault("its inputs are too many, or nested too deep")
    contract = row.fields.get("contract", "")
    has_complex = isinstance(contract, str) and "complex" in contract
    shapes = shapes_of([*(one.args for one in cases), *_calls(row, entry_point)])
    inputs = []
    for args in given:
        parts = zip(args, [*shapes, *[None] * len(args)], strict=False)
        restored_args = tuple(restored(value, shape) for value, shape in parts)
        inputs.append(tuple(map(_number, restored_args)) if has_complex else restored_args)
    return tuple(inputs)


def _calls(row: Row, entry_point: str) -> list[tuple[Plain, ...]]:
    """Return the arguments of all calls in the asserts that are written out, whatever is expected of them."""
    found = []
    for node in ast.walk(parse(row.text("assertion"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == entry_point:
            try:
                found.append(tuple(constant(one) for one in node.args))
            except NotConstant:
                continue
    return found


def _number(value: Plain) -> Plain:
    """Return the number that a text stands for: JSON has no complex ones."""
    if not isinstance(value, str) or len(value) > 100:
        return value
    for kind in (float, complex):
        try:
            return kind(value)
        except ValueError:
            continue
    return value
