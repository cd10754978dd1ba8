"""A mathematical answer as a tree. What has a value at a point, and what is built of such values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


class NotUnderstood(Exception):
    """The text is no expression that this reader knows, or is larger than any answer."""


@dataclass(frozen=True, slots=True)
class Number:
    """A rational number. ``digits``: how it was written, where that was digits only."""

    value: Fraction
    digits: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, a constant (π, e, i, ∞), a word in ``\\text{}``, or digits in a base (``52_8``)."""

    name: str


@dataclass(frozen=True, slots=True)
class Sum:
    """Signed terms; a sign is 1, -1, or 0 for ± (``flipped`` terms: ∓)."""

    terms: tuple[tuple[int, Node], ...]
    flipped: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Product:
    """Factors, each above or below the line (``True``: it divides)."""

    factors: tuple[tuple[bool, Node], ...]


@dataclass(frozen=True, slots=True)
class Power:
    """``base`` to the ``exponent``."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function at its arguments: ``sqrt x``, ``root (n, x)``, ``log (base, x)``, ``binom (n, k)``, …"""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Items in brackets, in order: a tuple, an interval; ``{`` … ``}`` is a set."""

    opening: str
    items: tuple[Node, ...]
    closing: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of equal length."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Union:
    """Sets joined by ∪."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """``operands[0] signs[0] operands[1] …`` with signs of = ≠ < > ≤ ≥ ∈."""

    signs: tuple[str, ...]
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """Several answers, in no order."""

    items: tuple[Node, ...]


Node: TypeAlias = Number | Name | Sum | Product | Power | Call | Group | Matrix | Union | Relation | Listed


def children(node: Node) -> tuple[Node, ...]:
    """Return the parts of a node, in order."""
    match node:
        case Sum(terms):
            return tuple(term for _, term in terms)
        case Product(factors):
            return tuple(factor for _, factor in factors)
        case Power(base, exponent):
            return (base, exponent)
        case Call(_, arguments):
            return arguments
        case Group(_, items, _) | Listed(items):
            return items
        case Matrix(rows):
            return tuple(entry for row in rows for entry in row)
        case Union(parts):
            return parts
        case Relation(_, operands):
            return operands
        case _:
            return ()


def names(node: Node) -> set[str]:
    """Return the names in a tree."""
    if isinstance(node, Name):
        return {node.name}
    return set().union(*map(names, children(node)))


def has_sign_pair(node: Node) -> bool:
    """Tell whether ± or ∓ stands in a tree."""
    if isinstance(node, Sum) and any(sign == 0 for sign, _ in node.terms):
        return True
    return any(map(has_sign_pair, children(node)))


def with_sign(node: Node, sign: int) -> Node:
    """Return the tree with ``sign`` for every ±, and the other for every ∓."""
    if not has_sign_pair(node):
        return node
    match node:
        case Sum(terms, flipped):
            signed = tuple(
                (own or (-sign if at in flipped else sign), with_sign(term, sign))
                for at, (own, term) in enumerate(terms)
            )
            return Sum(signed)
        case Product(factors):
            return Product(tuple((divides, with_sign(factor, sign)) for divides, factor in factors))
        case Power(base, exponent):
            return Power(with_sign(base, sign), with_sign(exponent, sign))
        case Call(function, arguments):
            return Call(function, tuple(with_sign(argument, sign) for argument in arguments))
        case Group(opening, items, closing):
            return Group(opening, tuple(with_sign(item, sign) for item in items), closing)
        case Matrix(rows):
            return Matrix(tuple(tuple(with_sign(entry, sign) for entry in row) for row in rows))
        case Union(parts):
            return Union(tuple(with_sign(part, sign) for part in parts))
        case Relation(signs, operands):
            return Relation(signs, tuple(with_sign(operand, sign) for operand in operands))
        case Listed(items):
            return Listed(tuple(with_sign(item, sign) for item in items))
        case _:
            return node
