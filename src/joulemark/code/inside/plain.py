"""Plain data as JSON text, so that a verdict is compared on data and never on a program's own objects.

What is of no plain type, or of a subclass whose plain part can be read, becomes `Opaque`: equal to nothing.
Containers are read through the methods of the built-in types, which no subclass can replace.
"""

from __future__ import annotations

import gc
import json
import math
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

# what a program puts into the modules' place changes nothing here
_disable, _enable, _is_enabled = gc.disable, gc.enable, gc.isenabled
MAX_DEPTH = 200
MAX_RESULT_DEPTH = 150
"""Of what a program returns: what is made of it, for a checker say, still has to be within `MAX_DEPTH`."""
MAX_NODES = 200_000
MAX_PARTS = 8_000_000
"""So many parts of a value are read at most: JSON text of 64 MiB can stand for gigabytes of objects."""
_OBJECT_PARTS = 12
"""What an object counts: read, an empty deque takes 1,060 bytes, and 80 a part of a list of texts."""
_SAFE_BITS = (
    4096  # larger integers travel in hex: their decimal digits would take quadratic time, or be refused
)
_AS_THEY_ARE: set[type] = {str, bool, type(None)}
_NUMBERS: set[type] = {int, float}
_FOR_OTHERS: set[type] = {list, dict}  # parts of JSON that stand for something else, or may
_MAX_ALIKE = 50_000  # pairs of one hash that a set may hold


@dataclass(frozen=True)
class Opaque:
    """A value of no plain type; ``type_name`` is for the reader only."""

    type_name: str

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Linked:
    """The values of a singly linked list of nodes (``val``, ``next``)."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Tree:
    """The values of a binary tree (``val``, ``left``, ``right``) by level, None where there is no child."""

    values: tuple[Any, ...]


Plain: TypeAlias = Any
"""None, bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict, deque of such; nodes."""


class TooLarge(ValueError):
    """A value that is nested too deep to be sent."""


def encode(value: Any, max_depth: int = MAX_DEPTH) -> str:
    """Return ``value`` as JSON text. Raises `TooLarge` where it is nested deeper than ``max_depth``."""
    with collector_at_rest():
        try:
            return json.dumps(_tagged(value, MAX_DEPTH - max_depth), separators=(",", ":"))
        except RecursionError:
            raise TooLarge("a value nested deeper than the interpreter allows") from None


def decode(
    text: str | bytes,
    nodes: Nodes | None = None,
    *,
    max_parts: int | None = None,
    max_depth: int = MAX_DEPTH,
) -> Any:
    """Return the value of `encode`'s text; raises ``ValueError`` for anything else, whoever wrote it.

    ``nodes`` makes the objects that linked lists and trees are given as; `Linked` and `Tree` without it.
    A text of more than ``max_parts`` parts is refused before it is read, one nested deeper than ``max_depth``
    while it is.
    """
    if max_parts is not None and n_parts(text) > max_parts:
        raise ValueError("more parts than can be read")
    with collector_at_rest():
        try:
            return _untagged(json.loads(text), nodes, max_depth)
        except RecursionError as error:
            raise ValueError("nested too deep") from error
        except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
            raise ValueError(f"not a value: {type(error).__name__}") from error


class collector_at_rest:
    """Keep the garbage collector from looking, again and again, at many objects that all are kept."""

    def __enter__(self) -> None:
        self._was_enabled = _is_enabled()
        _disable()

    def __exit__(self, *_: object) -> None:
        if self._was_enabled:
            _enable()


def n_parts(text: str | bytes | bytearray) -> int:
    """Return about how many parts JSON text stands for, and no fewer; what is quoted counts too.

    A part takes 80 bytes or so once it is read, so a container with a tag counts as a dozen.
    """
    if isinstance(text, str):
        return 1 + text.count(",") + text.count("[") + _OBJECT_PARTS * text.count("{")
    return 1 + text.count(b",") + text.count(b"[") + _OBJECT_PARTS * text.count(b"{")


@dataclass(frozen=True)
class Nodes:
    """The classes of a program's linked lists and trees, null where it has none."""

    linked: Callable[..., Any] | None = None
    tree: Callable[..., Any] | None = None


def _tagged(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise TooLarge(f"a value nested deeper than {MAX_DEPTH}")
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if value.bit_length() <= _SAFE_BITS else {"i": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {"f": repr(value)}
    if kind is list:
        return _listed(value, depth)
    return _of_other_type(value, kind, depth)


def _listed(values: list[Any], depth: int) -> Any:
    kinds = set(map(type, values))
    if _cross_unchanged(kinds, values):
        return values
    if kinds in ({list}, {tuple}) and depth < MAX_DEPTH:
        parts = list(chain.from_iterable(values))
        if _cross_unchanged(set(map(type, parts)), parts):
            return values if kinds == {list} else {"r": values}
    return [_tagged(one, depth + 1) for one in values]


def _cross_unchanged(kinds: set[type], values: list[Any]) -> bool:
    """Tell whether ``values``, of types ``kinds``, are written as they are: those of most lists are."""
    if kinds <= _AS_THEY_ARE:
        return True
    if not kinds <= _AS_THEY_ARE | _NUMBERS:
        return False
    numbers = values if kinds <= _NUMBERS else [one for one in values if type(one) in _NUMBERS]
    try:
        return all(map(math.isfinite, numbers))
    except OverflowError:
        return False  # an integer that no float holds


def _of_other_type(value: Any, kind: type, depth: int) -> Any:
    mro = type.__dict__["__mro__"].__get__(kind)
    for base, tag in ((tuple, "t"), (list, "l"), (set, "s"), (frozenset, "z"), (deque, "q")):
        if base in mro:
            items = _listed(list(base.__iter__(value)), depth)
            return items if tag == "l" else {tag: items}
    if dict in mro:
        return {"d": [[_tagged(k, depth + 1), _tagged(v, depth + 1)] for k, v in dict.items(value)]}
    if int in mro:
        return _tagged(int.__add__(value, 0), depth)
    if float in mro:
        return _tagged(float.__neg__(float.__neg__(value)), depth)
    if str in mro:
        return str.__getitem__(value, slice(None))
    if bytes in mro or bytearray in mro:
        return {"b": bytes.hex(value) if bytes in mro else bytearray.hex(value)}
    if complex in mro:
        parts = (complex.__dict__[name].__get__(value) for name in ("real", "imag"))
        return {"c": [_tagged(one, depth) for one in parts]}
    return _of_nodes(value, kind, depth)


def _of_nodes(value: Any, kind: type[Any], depth: int) -> Any:
    if kind is Linked:
        return {"L": [_tagged(one, depth + 1) for one in value.values]}
    if kind is Tree:
        return {"T": [None if one is None else {"v": _tagged(one, depth + 1)} for one in value.values]}
    name = type.__dict__["__name__"].__get__(kind)
    if name == "ListNode":
        values: list[Any] = []
        node = value
        while node is not None:
            if type(node) is not kind or len(values) >= MAX_NODES:
                return {"o": "a linked list that does not end"}
            values.append(_tagged(node.val, depth + 1))
            node = node.next
        return {"L": values}
    if name == "TreeNode":
        return _of_tree(value, kind, depth)
    return {"o": str(name)[:80]}


def _of_tree(root: Any, kind: type[Any], depth: int) -> Any:
    values: list[Any] = []
    level = deque([root])
    while level:
        node = level.popleft()
        if node is None:
            values.append(None)
            continue
        if type(node) is not kind or len(values) >= MAX_NODES:
            return {"o": "a tree that does not end"}
        values.append({"v": _tagged(node.val, depth + 1)})
        level.extend((node.left, node.right))
    while values and values[-1] is None:
        values.pop()
    return {"T": values}


def _untagged(value: Any, nodes: Nodes | None, depth: int) -> Any:
    """Return what ``value`` stands for; ``depth``: how many levels there may be below it."""
    if depth < 0:
        raise ValueError("nested too deep")
    if isinstance(value, list):
        kinds = set(map(type, value))
        if dict not in kinds and list not in kinds:
            return value
        if depth > 1 and kinds == {list} and _FOR_OTHERS.isdisjoint(map(type, chain.from_iterable(value))):
            return value
        return [_untagged(one, nodes, depth - 1) for one in value]
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    return _OF_TAG[tag](content, nodes, depth)


def _rows(content: list[Any], depth: int) -> list[Any]:
    """Return a list of tuples whose members stand for themselves."""
    if depth < 1:
        raise ValueError("nested too deep")
    if set(map(type, content)) - {list}:
        raise ValueError("no rows")
    if not _FOR_OTHERS.isdisjoint(map(type, chain.from_iterable(content))):
        raise ValueError("no rows")
    return list(map(tuple, content))


def _members(content: Any, nodes: Nodes | None, depth: int, kind: Callable[[list[Any]], Any]) -> Any:
    members = _untagged(content, nodes, depth)
    return kind(members) if isinstance(members, list) and _can_be_hashed(members) else Opaque("set")


def _dictionary(content: Any, nodes: Nodes | None, depth: int) -> Any:
    pairs = [(_untagged(k, nodes, depth - 1), _untagged(v, nodes, depth - 1)) for k, v in content]
    return dict(pairs) if _can_be_hashed([key for key, _ in pairs]) else Opaque("dict")


def _can_be_hashed(members: list[Any]) -> bool:
    """Tell whether a set of these can be made, and in a time that grows with their number.

    A program chooses what it returns: a million multiples of 2**61 - 1 have one hash, and would keep the
    parent busy for hours.
    """
    try:
        alike = Counter(map(hash, members)).values()
    except TypeError:
        return False  # a list of a class of the program's own that has a hash
    return sum(n * (n - 1) // 2 for n in alike) <= _MAX_ALIKE + 20 * len(members)


def _linked(content: list[Any], nodes: Nodes | None, depth: int) -> Any:
    values = tuple(_untagged(one, nodes, depth - 1) for one in content)
    if nodes is None or nodes.linked is None:
        return Linked(values)
    first: Any = None
    for value in reversed(values):
        node = nodes.linked(value)
        node.next = first
        first = node
    return first


def _tree(content: list[Any], nodes: Nodes | None, depth: int) -> Any:
    values = tuple(None if one is None else _untagged(one["v"], nodes, depth - 1) for one in content)
    if nodes is None or nodes.tree is None:
        return Tree(values)
    if not values:
        return None
    made = [None if one is None else nodes.tree(one) for one in values]
    children = iter(made[1:])
    for node in made:
        if node is not None:
            node.left = next(children, None)
            node.right = next(children, None)
    return made[0]


_OF_TAG: dict[str, Callable[[Any, Nodes | None, int], Any]] = {
    "i": lambda content, nodes, depth: int(content, 16),
    "f": lambda content, nodes, depth: float(content),
    "t": lambda content, nodes, depth: tuple(_untagged(content, nodes, depth)),
    "r": lambda content, nodes, depth: _rows(content, depth),
    "s": lambda content, nodes, depth: _members(content, nodes, depth, set),
    "z": lambda content, nodes, depth: _members(content, nodes, depth, frozenset),
    "q": lambda content, nodes, depth: deque(_untagged(content, nodes, depth)),
    "d": _dictionary,
    "b": lambda content, nodes, depth: bytes.fromhex(content),
    "c": lambda content, nodes, depth: complex(
        float(_untagged(content[0], None, 0)), float(_untagged(content[1], None, 0))
    ),
    "o": lambda content, nodes, depth: Opaque(str(content)[:80]),
    "L": _linked,
    "T": _tree,
}
