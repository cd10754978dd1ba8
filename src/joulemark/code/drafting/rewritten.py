"""A problem's file with another generator in it: the rest of the file stays as it was, to the letter."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import replace

from joulemark.code.drafting.draft import GENERATE, SHAPES, SIZES, Draft
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.problem_file import parse_problem
from joulemark.code.problems.syntax import (
    Definition,
    NotPython,
    bound_names,
    lines_of,
    parse,
    segment,
    split_lines,
)
from joulemark.record.errors import InputError

_INDENT = "    "


class Unwritable(ValueError):
    """A generator that cannot stand in a problem's file; the text says why."""


def rewritten(text: str, problem: Problem, draft: Draft) -> str:
    """Return the text of a problem's file with a drafted generator in place of the one it has, or at its end.

    The generator becomes one function that needs nothing around it, so that no other part of the file gets
    other helpers than before. Raises `Unwritable`, also where the result would be another problem.
    """
    tree = parse(text)
    lines = split_lines(text if text.endswith("\n") else text + "\n")
    new = {
        SIZES: f"{SIZES} = ({draft.sizes[0]:_}, {draft.sizes[1]:_})\n",
        SHAPES: f"{SHAPES} = ({', '.join(map(_quoted, draft.shapes))})\n",
        GENERATE: one_function(draft.source, given=_imports(tree)),
    }
    spans: list[tuple[int, int, str]] = []
    first_function = len(lines) + 1
    for node in tree.body:
        first, last = lines_of(node)
        spans += [(first, last, new.pop(name)) for name in _names(node) & set(new)]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first_function = min(first_function, first)
    constants = "".join(new.pop(name) for name in (SIZES, SHAPES) if name in new)
    if constants:
        spans.append((first_function, first_function - 1, f"{constants}\n\n"))
    for first, last, part in sorted(spans, reverse=True):
        lines[first - 1 : last] = [part]
    whole = "".join(lines)
    if GENERATE in new:
        whole = f"{whole.rstrip()}\n\n\n{new[GENERATE]}"
    _check_same(whole, problem)
    return whole


def one_function(source: str, given: frozenset[str] = frozenset()) -> str:
    """Return a generator's program as one function: imports, helpers and constants move into it.

    ``given``: imports (as ``ast.unparse`` writes them) that stand around it already. Raises `Unwritable` for
    what cannot stand in a function.
    """
    tree = parse(source)
    lines = split_lines(source)
    _check_movable(tree)
    function = next(
        node for node in reversed(tree.body) if isinstance(node, ast.FunctionDef) and node.name == GENERATE
    )
    read = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    moved = [node for node in tree.body if _moves(node, function, read) and ast.unparse(node) not in given]
    if not moved:
        return segment(lines, function)
    _strip_annotations(function, {name for node in moved for name in bound_names(node)})
    has_docstring = ast.get_docstring(function) is not None
    head = function.body[: 1 if has_docstring else 0]
    wanted = ast.FunctionDef(
        **{**dict(ast.iter_fields(function)), "body": [*head, *moved, *function.body[len(head) :]]}
    )
    split_at = head[-1].end_lineno or function.lineno if head else lines_of(function.body[0])[0] - 1
    first, last = lines_of(function)
    text = "".join(
        [
            *lines[first - 1 : split_at],
            *(textwrap.indent(segment(lines, node), _INDENT) for node in moved),
            *lines[split_at:last],
        ]
    )
    # A text in quotes may have been indented, or statements share lines: then only the syntax is kept.
    try:
        if ast.dump(parse(text).body[0]) == ast.dump(wanted):
            return text if text.endswith("\n") else text + "\n"
    except (NotPython, IndexError):
        pass
    return ast.unparse(ast.fix_missing_locations(wanted)) + "\n"


def _strip_annotations(function: ast.FunctionDef, moved: set[str]) -> None:
    """Leave the head of a function without types where they need what moves into its body."""
    arguments = (*function.args.posonlyargs, *function.args.args)
    types = [one for one in (function.returns, *(one.annotation for one in arguments)) if one is not None]
    read = {node.id for one in types for node in ast.walk(one) if isinstance(node, ast.Name)}
    if read & moved:
        function.returns = None
        for one in arguments:
            one.annotation = None


def _imports(tree: ast.Module) -> frozenset[str]:
    return frozenset(ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))


def _moves(node: ast.stmt, function: ast.FunctionDef, read: set[str]) -> bool:
    if node is function:
        return False
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return False  # a docstring
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return False
    return not _names(node) & {SIZES, SHAPES} or bool(_names(node) & read)


def _check_movable(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            raise Unwritable(f"it changes global variables ({', '.join(node.names)[:80]})")
        if isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names):
            raise Unwritable("it imports `*`")
    generators = [node for node in tree.body if isinstance(node, Definition) and node.name == GENERATE]
    if len(generators) != 1:
        raise Unwritable("it defines `generate` twice")


def _names(node: ast.stmt) -> frozenset[str]:
    if isinstance(node, Definition):
        return frozenset({node.name})
    return bound_names(node) if isinstance(node, ast.Assign | ast.AnnAssign) else frozenset()


def _quoted(name: str) -> str:
    text = repr(name)
    return f'"{name}"' if text == f"'{name}'" and '"' not in name and "\\" not in text else text


def _check_same(text: str, problem: Problem) -> None:
    try:
        back = parse_problem(text, problem.problem_id, origin=problem.origin, licence=problem.licence)
    except InputError as error:
        raise Unwritable(f"{error.what}: {error.why}") from error
    if replace(back, generator=None) != replace(problem, generator=None):
        raise Unwritable("other parts of the file would change with it")
