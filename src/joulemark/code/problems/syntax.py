"""Python source as text to be looked at: parsed within limits, never executed."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import warnings
from collections.abc import Iterator

MAX_SOURCE_CHARS = 4 << 20
"""Longest source of a data set that is looked at."""
_LONG_CHAIN = re.compile(r"(?:\.[ \t]*\w+[ \t]*){300}")  # the parser takes quadratic time for a.b.c.d…
_MODULE_NAMES = frozenset(
    {"__name__", "__file__", "__doc__", "__builtins__", "__spec__", "__package__", "__loader__"}
)
KNOWN_NAMES = frozenset(dir(builtins)) | _MODULE_NAMES
"""Names that every program finds defined."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class NotPython(ValueError):
    """A text that is no Python source. ``line``: where the parser stopped, from 1; null where unknown."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why)
        self.why, self.line = why, line


def parse(source: str, *, limit: int = MAX_SOURCE_CHARS) -> ast.Module:
    """Return the tree of a module. Raises `NotPython`, for a source longer than ``limit`` characters too."""
    if len(source) > limit:
        raise NotPython(f"it is {len(source)} characters long, and {limit} are read")
    if _LONG_CHAIN.search(source):
        raise NotPython("a chain of more than 300 names")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unknown escape in another's string is not our affair
            return ast.parse(source)
    except SyntaxError as error:
        raise NotPython(error.msg or "invalid syntax", error.lineno) from None
    except (RecursionError, MemoryError):
        raise NotPython("nested too deep") from None
    except ValueError as error:  # null bytes, lone surrogates
        raise NotPython(str(error)) from None


def parse_expression(source: str, *, limit: int = MAX_SOURCE_CHARS) -> ast.expr:
    """Return the tree of one expression. Raises `NotPython`."""
    body = parse(source.strip(), limit=limit).body
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise NotPython("it is not one expression")
    return body[0].value


def definitions(tree: ast.Module) -> dict[str, Definition]:
    """Return the functions and classes of the top level by name, the last of a name."""
    return {node.name: node for node in tree.body if isinstance(node, Definition)}


def lines_of(node: ast.stmt) -> tuple[int, int]:
    """Return the first and the last line of a statement, from 1, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)])
    return first, node.end_lineno or node.lineno


def split_lines(source: str) -> list[str]:
    """Return a source's lines as the parser counts them, line ends kept."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", source)


def segment(lines: list[str], node: ast.stmt) -> str:
    """Return the text of a statement, given the lines of its source; it ends with a line end."""
    first, last = lines_of(node)
    text = "".join(lines[first - 1 : last])
    return text if text.endswith(("\n", "\r")) else text + "\n"


def bound_names(node: ast.stmt) -> frozenset[str]:
    """Return the names that a statement of the top level binds, or changes the content of."""
    return frozenset(_bound(node))


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, Definition):
        yield node.name
        return
    if isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield (alias.asname or alias.name).partition(".")[0]
        return
    if isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    if isinstance(node, ast.Subscript | ast.Attribute):
        changed = isinstance(node.ctx, ast.Store)
        if changed and (name := _root(node)):
            yield name
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (name := _root(node.func)):
        yield name  # a method may change its object
    if isinstance(node, ast.Lambda):
        return
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def unbound_names(source: str) -> frozenset[str]:
    """Return the names that a source reads and neither binds nor finds built in. Raises `NotPython`."""
    parse(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = symtable.symtable(source, "<program>", "exec")
    except SyntaxError as error:
        raise NotPython(error.msg or "invalid syntax", error.lineno) from None
    except (RecursionError, MemoryError, ValueError):
        raise NotPython("nested too deep") from None
    bound = {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
    bound |= {one.get_name() for one in table.get_symbols() if one.is_namespace()}
    read: set[str] = set()
    _read(table, read, bound, top=True)
    return frozenset(read - bound - KNOWN_NAMES)


def _read(table: symtable.SymbolTable, read: set[str], bound: set[str], *, top: bool) -> None:
    for one in table.get_symbols():
        if top or one.is_global():
            if one.is_referenced():
                read.add(one.get_name())
            if one.is_declared_global() and one.is_assigned():
                bound.add(one.get_name())
    for child in table.get_children():
        _read(child, read, bound, top=False)


def parameters(source: str, entry_point: str) -> tuple[str, ...]:
    """Return the names of an entry point's positional parameters, without a method's own object.

    Empty where the source does not define it. Raises `NotPython`.
    """
    function = function_of(parse(source), entry_point)
    if function is None:
        return ()
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    is_static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in function.decorator_list)
    return tuple(names[1:] if "." in entry_point and not is_static else names)


def function_of(tree: ast.Module, entry_point: str) -> ast.FunctionDef | None:
    """Return the definition of ``name`` or ``Class.name``, null where there is none."""
    holder, _, name = entry_point.rpartition(".")
    body: list[ast.stmt] = tree.body
    if holder:
        owner = definitions(tree).get(holder)
        if not isinstance(owner, ast.ClassDef):
            return None
        body = owner.body
    found = [one for one in body if isinstance(one, ast.FunctionDef) and one.name == name]
    return found[-1] if found else None
