"""Comparing a result with the expected one. Both are plain data; nothing here runs a program's code."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from itertools import chain
from typing import Any

from joulemark.code.grading.unordered import close_unordered, same_unordered
from joulemark.code.inside.plain import Linked, Opaque, Plain, Tree
from joulemark.code.problems.problem import Checker, Comparison

_EXACT: set[type] = {int, bool, str, bytes, type(None)}
_SCALARS: set[type] = {*_EXACT, float}
_ROWS: set[type] = {list, tuple}


def same(expected: Plain, got: Plain, checker: Checker) -> bool:
    """Tell whether a result is right. `Comparison.CHECKER` is not decided here: it raises ``ValueError``."""
    if checker.comparison is Comparison.CHECKER:
        raise ValueError("a checker of the problem decides")
    if checker.same_type and type(expected) is not type(got):
        return False
    try:
        if checker.comparison is Comparison.TEXT:
            return isinstance(got, str) and _same_text(expected, got, checker)
        if checker.comparison in (Comparison.UNORDERED, Comparison.UNORDERED_NESTED):
            nested = checker.comparison is Comparison.UNORDERED_NESTED
            return type(expected) is type(got) and _same_in_any_order(expected, got, checker, nested=nested)
        return _equal(expected, got, checker)
    except RecursionError:
        return False


def _equal(a: Any, b: Any, checker: Checker) -> bool:
    if isinstance(a, Opaque) or isinstance(b, Opaque):
        return False
    if isinstance(a, (list, tuple, deque)):
        if type(a) is not type(b) or len(a) != len(b):
            return False
        if _is_of(_EXACT, a) and _is_of(_EXACT, b):
            return bool(a == b)
        if _is_of(_SCALARS, a) and _is_of(_SCALARS, b) and a == b:
            return True  # most are the same to the last bit; where one is not, each is looked at
        return all(map(_equal, a, b, [checker] * len(a)))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_equal(a[k], b[k], checker) for k in a)
    if isinstance(a, (Linked, Tree)):
        return type(a) is type(b) and _equal(a.values, b.values, checker)
    if _is_number(a) and _is_number(b):
        return _equal_numbers(a, b, checker)
    return bool(a == b)


def _is_of(wanted: set[type], values: Iterable[Any]) -> bool:
    """Tell whether these, or the members of these lists or tuples, are of types in ``wanted``."""
    kinds = set(map(type, values))
    if kinds <= wanted:
        return True
    return kinds <= _ROWS and set(map(type, chain.from_iterable(values))) <= wanted


def _same_in_any_order(expected: Plain, got: Plain, checker: Checker, *, nested: bool) -> bool:
    if not (checker.rel_tol or checker.abs_tol):
        return same_unordered(expected, got, nested=nested)
    return close_unordered(expected, got, lambda a, b: _equal(a, b, checker), nested=nested)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _equal_numbers(a: float, b: float, checker: Checker) -> bool:
    if a == b:
        return True
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b):
        return True
    if checker.comparison is not Comparison.CLOSE and not (checker.rel_tol or checker.abs_tol):
        return False
    if isinstance(a, int) and isinstance(b, int):
        return False  # tolerance is for what was rounded; two integers are exact
    try:
        return math.isclose(a, b, rel_tol=checker.rel_tol, abs_tol=checker.abs_tol)
    except OverflowError:
        return False


def _same_text(expected: str, got: str, checker: Checker) -> bool:
    wanted, found = _lines(expected), _lines(got)
    if wanted == found:
        return True
    if not (checker.rel_tol or checker.abs_tol) or len(wanted) != len(found):
        return False
    return all(_same_words(a.split(), b.split(), checker) for a, b in zip(wanted, found, strict=True))


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _same_words(wanted: list[str], found: list[str], checker: Checker) -> bool:
    return len(wanted) == len(found) and all(
        a == b or _close_words(a, b, checker) for a, b in zip(wanted, found, strict=True)
    )


def _close_words(wanted: str, found: str, checker: Checker) -> bool:
    try:
        a, b = float(wanted), float(found)
    except ValueError:
        return False
    return math.isclose(a, b, rel_tol=checker.rel_tol, abs_tol=checker.abs_tol)
