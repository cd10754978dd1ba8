"""Values of constant expressions, read from their syntax; nothing is evaluated by the interpreter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeGuard

from joulemark.code.inside.plain import MAX_DEPTH, Linked, Plain, Tree
from joulemark.code.problems.syntax import NotPython, parse_expression

MAX_BITS = 1 << 16
MAX_ITEMS = 1_000_000
"""Largest text or list that a constant expression may make."""


class NotConstant(ValueError):
    """An expression whose value is not written out."""


def constant_of(text: str) -> Plain:
    """Return the value of a constant expression's text. Raises `NotConstant`."""
    try:
        return constant(parse_expression(text))
    except NotPython as error:
        raise NotConstant(error.why) from None


def constant(node: ast.expr) -> Plain:
    """Return the value of a literal, or of simple arithmetic and slices of literals, within limits.

    ``ListNode(…)`` becomes `Linked` and ``TreeNode(…)`` `Tree`. Raises `NotConstant`.
    """
    try:
        return _Reader().value(node, 0, {})
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        if isinstance(error, NotConstant):
            raise
        raise NotConstant(str(error)) from None


class _Reader:
    """Reads one expression; counts the items that its comprehensions make."""

    def __init__(self) -> None:
        self._made = 0

    def value(self, node: ast.expr, depth: int, names: Mapping[str, Any]) -> Any:
        if depth > MAX_DEPTH:
            raise NotConstant(f"nested deeper than {MAX_DEPTH}")
        match node:
            case ast.Constant(value=value) if value is not Ellipsis:
                return value
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.Tuple(elts=items):
                return tuple(self._each(items, depth, names))
            case ast.List(elts=items):
                return self._each(items, depth, names)
            case ast.Set(elts=items):
                return set(self._each(items, depth, names))
            case ast.Dict(keys=keys, values=values):
                given = [one for one in keys if one is not None]
                if len(given) == len(keys):
                    pairs = zip(
                        self._each(given, depth, names), self._each(values, depth, names), strict=True
                    )
                    return dict(pairs)
        return self._computed(node, depth + 1, names)

    def _each(self, items: Iterable[ast.expr], depth: int, names: Mapping[str, Any]) -> list[Any]:
        return [self.value(one, depth + 1, names) for one in items]

    def _computed(self, node: ast.expr, depth: int, names: Mapping[str, Any]) -> Any:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -_number(self.value(operand, depth, names))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return +_number(self.value(operand, depth, names))
            case ast.BinOp(left=left, op=operator, right=right):
                return _computed(operator, self.value(left, depth, names), self.value(right, depth, names))
            case ast.Subscript(value=held, slice=ast.Slice(lower=lower, upper=upper, step=step)):
                bounds = (lower, upper, step)
                parts = [None if one is None else self.value(one, depth, names) for one in bounds]
                return self.value(held, depth, names)[slice(*parts)]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in _MADE_BY:
                given = self._each(args, depth, names)
                named = {one.arg: self.value(one.value, depth, names) for one in keywords if one.arg}
                if len(named) == len(keywords):
                    return _MADE_BY[name](*given, **named)
            case ast.ListComp(elt=item, generators=[loop]) if not loop.ifs and not loop.is_async:
                return [self.value(item, depth, inner) for inner in self._looped(loop, depth, names)]
        raise NotConstant(f"{type(node).__name__} is no constant")

    def _looped(
        self, loop: ast.comprehension, depth: int, names: Mapping[str, Any]
    ) -> Iterator[Mapping[str, Any]]:
        for one in self.value(loop.iter, depth, names):
            self._made += 1
            if self._made > MAX_ITEMS:
                raise NotConstant(f"a list of more than {MAX_ITEMS} items")
            match loop.target:
                case ast.Name(id=name):
                    yield {**names, name: one}
                case ast.Tuple(elts=targets) if len(targets) == len(one):
                    bound = {
                        target.id: part for target, part in zip(targets, one, strict=True) if _is_name(target)
                    }
                    yield {**names, **bound}
                case _:
                    raise NotConstant("a loop over more than names")


def _is_name(node: ast.expr) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _number(value: Any) -> Any:
    if isinstance(value, int | float | complex) and not isinstance(value, bool):
        return value
    raise NotConstant("a sign before what is no number")


def _computed(operator: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(left, str | list | tuple) or isinstance(right, str | list | tuple):
        return _joined(operator, left, right)
    left, right = _number(left), _number(right)
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return _bounded(_bits(left) + _bits(right), lambda: left * right)
        case ast.Div():
            return left / right
        case ast.FloorDiv():
            return left // right
        case ast.Mod():
            return left % right
        case ast.Pow() if isinstance(right, int | float):
            return _bounded(_bits(left) * max(1.0, abs(right)), lambda: left**right)
    raise NotConstant("an operation that is no plain arithmetic")


def _bits(value: Any) -> int:
    return max(1, value.bit_length()) if isinstance(value, int) else 64


def _bounded(bits: float, compute: Callable[[], Any]) -> Any:
    if bits > MAX_BITS:
        raise NotConstant(f"a number of more than {MAX_BITS} bits")
    return compute()


def _joined(operator: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(operator, ast.Add) and type(left) is type(right) and len(left) + len(right) <= MAX_ITEMS:
        return left + right
    if isinstance(operator, ast.Mult):
        items, times = (right, left) if isinstance(left, int) else (left, right)
        if type(times) is int and len(items) * max(0, times) <= MAX_ITEMS:
            return items * times
    raise NotConstant("a text or list that is too long, or no plain one")


def _range_list(*bounds: int) -> list[int]:
    found = range(*bounds)
    if len(found) > MAX_ITEMS:
        raise NotConstant(f"a list of more than {MAX_ITEMS} items")
    return list(found)


def _linked(val: Any = 0, next: Any = None) -> Linked:
    rest = next.values if isinstance(next, Linked) else ()
    if next is not None and not isinstance(next, Linked):
        raise NotConstant("a node that is followed by no node")
    return Linked((val, *rest))


def _tree(val: Any = 0, left: Any = None, right: Any = None) -> Tree:
    """Join two subtrees: their levels in turn, with a place for each child of each node."""
    levels: list[list[Any]] = [[val]]
    sides = [_levels(left), _levels(right)]
    depth = max(len(sides[0]), len(sides[1]))
    for number in range(depth):
        level: list[Any] = []
        for side in sides:
            if number < len(side):
                level += side[number]
            elif number == 0:
                level.append(None)
            elif number == len(side):
                level += [None] * (2 * sum(1 for one in side[number - 1] if one is not None))
        levels.append(level)
    values = [one for level in levels for one in level]
    while values and values[-1] is None:
        values.pop()
    return Tree(tuple(values))


def _levels(tree: Any) -> list[list[Any]]:
    if tree is None:
        return []
    if not isinstance(tree, Tree):
        raise NotConstant("a child that is no node")
    levels, rest, width = [], list(tree.values), 1
    while rest:
        level = rest[:width] + [None] * (width - len(rest[:width]))
        levels.append(level)
        rest = rest[width:]
        width = 2 * sum(1 for one in level if one is not None)
    return levels


_MADE_BY: dict[str, Callable[..., Any]] = {
    "set": lambda items=(): set(items),
    "frozenset": lambda items=(): frozenset(items),
    "tuple": lambda items=(): tuple(items),
    "list": lambda items=(): list(items),
    "dict": lambda **items: dict(items),
    "range": _range_list,
    "float": lambda text: float(text),
    "ListNode": _linked,
    "TreeNode": _tree,
}
