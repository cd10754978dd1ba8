"""An answer's program without its examples: calls, prints and asserts of the top level."""

from __future__ import annotations

import ast

from joulemark.code.problems.syntax import Definition, bound_names, lines_of, parse, split_lines

_SHOWS = frozenset({"print", "pprint", "display", "input", "exit", "quit"})
_RUNNERS = frozenset({"doctest", "unittest", "pytest", "timeit"})


def without_examples(source: str, name: str) -> tuple[str, int]:
    """Return a program without what only shows how ``name`` is used, and how many statements that were.

    A statement goes if it calls, prints, asserts or reads input, and nothing that stays needs what it binds.
    Raises `NotPython`.
    """
    tree = parse(source)
    examples = [node for node in tree.body if _is_example(node, name)]
    examples = [node for node in examples if name not in bound_names(node) or isinstance(node, ast.Expr)]
    while True:
        needed = {read for node in tree.body if node not in examples for read in _reads(node)}
        kept = [node for node in examples if not (bound_names(node) - {name}) & needed]
        if len(kept) == len(examples):
            break
        examples = kept
    lines = split_lines(source)
    dropped = 0
    shared = _shared_lines(tree)
    for node in reversed(examples):
        first, last = lines_of(node)
        if not shared & set(range(first, last + 1)):
            del lines[first - 1 : last]
            dropped += 1
    return "".join(lines), dropped


def _is_example(node: ast.stmt, name: str) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return False  # a docstring, or a comment in its place
        case ast.Expr(value=ast.Call(func=ast.Name(id=called))) if called in _SHOWS:
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=module)))) if module in _RUNNERS:
            return True
        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield()):
            return _mentions(node, {name})
        case ast.Expr() | ast.Assert():
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
    if isinstance(node, Definition | ast.Import | ast.ImportFrom):
        return False
    return _mentions(node, {name, "input"})


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node))


def _reads(node: ast.stmt) -> set[str]:
    return {
        one.id for one in ast.walk(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    }


def _shared_lines(tree: ast.Module) -> set[int]:
    """Return the lines on which two statements of the top level stand."""
    seen: set[int] = set()
    shared: set[int] = set()
    for node in tree.body:
        first, last = lines_of(node)
        lines = set(range(first, last + 1))
        shared |= lines & seen
        seen |= lines
    return shared
