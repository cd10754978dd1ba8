"""Lists that were tuples, sets or complex numbers before a file of JSON flattened them.

What they were is read from calls that are written out in Python: where those have a tuple, a list becomes
one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from joulemark.code.inside.plain import Plain


@dataclass(slots=True)
class Shape:
    """What stands at one place of the arguments: kinds of containers, and the shapes of their items."""

    kinds: set[type] = field(default_factory=set)
    items: Shape | None = None

    def see(self, value: Plain) -> None:
        """Take a value that stands here into account."""
        if isinstance(value, list | tuple | set | frozenset | dict):
            self.kinds.add(type(value))
            for one in value.values() if isinstance(value, dict) else value:
                self.items = self.items or Shape()
                self.items.see(one)


def shapes_of(calls: Iterable[Sequence[Plain]]) -> list[Shape]:
    """Return the shape of each argument, given calls that are written out."""
    shapes: list[Shape] = []
    for args in calls:
        shapes += [Shape() for _ in range(len(args) - len(shapes))]
        for shape, value in zip(shapes, args, strict=False):
            shape.see(value)
    return shapes


def restored(value: Plain, shape: Shape | None, chain: type | None = None) -> Plain:
    """Return a JSON value with its lists as what they were; a place of several kinds stays a list.

    ``chain``: the kind of the containers around it where they stand in one another; what lies deeper than any
    call shows is taken for that.
    """
    below = None if shape is None else shape.items
    if isinstance(value, dict):
        return {key: restored(one, below) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    kinds = set() if shape is None else shape.kinds - {dict}
    made = chain or list
    if kinds:
        made = next(iter(kinds)) if len(kinds) == 1 else list
    goes_on = chain is made or (below is not None and below.kinds == {made})
    items = [restored(one, below, made if goes_on else None) for one in value]
    if made is tuple:
        return tuple(items)
    if made in (set, frozenset) and not any(isinstance(one, list | dict | set) for one in items):
        return set(items)
    return items
