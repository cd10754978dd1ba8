"""Which parts of one program another program needs: imports, helpers, constants."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from joulemark.code.problems.syntax import (
    Definition,
    NotPython,
    bound_names,
    parse,
    segment,
    split_lines,
    unbound_names,
)


def needed(names: Iterable[str], source: str, *, without: frozenset[str] = frozenset()) -> str:
    """Return those statements of ``source`` that bind ``names``, and what they need in turn.

    Imports, definitions and assignments of its top level only, in its order; names in ``without`` are not
    looked for. Raises `NotPython`.
    """
    tree = parse(source)
    lines = split_lines(source)
    binders: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        if isinstance(
            node, Definition | ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.If | ast.Try
        ):
            for name in bound_names(node):
                binders.setdefault(name, []).append(node)
    kept: set[ast.stmt] = set()
    wanted = [name for name in names if name not in without]
    seen: set[str] = set(wanted)
    while wanted:
        for node in binders.get(wanted.pop(), []):
            if node in kept:
                continue
            kept.add(node)
            try:
                more = unbound_names(segment(lines, node)) - seen - without
            except NotPython:  # a statement that shares its lines with others
                continue
            seen |= more
            wanted += more
    return "".join(segment(lines, node) for node in tree.body if node in kept)


def around(source: str, entry_point: str) -> str:
    """Return a prompt's program without the function that is asked for: its imports and helpers.

    Raises `NotPython`.
    """
    tree = parse(source)
    lines = split_lines(source)
    kept = [
        node
        for node in tree.body
        if not (isinstance(node, Definition) and node.name == entry_point)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    return "".join(segment(lines, node) for node in kept)
