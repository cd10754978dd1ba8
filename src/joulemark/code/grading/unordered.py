"""Lists compared as multisets: by one text for all values that are equal, or matched within a tolerance."""

from __future__ import annotations

import hashlib
import json
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from joulemark.code.inside.plain import Linked, Opaque, Tree

Same = Callable[[Any, Any], bool]
MAX_TRIES = 500_000
"""Elements that are compared at most to match two lists: what nearly repeats itself so often is no match."""
_LONG = 256


def same_unordered(expected: Any, got: Any, *, nested: bool) -> bool:
    """Tell whether two values are equal but for the order of the list, and (``nested``) of lists in it."""
    return _text(expected, nested, True) == _text(got, nested, True)


def close_unordered(expected: Any, got: Any, equal: Same, *, nested: bool) -> bool:
    """Tell the same where ``equal`` compares what is no list, within a tolerance for example."""
    return _alike(expected, got, equal, nested, True)


def _text(value: Any, nested: bool, outermost: bool = False) -> str:
    """Return what two values have in common exactly when one is the other in another order."""
    if isinstance(value, Opaque):
        return f"never {id(value)}"
    if isinstance(value, (int, float, complex)):
        return _number(value)
    if isinstance(value, str):
        return _short(json.dumps(value))
    if isinstance(value, (list, tuple, deque)):
        texts = [_text(one, nested) for one in value]
        if isinstance(value, list) and (outermost or nested):
            return _joined("many", sorted(texts))
        return _joined(type(value).__name__, texts)
    if isinstance(value, (set, frozenset)):
        return _joined("set", sorted(_text(one, False) for one in value))
    if isinstance(value, dict):
        pairs = (f"{_text(key, False)}:{_text(one, nested)}" for key, one in value.items())
        return _joined("dict", sorted(pairs))
    if isinstance(value, (Linked, Tree)):
        return _joined(type(value).__name__, [_text(value.values, nested)])
    return _short(f"{type(value).__name__} {value!r}")


def _number(value: Any) -> str:
    """Return one text for all numbers that Python calls equal, and for all that are not a number."""
    if isinstance(value, complex):
        return _number(value.real) if value.imag == 0 else f"{_number(value.real)}+{_number(value.imag)}j"
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    return hex(int(value))


def _joined(kind: str, texts: Iterable[str]) -> str:
    return _short(f"{kind}({','.join(texts)})")


def _short(text: str) -> str:
    """Return a digest of a long text, so that what is nested deep is not copied at every depth."""
    return text if len(text) <= _LONG else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _alike(a: Any, b: Any, equal: Same, nested: bool, outermost: bool = False) -> bool:
    def same(x: Any, y: Any) -> bool:
        return _alike(x, y, equal, nested)

    if isinstance(a, list) and (outermost or nested):
        return isinstance(b, list) and len(a) == len(b) and _matched(a, b, same, nested)
    if isinstance(a, (list, tuple, deque)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return equal(a, b)


def _matched(a: Sequence[Any], b: Sequence[Any], same: Same, nested: bool) -> bool:
    """Tell whether each of ``a`` can be given one of ``b`` that is the same."""
    left = sorted(((_shape(one, nested), one) for one in a), key=_first)
    right = sorted(((_shape(one, nested), one) for one in b), key=_first)
    if any(x[0][0] != y[0][0] for x, y in zip(left, right, strict=True)):
        return False
    if all(same(x[1], y[1]) for x, y in zip(left, right, strict=True)):
        return True
    # of floats alone no other choice is better than the sorted one
    return not all(isinstance(one, float) for one in (*a, *b)) and _assigned(left, right, same)


def _assigned(left: Sequence[Any], right: Sequence[Any], same: Same) -> bool:
    """Match by augmenting paths, breadth first, within `MAX_TRIES`."""
    by_shape: dict[str, list[int]] = {}
    for k, ((shape, _), _) in enumerate(right):
        by_shape.setdefault(shape, []).append(k)
    owner: dict[int, int] = {}
    given: dict[int, int] = {}
    tries = 0
    for start in range(len(left)):
        came_from: dict[int, int] = {}
        waiting, free = deque([start]), None
        while waiting and free is None:
            mine = waiting.popleft()
            (shape, _), value = left[mine]
            for k in by_shape[shape]:
                if k in came_from:
                    continue
                tries += 1
                if tries > MAX_TRIES:
                    return False
                if same(value, right[k][1]):
                    came_from[k] = mine
                    if k not in owner:
                        free = k
                        break
                    waiting.append(owner[k])
        if free is None:
            return False
        while free is not None:
            mine = came_from[free]
            owner[free] = mine
            given[mine], free = free, given.get(mine)
    return True


def _first(placed: tuple[tuple[str, list[float]], Any]) -> tuple[str, list[float]]:
    return placed[0]


def _shape(value: Any, nested: bool) -> tuple[str, list[float]]:
    """Return a value's text without its numbers, and the numbers, lists that have no order sorted."""
    if isinstance(value, (int, float)):
        return "#", [_ordered(value)]
    if isinstance(value, (list, tuple, deque)):
        parts = [_shape(one, nested) for one in value]
        if isinstance(value, list) and nested:
            parts.sort()
        return _joined(type(value).__name__, [shape for shape, _ in parts]), [
            n for _, ns in parts for n in ns
        ]
    if isinstance(value, dict):
        pairs = sorted((_text(key, False), *_shape(one, nested)) for key, one in value.items())
        shape = _joined("dict", [f"{key}:{shape}" for key, shape, _ in pairs])
        return shape, [n for _, _, numbers in pairs for n in numbers]
    if isinstance(value, (Linked, Tree)):
        shape, numbers = _shape(value.values, False)
        return f"{type(value).__name__}({shape})", numbers
    return ("#c", [0.0]) if isinstance(value, complex) else (_text(value, False), [])


def _ordered(value: float) -> float:
    """Return a number that sorts: what is none, and what no float can hold, at an end."""
    try:
        found = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return math.inf if math.isnan(found) else found
