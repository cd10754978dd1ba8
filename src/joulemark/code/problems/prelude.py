"""Source that goes before a program, joined with it so that both still run."""

from __future__ import annotations

import ast
import re

from joulemark.code.problems.syntax import NotPython, parse

_FUTURE = "__future__"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")  # as the parser counts: a form feed ends none


def with_prelude(prelude: str, source: str) -> str:
    """Return one source: the program's ``from __future__`` lines, which must come first, prelude, program.

    A source that is no Python goes behind the prelude as it is: what is wrong with it shows when it is run.
    """
    if not prelude:
        return source
    first, rest = _taken_out(source) if _FUTURE in source else ("", source)
    return f"{first}{prelude}\n{rest}"


def _taken_out(source: str) -> tuple[str, str]:
    """Return a source's ``from __future__`` lines as one, and the source with ``pass`` in their place.

    Those that do not come first stay where they are: Python refuses them with a prelude and without.
    """
    try:
        body = parse(source).body
    except NotPython:
        return "", source
    nodes = _futures(body[1:] if body and _is_docstring(body[0]) else body)
    lines = [line.encode() for line in _LINE.findall(source)]
    if not nodes or len(lines) < (nodes[-1].end_lineno or 0):
        return "", source
    for node in reversed(nodes):
        begin, end = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        kept = lines[begin][: node.col_offset] + b"pass" + lines[end][node.end_col_offset :]
        lines[begin : end + 1] = [kept]
    names = dict.fromkeys(ast.unparse(one) for node in nodes for one in node.names)
    return f"from {_FUTURE} import {', '.join(names)}\n", b"".join(lines).decode()


def _futures(body: list[ast.stmt]) -> list[ast.ImportFrom]:
    found: list[ast.ImportFrom] = []
    for node in body:
        if not isinstance(node, ast.ImportFrom) or node.module != _FUTURE or node.level:
            break
        found.append(node)
    return found


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
