"""The small language of a grid: conditions that skip points, and options computed from the axes.

It is Python's own syntax, of which few forms are taken: names of settings, numbers, texts, true, false, null,
lists, ``and or not``, comparisons, ``+ - * / // %`` and the functions ``min``, ``max``, ``round``. There is
neither a power, a loop nor an attribute, so nothing in it can take long or reach anywhere.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from joulemark.record.errors import InputError
from joulemark.sweeps.setting import Setting

MAX_CHARS = 1000
_MAX_NUMBER = 1e15
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARED: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]  # a TypeError is told as what it is
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
    ast.In: lambda a, b: a in b,  # type: ignore[operator]
    ast.NotIn: lambda a, b: a not in b,  # type: ignore[operator]
}
_FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max, "round": round}


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that was read. ``names`` are the settings that it asks for."""

    text: str
    names: frozenset[str]
    _tree: ast.expr = field(compare=False, repr=False)

    def value(self, settings: Mapping[str, Setting]) -> object:
        """Return its value; a setting that is not there is null.

        Raises `InputError` where it cannot be computed, for instance by comparing null with a number.
        """
        try:
            return _value(self._tree, settings)
        except (TypeError, ZeroDivisionError, ValueError, OverflowError) as error:
            raise _refused(self.text, str(error)) from error

    def holds(self, settings: Mapping[str, Setting]) -> bool:
        """Tell whether it is true. A comparison of size with a setting that is not there is false."""
        try:
            return bool(_value(self._tree, settings, lenient=True))
        except (TypeError, ZeroDivisionError, ValueError, OverflowError) as error:
            raise _refused(self.text, str(error)) from error

    def require_names(self, known: frozenset[str]) -> None:
        """Raise `InputError` for a name that is none of ``known``."""
        for name in sorted(self.names - known):
            near = get_close_matches(name, sorted(known), n=1)
            raise _refused(
                self.text,
                f"there is no setting {name!r}" + (f"; did you mean {near[0]}?" if near else ""),
            )


def read_expression(text: str) -> Expression:
    """Return the expression; raises `InputError` for what is none."""
    if len(text) > MAX_CHARS:
        raise _refused(f"{text[:40]}…", f"it has more than {MAX_CHARS} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _refused(text, str(error)) from error
    names: set[str] = set()
    try:
        _check(tree, names)
    except RecursionError as error:
        raise _refused(text, "it is nested too deeply") from error
    except ValueError as error:
        raise _refused(text, str(error)) from error
    return Expression(text.strip(), frozenset(names), tree)


def _check(node: ast.expr, names: set[str]) -> None:
    """Raise ``ValueError`` for a form that is not taken; gather the names."""
    inner: list[ast.expr]
    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, bool | int | float | str):
            inner = []
        case ast.Name(id=name):
            if name not in _CONSTANTS:
                names.add(name)
            inner = []
        case ast.BoolOp(values=values):
            inner = values
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.UAdd(), operand=operand):
            inner = [operand]
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _ARITHMETIC:
            inner = [left, right]
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARED for op in ops):
            inner = [left, *others]
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            inner = elements
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            inner = arguments
        case _:
            raise ValueError(f"it holds {ast.unparse(node)[:40]!r}, which is not in the language")
    for one in inner:
        _check(one, names)


def _value(node: ast.expr, settings: Mapping[str, Setting], *, lenient: bool = False) -> object:
    def of(inner: ast.expr) -> object:
        return _value(inner, settings, lenient=lenient)

    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return _CONSTANTS[name] if name in _CONSTANTS else settings.get(name)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(of(one) for one in values)
        case ast.BoolOp(values=values):
            return any(of(one) for one in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not of(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(of(operand))
        case ast.UnaryOp(operand=operand):
            return _number(of(operand))
        case ast.BinOp(op=op, left=left, right=right):
            return _ARITHMETIC[type(op)](_number(of(left)), _number(of(right)))
        case ast.Compare(left=left, ops=ops, comparators=others):
            before = of(left)
            for compared, other in zip(ops, map(of, others), strict=True):
                sized = isinstance(compared, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
                if lenient and sized and (before is None or other is None):
                    return False
                if not _COMPARED[type(compared)](before, other):
                    return False
                before = other
            return True
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [of(one) for one in elements]
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _FUNCTIONS[name](*(_number(of(one)) for one in arguments))
    raise TypeError(f"{ast.unparse(node)[:40]} has no value")


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"a number was wanted, but there is {value!r}")
    if not abs(value) <= _MAX_NUMBER:
        raise ValueError("a number is too large")
    return value


def _refused(text: str, why: str) -> InputError:
    return InputError(
        f"the expression {text!r} cannot be taken",
        why=why,
        fix="compare settings by name: tensor_parallel > 2 and gpu == 'A100' (docs/sweeps.md)",
    )
