"""Equations that name their value, and inequalities that are intervals."""

from __future__ import annotations

from joulemark.tasks.scorers.algebra.evaluate import CONSTANTS
from joulemark.tasks.scorers.algebra.tree import Call, Group, Name, Node, Number, Product, Relation, Sum

_FLIPPED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
_INFINITY = Name("∞")
_MINUS_INFINITY = Sum(((-1, _INFINITY),))


def is_naming(node: Node) -> bool:
    """Tell whether a side of an equation only names the value: ``x``, ``f(3)``, ``|AB|``, ``(x, y)``."""
    match node:
        case Name(name):
            return name not in CONSTANTS
        case Product(factors):
            return (
                isinstance(factors[0][1], Name)
                and factors[0][1].name not in CONSTANTS
                and all(
                    not divides and isinstance(factor, Name | Number | Group) for divides, factor in factors
                )
            )
        case Call("abs", arguments):
            return is_naming(arguments[0])
        case Group(_, items):
            return all(map(is_naming, items))
        case _:
            return False


def solved(node: Node) -> Node | None:
    """Return what an answer gives: itself, or the last side of ``x = … = …``; null: another relation."""
    if not isinstance(node, Relation):
        return node
    if not set(node.signs) <= {"=", "∈"}:
        return None
    if is_naming(node.operands[0]):
        return node.operands[-1]
    if len(node.operands) == 2 and is_naming(node.operands[1]) and isinstance(node.operands[1], Name):
        return node.operands[0]  # 5 = x
    return None


def as_interval(node: Node) -> Node:
    """Return ``a < x ≤ b`` and the like as an interval, anything else as it is."""
    if not isinstance(node, Relation) or not set(node.signs) <= _FLIPPED.keys():
        return node
    match node:
        case Relation((sign,), (Name(name), bound)) if name not in CONSTANTS:
            return _ray(sign, bound)
        case Relation((sign,), (bound, Name(name))) if name not in CONSTANTS:
            return _ray(_FLIPPED[sign], bound)
        case Relation((first, second), (low, Name(name), high)) if name not in CONSTANTS:
            if first in "<≤" and second in "<≤":
                return Group("[" if first == "≤" else "(", (low, high), "]" if second == "≤" else ")")
            if first in ">≥" and second in ">≥":
                return Group("[" if second == "≥" else "(", (high, low), "]" if first == "≥" else ")")
    return node


def _ray(sign: str, bound: Node) -> Node:
    if sign in ">≥":
        return Group("[" if sign == "≥" else "(", (bound, _INFINITY), ")")
    return Group("(", (_MINUS_INFINITY, bound), "]" if sign == "≤" else ")")
