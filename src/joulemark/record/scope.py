"""What a figure of energy covers: a path in the tree of scopes.

``wall ⊃ psu ⊃ {gpu:i, module:i ⊃ gpu:i, psys ⊃ {package:j ⊃ {core, uncore}, dram:j}, soc}``.
A scope is written as its path, for example ``wall/psu/psys/package:0/core``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

WALL = "wall"
PSU = "wall/psu"
PSYS = "wall/psu/psys"
WALL_KINDS = ("wall", "psu")  # what a meter outside the device sees, the outermost first

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """A node of the scope tree. ``path`` is '/'-separated, root first."""

    path: str

    def __post_init__(self) -> None:
        if not self.path or self.path.strip("/") != self.path or "//" in self.path:
            raise ValueError(f"not a scope path: {self.path!r}")

    @classmethod
    def gpu(cls, index: int) -> Scope:
        """Return the scope of a whole GPU board."""
        return cls(f"{PSU}/gpu:{index}")

    @classmethod
    def module(cls, index: int) -> Scope:
        """Return the scope of a CPU+GPU module (Grace Hopper), which holds its GPU."""
        return cls(f"{PSU}/module:{index}")

    @classmethod
    def package(cls, index: int) -> Scope:
        """Return the scope of a CPU package."""
        return cls(f"{PSYS}/package:{index}")

    @classmethod
    def dram(cls, index: int) -> Scope:
        """Return the scope of the memory of a CPU package; no part of the package itself."""
        return cls(f"{PSYS}/dram:{index}")

    @property
    def kind(self) -> str:
        """The scope class, for example ``gpu`` or ``package``."""
        return self.path.rsplit("/", 1)[-1].split(":", 1)[0]

    @property
    def label(self) -> str:
        """The last element of the path, for example ``gpu:0``."""
        return self.path.rsplit("/", 1)[-1]

    def child(self, name: str) -> Scope:
        """Return the scope ``name`` directly below this one."""
        return Scope(f"{self.path}/{name}")

    def contains(self, other: Scope) -> bool:
        """Tell whether ``other`` is this scope or lies below it."""
        return other.path == self.path or other.path.startswith(self.path + "/")

    def overlaps(self, other: Scope) -> bool:
        """Tell whether energy of the two would be counted twice in a sum."""
        return self.contains(other) or other.contains(self)

    def __str__(self) -> str:
        return self.path

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Scope], handler: Any) -> Any:
        """Let a scope be its path in JSON; pydantic calls this, and only then is it imported."""
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, Scope) else Scope(value),
            serialization=core_schema.plain_serializer_function_ser_schema(str),
        )


class OverlappingScopes(ValueError):
    """A sum over scopes of which one holds another was asked for."""


def require_antichain(scopes: Iterable[Scope]) -> None:
    """Raise `OverlappingScopes` unless no scope holds another or stands twice."""
    for a, b in combinations(list(scopes), 2):
        if a.overlaps(b):
            raise OverlappingScopes(f"{a} and {b} overlap: their sum would count energy twice")


def disjoint(items: Iterable[T], scope_of: Callable[[T], Scope]) -> list[T]:
    """Return the items without those inside another one: parents first, of the same scope the first given."""
    kept: list[T] = []
    for item in sorted(items, key=lambda one: scope_of(one).path.count("/")):
        if not any(scope_of(item).overlaps(scope_of(other)) for other in kept):
            kept.append(item)
    return kept
