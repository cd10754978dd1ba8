"""The parts of a problem's file: its docstring, imports, helpers, constants and functions.

A function's stand-alone program is all imports, all helpers (names that begin with ``_``) and the function.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from typing import Any

from joulemark.code.inside.plain import Plain
from joulemark.code.problems.importers.constant import NotConstant, constant
from joulemark.code.problems.syntax import lines_of, parse, segment, split_lines, unbound_names
from joulemark.record.errors import InputError

MAX_FILE_CHARS = 1 << 20
FIX = "write it as the built-in problems are written, in joulemark/code/problems/built_in"
_CONSTANTS = frozenset(
    {
        "ALGORITHMS",
        "BRUTE_FORCE_SIZE",
        "CHECKER",
        "DIFFICULTY",
        "EDGE_CASES",
        "ENTRY_POINT",
        "EXAMPLES",
        "SHAPES",
        "SIZES",
    }
)


@dataclass(slots=True)
class Parts:
    """What stands at the top level of a file, by what it is for."""

    place: str
    lines: list[str]
    docstring: str
    imports: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)

    @classmethod
    def of(cls, source: str, place: str) -> Parts:
        """Return the parts of a file's text. Raises `InputError` and `NotPython`."""
        tree = parse(source, limit=MAX_FILE_CHARS)
        parts = cls(place, split_lines(source), ast.get_docstring(tree) or "")
        last = 0
        for number, node in enumerate(tree.body):
            first, end = lines_of(node)
            if first <= last:
                raise parts.fault("two statements share a line", node)
            last = end
            if number == 0 and parts.docstring and isinstance(node, ast.Expr):
                continue
            parts._sort(node)
        return parts

    def fault(self, why: str, node: ast.AST | None = None) -> InputError:
        """Return the error of a file, at a node of it, that cannot be used."""
        line = getattr(node, "lineno", None)
        where = self.place if line is None else f"{self.place}, line {line}"
        return InputError(f"{where} cannot be used", why=why, fix=FIX)

    def _sort(self, node: ast.stmt) -> None:
        text = segment(self.lines, node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._check_import(node)
            self.imports.append(text)
            return
        name = _name_of(node)
        if name is None:
            raise self.fault(f"a {type(node).__name__} has no place at the top level", node)
        if name in self.constants or name in self.functions:
            raise self.fault(f"{name!r} stands twice", node)
        if name.startswith("_"):
            self.shared.append(text)
        elif isinstance(node, ast.FunctionDef):
            self.functions[name] = node
        elif name in _CONSTANTS and isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            self.constants[name] = node.value
        else:
            raise self.fault(f"{name!r} is no part of a problem; a helper's name begins with `_`", node)

    def _check_import(self, node: ast.Import | ast.ImportFrom) -> None:
        modules = [one.name for one in node.names]
        if isinstance(node, ast.ImportFrom):
            modules = ["." * node.level + (node.module or "")]
        for module in modules:
            top = module.partition(".")[0]
            if top != "__future__" and top not in sys.stdlib_module_names:
                raise self.fault(f"it imports {module!r}, and the standard library is all there is", node)

    def value(self, name: str, otherwise: Plain = None) -> Any:
        """Return the value of a constant. Raises `InputError` where it is none."""
        node = self.constants.get(name)
        if node is None:
            return otherwise
        try:
            return constant(node)
        except NotConstant as error:
            raise self.fault(f"{name} is no constant: {error}", node) from error

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a constant that must be a tuple of texts."""
        value = self.value(name, ())
        if not isinstance(value, tuple) or not all(isinstance(one, str) and one for one in value):
            raise self.fault(f"{name} must be a tuple of texts", self.constants.get(name))
        return value

    def program(self, function: str, *, entry_point: str | None = None) -> str:
        """Return the stand-alone source of a function, which answers to ``entry_point`` as well."""
        node = self.functions[function]
        text = segment(self.lines, node).rstrip() + "\n"
        imports = "".join(self.imports)
        parts = [part.strip("\n") for part in (imports, *self.shared, text) if part.strip()]
        whole = "\n\n\n".join(parts) + "\n"
        missing = sorted(unbound_names(whole))
        if missing:
            known = [one for one in missing if one in self.functions or one in self.constants]
            what = "which it does not get: parts share helpers only" if known else "which nothing defines"
            raise self.fault(f"`{function}` uses {', '.join(known or missing)[:80]}, {what}", node)
        is_other = entry_point is not None and entry_point != function
        return whole + f"\n\n{entry_point} = {function}\n" if is_other else whole


def _name_of(node: ast.stmt) -> str | None:
    match node:
        case ast.FunctionDef(name=name):
            return name
        case ast.ClassDef(name=name) if name.startswith("_"):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return None
