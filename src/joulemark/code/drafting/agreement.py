"""Whether arguments are of the types that the examples' arguments have, down to the items of lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from joulemark.code.inside.plain import Linked, Opaque, Plain, Tree
from joulemark.code.problems.problem import Problem

_MOST_ITEMS = 2_000  # of one list: a type that comes once in a long list is not looked for further on
_MOST_KNOWN = 200
_ALSO = {"float": frozenset({"int"})}
"""Types that may stand where another was seen: every whole number is a number."""

_Known = Mapping[str, frozenset[str]]


def known_arguments(problem: Problem) -> list[tuple[Plain, ...]]:
    """Return arguments that a problem states: of its examples, its edge cases and its own inputs."""
    examples = [one.args for one in problem.examples]
    return [*examples, *problem.edge_cases, *problem.inputs][:_MOST_KNOWN]


def disagreement(known: Sequence[tuple[Plain, ...]], made: Iterable[tuple[Plain, ...]]) -> str | None:
    """Return how the first made arguments differ in number or type from all known ones; null where none do.

    Nothing is said of a place that no known argument reaches, such as the items of lists that are all empty.
    """
    counts = sorted({len(args) for args in known})
    types = _types(known)
    for args in made:
        if len(args) not in counts:
            wanted = " or ".join(map(str, counts))
            return f"it makes {len(args)} arguments, and the examples have {wanted}"
        for path, name in _walk(args):
            seen = types.get(path)
            if seen is not None and name not in seen:
                return f"{_place(path)} is of type {name}, and in the examples {' or '.join(sorted(seen))}"
    return None


def extent(value: Plain) -> int:
    """Return how much a value holds: its parts, each text by its length. A number counts 1 however large."""
    match value:
        case str() | bytes():
            return 1 + len(value)
        case dict():
            return 1 + sum(map(extent, value.keys())) + sum(map(extent, value.values()))
        case Linked(values=values) | Tree(values=values):
            return 1 + sum(map(extent, values))
        case _ if _is_many(value):
            return 1 + sum(map(extent, value))
    return 1


def holds_opaque(value: Plain) -> str | None:
    """Return the type of something in a value that is no plain data, null where there is none."""
    match value:
        case Opaque(type_name=name):
            return name
        case dict():
            inside: Iterable[Any] = (one for pair in value.items() for one in pair)
        case Linked(values=values) | Tree(values=values):
            inside = values
        case _ if _is_many(value):
            inside = value
        case _:
            return None
    return next((name for name in map(holds_opaque, inside) if name is not None), None)


def _types(known: Iterable[tuple[Plain, ...]]) -> _Known:
    found: dict[str, set[str]] = {}
    for args in known:
        for path, name in _walk(args):
            found.setdefault(path, set()).add(name)
            found[path] |= _ALSO.get(name, frozenset())
    return {path: frozenset(names) for path, names in found.items()}


def _walk(args: tuple[Plain, ...]) -> Iterator[tuple[str, str]]:
    for number, one in enumerate(args):
        yield from _parts(one, f"argument {number + 1}")


def _parts(value: Plain, path: str) -> Iterator[tuple[str, str]]:
    yield path, type(value).__name__
    match value:
        case dict():
            for key, one in islice(value.items(), _MOST_ITEMS):
                yield from _parts(key, f"{path}/key")
                yield from _parts(one, f"{path}/value")
        case Linked(values=values) | Tree(values=values):
            for one in islice(values, _MOST_ITEMS):
                yield from _parts(one, f"{path}/item")
        case _ if _is_many(value):
            for one in islice(value, _MOST_ITEMS):
                yield from _parts(one, f"{path}/item")


def _is_many(value: Plain) -> bool:
    return type(value).__name__ in ("list", "tuple", "set", "frozenset", "deque")


def _place(path: str) -> str:
    first, *rest = path.split("/")
    return "".join(f"a{'n' if one == 'item' else ''} {one} of " for one in reversed(rest)) + first
