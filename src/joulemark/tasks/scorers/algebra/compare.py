"""Whether two mathematical answers are one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from joulemark.tasks.scorers.algebra.evaluate import CONSTANTS, evaluate
from joulemark.tasks.scorers.algebra.parse import Answer, parse
from joulemark.tasks.scorers.algebra.quantity import Quantity, Undefined, are_equal
from joulemark.tasks.scorers.algebra.relations import as_interval, is_naming, solved
from joulemark.tasks.scorers.algebra.tree import (
    Group,
    Listed,
    Matrix,
    Name,
    Node,
    NotUnderstood,
    Number,
    Product,
    Relation,
    Sum,
    Union,
    has_sign_pair,
    names,
    with_sign,
)
from joulemark.tasks.scorers.algebra.units import PERCENT

_MOST_ITEMS = 64
# A group of three that begins with 0 is no item of a list. No answer has a hundred groups.
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3}){0,99}?,0\d\d(?!\d)")
_MOST_NAMES = 16
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79)
_LEAST_POINTS = 2

_PLACES: tuple[Callable[[int], Fraction], ...] = (
    lambda j: Fraction(_PRIMES[j + 2]),
    lambda j: Fraction(_PRIMES[j + 3] + 1),
    lambda j: Fraction(_PRIMES[j + 4], 2 * j + 9),
    lambda j: Fraction(j + 2, _PRIMES[j + 5]),
    lambda j: Fraction(-_PRIMES[j + 3], 3 * j + 4),
)
"""Where the j-th variable stands at each point: integers, positive rationals, negative ones."""

Point = dict[str, Quantity]


@lru_cache(maxsize=4096)
def readings(text: str) -> tuple[Answer, ...]:
    """Return what ``text`` can mean, at most two trees: ``1,234`` is one number or two, ``1,000`` is one."""
    found: list[Answer] = []
    for commas_group in (True, False):
        if found and _THOUSANDS.search(text):
            break
        try:
            answer = parse(text, commas_group=commas_group)
        except NotUnderstood:
            continue
        if answer not in found:
            found.append(answer)
    return tuple(found)


def same_answer(gold: Answer, reply: Answer) -> bool:
    """Tell whether a reply is the reference: units may be left out, but not be others."""
    units, given = gold.units - {PERCENT}, reply.units - {PERCENT}
    if units and given and units != given:
        return False
    if _same(gold.node, reply.node):
        return True
    if (PERCENT in gold.units) == (PERCENT in reply.units):
        return False
    hundred = (True, Number(Fraction(100)))
    if PERCENT in gold.units:
        return _same(Product(((False, gold.node), hundred)), reply.node)
    return _same(gold.node, Product(((False, reply.node), hundred)))


def _items(node: Node) -> list[Node]:
    """Return the answers that a tree gives: those of a list or a set, both of a ±."""
    if isinstance(node, Listed) or (isinstance(node, Group) and node.opening == "{"):
        return [item for part in node.items for item in _items(part)]
    if (
        isinstance(node, Relation)
        and len(node.operands) == 2
        and node.signs[0] in "=∈"
        and is_naming(node.operands[0])
    ):
        right = _items(node.operands[1])
        if len(right) > 1:
            return right
    if has_sign_pair(node):
        return [with_sign(node, 1), with_sign(node, -1)]
    return [node]


def _same(gold: Node, reply: Node) -> bool:
    golds, replies = _items(gold), _items(reply)
    return _same_in_any_order(golds, replies)


def _same_in_any_order(golds: Sequence[Node], replies: Sequence[Node]) -> bool:
    if len(golds) != len(replies) or len(golds) > _MOST_ITEMS:
        return False
    left = list(replies)
    for gold in golds:
        at = next((i for i, reply in enumerate(left) if _same_one(gold, reply)), None)
        if at is None:
            return False
        del left[at]
    return True


def _same_in_order(golds: Sequence[Node], replies: Sequence[Node]) -> bool:
    return len(golds) == len(replies) and all(map(_same_one, golds, replies))


def _same_one(gold: Node, reply: Node) -> bool:
    gold, reply = as_interval(gold), as_interval(reply)
    if isinstance(gold, Relation) and isinstance(reply, Relation):
        if _same_relation(gold, reply):
            return True
        is_plain = all(set(side.signs) <= {"=", "∈"} for side in (gold, reply))
        same_name = is_plain and gold.operands[0] == reply.operands[0] and is_naming(gold.operands[0])
        return same_name and _same_one(gold.operands[-1], reply.operands[-1])
    if isinstance(gold, Relation) or isinstance(reply, Relation):
        values = solved(gold), solved(reply)
        if values[0] is not None and values[1] is not None:
            return _same(values[0], values[1])
        return isinstance(reply, Relation) and _restates(gold, reply)
    if not (isinstance(gold, Matrix) and isinstance(reply, Matrix)):  # a column is no row
        gold, reply = _as_tuple(gold), _as_tuple(reply)
    match gold, reply:
        case Group(), Group():
            same_kind = (gold.opening, gold.closing) == (reply.opening, reply.closing)
            compare = _same_in_any_order if gold.opening == "{" else _same_in_order
            return same_kind and compare(gold.items, reply.items)
        case Union(), Union():
            return _same_in_any_order(gold.parts, reply.parts)
        case Matrix(), Matrix():
            return len(gold.rows) == len(reply.rows) and all(map(_same_in_order, gold.rows, reply.rows))
        case Name(), Number():
            digits, _, base = gold.name.partition("_")
            return bool(base) and digits == reply.digits
        case _:
            return _same_value(gold, reply)


def _as_tuple(node: Node) -> Node:
    """Return a column (or a row) as the tuple of its entries."""
    if isinstance(node, Matrix) and (len(node.rows) == 1 or len(node.rows[0]) == 1):
        return Group("(", tuple(entry for row in node.rows for entry in row), ")")
    return node


def _restates(gold: Node, reply: Relation) -> bool:
    """Tell whether a reply is an equation of constants that ends in the reference (``3 + 4 = 7``)."""
    is_equation = set(reply.signs) == {"="} and not names(reply) - CONSTANTS
    return is_equation and all(_same_value(gold, operand) for operand in reply.operands)


def _same_relation(gold: Relation, reply: Relation) -> bool:
    """Tell whether two equations have the same solutions: their differences are proportional."""
    if gold.signs != reply.signs or len(gold.operands) != len(reply.operands):
        return False
    if _same_in_order(gold.operands, reply.operands):
        return True
    if gold.signs != ("=",):
        return False
    differences = [Sum(((1, side.operands[0]), (-1, side.operands[1]))) for side in (gold, reply)]
    ratio: Quantity | None = None
    seen = 0
    for left, right in _values(differences[0], differences[1]):
        if left.is_zero or right.is_zero:
            return False
        here = left * right.inverse()
        if ratio is not None and not are_equal(ratio, here):
            return False
        ratio, seen = here, seen + 1
    return seen >= _LEAST_POINTS


def _same_value(gold: Node, reply: Node) -> bool:
    """Tell whether two expressions agree at every point where both have a value."""
    seen = 0
    for left, right in _values(gold, reply):
        try:
            if not are_equal(left, right):
                return False
        except Undefined:
            continue
        seen += 1
    needed = _LEAST_POINTS if (names(gold) | names(reply)) - CONSTANTS else 1
    return seen >= needed


def _values(gold: Node, reply: Node) -> Iterator[tuple[Quantity, Quantity]]:
    for point in _points(sorted((names(gold) | names(reply)) - CONSTANTS)):
        try:
            yield evaluate(gold, point), evaluate(reply, point)
        except Undefined:
            continue


def _points(variables: Sequence[str]) -> Iterator[Point]:
    """Yield where expressions are compared: at integers, at positive rationals, at negative ones."""
    if len(variables) > _MOST_NAMES:
        return
    if not variables:
        yield {}
        return
    for place in _PLACES:
        yield {name: Quantity(place(j)) for j, name in enumerate(variables)}
