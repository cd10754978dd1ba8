"""What a test says to a reader: its input, what a program made of it, what is right, each in a short text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from reprlib import Repr
from typing import Any

from joulemark.code.cases.case import Case
from joulemark.code.inside.plain import Linked, Opaque, Plain, Tree

_CHARS = 120
_PARTS = 8
_MOST_BITS = 256


class _Short(Repr):
    """Texts of values that a program made: no more of one is looked at than is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = self.maxdeque = _PARTS
        self.maxstring = self.maxother = self.maxlong = 60

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= _MOST_BITS else f"an integer of {x.bit_length()} bits"

    def repr_bytes(self, x: bytes, level: int) -> str:
        return repr(x[: self.maxother]) + ("…" if len(x) > self.maxother else "")

    def repr_set(self, x: set[Any], level: int) -> str:
        return f"{{{self._some(x, len(x), level)}}}" if x else "set()"

    def repr_frozenset(self, x: frozenset[Any], level: int) -> str:
        return f"frozenset({self.repr_set(set(islice(x, _PARTS + 1)), level) if x else ''})"

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        if level <= 0 and x:
            return "{...}"
        parts = [
            f"{self.repr1(key, level - 1)}: {self.repr1(value, level - 1)}"
            for key, value in islice(x.items(), _PARTS)
        ]
        return "{" + ", ".join([*parts, *(["..."] if len(x) > _PARTS else [])]) + "}"

    def repr_Linked(self, x: Linked, level: int) -> str:  # `Repr` finds it by the type's name
        return f"linked list [{self._some(x.values, len(x.values), level)}]"

    def repr_Tree(self, x: Tree, level: int) -> str:
        return f"tree [{self._some(x.values, len(x.values), level)}]"

    def repr_Opaque(self, x: Opaque, level: int) -> str:
        return f"a value of type {x.type_name[: self.maxother]!r}"

    def _some(self, values: Iterable[Any], n: int, level: int) -> str:
        if level <= 0 and n:
            return "..."
        shown = [self.repr1(one, level - 1) for one in islice(values, _PARTS)]
        return ", ".join([*shown, *(["..."] if n > _PARTS else [])])


def shown(value: Plain) -> str:
    """Return a value as a short text."""
    text = _Short().repr(value)
    return text if len(text) <= _CHARS else f"{text[: _CHARS - 1]}…"


def wrong_result(case: Case, got: Plain) -> str:
    """Return what a wrong result is: on what input, and beside what the reference returns."""
    return f"on {shown_input(case)} it returned {shown(got)}, the reference {shown(case.expected)}"


def shown_input(case: Case) -> str:
    """Return the arguments of a test."""
    return f"({', '.join(shown(one) for one in case.args)})"
