"""Tests written as ``assert`` statements: as a script that calls a candidate, and as plain cases.

A script keeps every statement. Cases are those asserts whose call and expected value are written out.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from joulemark.code.inside.plain import Plain
from joulemark.code.problems.importers.constant import NotConstant, constant
from joulemark.code.problems.problem import Checker, Comparison

CANDIDATE = "candidate"

IsCall = Callable[[ast.expr], bool]
"""Tells whether an expression is what is called: the function under test."""

AS_TRUTH = Checker(
    Comparison.CHECKER,
    source="def check(args, expected, got):\n    return bool(got) == bool(expected)\n",
)
"""Only whether a result is true counts: a result of no plain type, such as a match of `re`, is true too."""
_THROUGH = """def check(args, expected, got):
    if not isinstance(got, (list, tuple, set, frozenset, str, dict)):
        return False
    return {name}(got) == {name}(expected)
"""
_COLLECTIONS = ("set", "tuple", "list", "sorted", "frozenset")


@dataclass(frozen=True, slots=True)
class Case:
    """A call that an assert makes, what it must return, and how the assert compares the two."""

    args: tuple[Plain, ...]
    expected: Plain
    checker: Checker


@dataclass(frozen=True, slots=True)
class Cases:
    """Cases that one checker can judge."""

    inputs: tuple[tuple[Plain, ...], ...] = ()
    expected: tuple[Plain, ...] | None = None
    checker: Checker = field(default_factory=Checker)


def settled(cases: Iterable[Case]) -> Cases:
    """Return the cases of the most common comparison; the script of the tests holds the others too."""
    found = list(cases)
    if not found:
        return Cases()
    checker = Counter(one.checker for one in found).most_common(1)[0][0]
    kept = [one for one in found if one.checker == checker]
    return Cases(tuple(one.args for one in kept), tuple(one.expected for one in kept), checker)


def cases_of(statements: Sequence[ast.stmt], is_call: IsCall) -> list[Case]:
    """Return the cases among statements: those asserts that are understood whole."""
    found = (_case(one.test, is_call) for one in statements if isinstance(one, ast.Assert))
    return [one for one in found if one is not None]


def is_name_call(name: str) -> IsCall:
    """Return what tells calls of a function by its name."""

    def tells(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == name

    return tells


def _case(test: ast.expr, is_call: IsCall) -> Case | None:
    try:
        return _read(test, is_call)
    except NotConstant:
        return None


def _read(test: ast.expr, is_call: IsCall) -> Case | None:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if (args := _args(operand, is_call)) is not None:
            return Case(args, False, AS_TRUTH)
        case ast.Call() if (args := _args(test, is_call)) is not None:
            return Case(args, True, AS_TRUTH)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr="isclose"), args=[call, expected]):
            if (args := _args(call, is_call)) is not None:
                named = {one.arg: constant(one.value) for one in test.keywords}
                return _close(args, expected, named.get("rel_tol", 1e-9), named.get("abs_tol", 0.0))
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _compared(left, operator, right, is_call)
    return None


def _compared(left: ast.expr, operator: ast.cmpop, right: ast.expr, is_call: IsCall) -> Case | None:
    if isinstance(operator, ast.Lt | ast.LtE):
        match left:
            case ast.Call(
                func=ast.Name(id="abs"),
                args=[ast.BinOp(left=call, op=ast.Sub(), right=expected)],
                keywords=[],
            ) if (args := _args(call, is_call)) is not None:
                return _close(args, expected, 0.0, constant(right))
        return None
    if not isinstance(operator, ast.Eq | ast.Is):
        return None
    if (args := _args(left, is_call)) is not None:
        expected = constant(right)
        if isinstance(operator, ast.Is) and not (expected is None or isinstance(expected, bool)):
            return None
        return Case(args, expected, Checker(same_type=isinstance(operator, ast.Is)))
    match left, right:
        case ast.Call(func=ast.Name(id=name), args=[call], keywords=[]), ast.Call(
            func=ast.Name(id=other), args=[value], keywords=[]
        ) if name == other and name in _COLLECTIONS and (args := _args(call, is_call)) is not None:
            checker = Checker(Comparison.CHECKER, source=_THROUGH.format(name=name))
            return Case(args, constant(value), checker)
    return None


def _close(args: tuple[Plain, ...], expected: ast.expr, rel_tol: Plain, abs_tol: Plain) -> Case | None:
    for one in (rel_tol, abs_tol):
        if not isinstance(one, int | float):
            return None
    return Case(
        args, constant(expected), Checker(Comparison.CLOSE, rel_tol=float(rel_tol), abs_tol=float(abs_tol))
    )


def _args(node: ast.expr, is_call: IsCall) -> tuple[Plain, ...] | None:
    """Return the arguments of a call of the function under test; null for anything else."""
    if not isinstance(node, ast.Call) or node.keywords or not is_call(node.func):
        return None
    return tuple(constant(one) for one in node.args)


class Renamed(ast.NodeTransformer):
    """Puts `CANDIDATE` in place of a function's name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Rename."""
        if node.id == self._name:
            return ast.copy_location(ast.Name(CANDIDATE, node.ctx), node)
        return node


def script(statements: Sequence[ast.stmt], preamble: str = "") -> str:
    """Return the source of ``check(candidate)`` that runs the statements, after a preamble."""
    body = list(statements) or [ast.Pass()]
    arguments = ast.arguments([], [ast.arg(CANDIDATE)], None, [], [], None, [])
    function = ast.FunctionDef("check", arguments, body, [], None)
    tree = ast.fix_missing_locations(ast.Module([function], []))
    head = preamble.rstrip() + "\n\n\n" if preamble.strip() else ""
    return head + ast.unparse(tree) + "\n"
