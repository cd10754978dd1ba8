"""What a figure of energy covers: a path in the tree of scopes.

`TREE` shows it: a supply holds boards, modules, the platform or a system on a chip, each holds its parts.
A scope is written as its path, for example ``wall/psu/psys/package:0/core``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, TypeVar

WALL = "wall"
PSU = "wall/psu"
PSYS = "wall/psu/psys"
SOC = "wall/psu/soc"
WALL_KINDS = ("wall", "psu")  # what a meter outside the device sees, the outermost first

TREE = (
    "wall > psu > {gpu:N > (pkg, tile:N), module:N > (gpu:N, package:N, gpu_part), "
    "soc > (cpu, gpu, dram, ane, rail:NAME), psys > (package:N > (core, uncore), dram:N), sensor:NAME}"
)

_NUMBER = r"(?:0|[1-9]\d{0,4})"
_SOCKET = rf"{_NUMBER}(?:-die-{_NUMBER})?"
_PCI = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
_WORD = r"[^/\s]+"
_BOARD = rf"gpu:(?:{_NUMBER}|amd-{_NUMBER}|{_PCI})(?:/(?:pkg|tile:{_NUMBER}))?"
_PACKAGE = rf"package:{_SOCKET}(?:/(?:core(?::{_NUMBER})?|uncore))?"
_PARTS = "|".join(
    (
        _BOARD,
        rf"module:{_NUMBER}(?:/(?:{_BOARD}|{_PACKAGE}|gpu_part))?",
        rf"soc(?:/(?:cpu|gpu|dram|ane|rail:{_WORD}))?",
        rf"psys(?:/(?:{_PACKAGE}|dram:{_SOCKET}))?",
        rf"sensor:{_WORD}",
    )
)
_IN_TREE = re.compile(rf"replay|wall(?:/psu(?:/(?:{_PARTS}))?)?")
_HOMES = {"gpu": PSU, "package": PSYS, "dram": PSYS}  # where a part stands, whatever it was put below

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """A node of the scope tree. ``path`` is '/'-separated, root first."""

    path: str

    def __post_init__(self) -> None:
        path = self.path
        if not path or path.strip("/") != path or "//" in path or not path.isprintable():
            raise ValueError(f"not a scope path: {path!r}")

    @classmethod
    def named(cls, path: str) -> Scope:
        """Return the scope that a user or a file names; raises ``ValueError`` for one outside the tree."""
        if not _IN_TREE.fullmatch(path):
            raise ValueError(f"{path!r} is no scope path in the tree {TREE}, nor 'replay'")
        return cls(path)

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
        """The scope class, for example ``gpu`` or ``package``.

        A part of a system on a chip is no board and no package: its class is for example ``soc/gpu``.
        """
        kind = self.label.split(":", 1)[0]
        return f"soc/{kind}" if self.path.startswith(f"{SOC}/") else kind

    @property
    def label(self) -> str:
        """The last element of the path, for example ``gpu:0``."""
        return self.path.rsplit("/", 1)[-1]

    def child(self, name: str) -> Scope:
        """Return the scope ``name`` directly below this one."""
        return Scope(f"{self.path}/{name}")

    def contains(self, other: Scope) -> bool:
        """Tell whether ``other`` is this scope or lies below it."""
        return _within(other.path, self.path)

    def holds(self, other: Scope) -> bool:
        """Tell whether all of ``other``'s energy is in this one's, by whatever path either is named.

        ``gpu:0`` is one board below ``psu`` and below ``module:0``; ``module:0`` holds ``gpu:0`` and
        ``package:0``; the system on a chip holds the processor packages.
        """
        place = _covered(other.path)[0]
        return any(_within(place, covered) for covered in _covered(self.path))

    def overlaps(self, other: Scope) -> bool:
        """Tell whether energy of the two would, or may, be counted twice in a sum."""
        ours, theirs = _covered(self.path), _covered(other.path)
        if any(_within(a, b) or _within(b, a) for a in ours for b in theirs):
            return True
        # a chip's graphics may be shown as a board as well, and its cores as a package
        return any(_within(a, SOC) and b.startswith(_MAY_BE_ON_CHIP) for a, b in _both(ours[0], theirs[0]))

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


_MAY_BE_ON_CHIP = (f"{PSU}/gpu:", f"{PSU}/module:", PSYS)


def _within(path: str, outer: str) -> bool:
    return path == outer or path.startswith(outer + "/")


def _both(a: str, b: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (a, b), (b, a)


@lru_cache(maxsize=1024)
def _covered(path: str) -> tuple[str, ...]:
    """Return the place of a scope, then those of the parts that it holds and that stand elsewhere."""
    place = _place(path)
    kind, _, index = place.rsplit("/", 1)[-1].partition(":")
    if kind == "module" and index:
        return (place, *(f"{home}/{part}:{index}" for part, home in _HOMES.items()))
    return (place, PSYS) if place == SOC else (place,)


def _place(path: str) -> str:
    labels = path.split("/")
    for depth, label in enumerate(labels):
        kind, _, index = label.partition(":")
        if index and kind in _HOMES:
            # a die is a part of its package
            return "/".join((_HOMES[kind], label.replace("-die-", "/die:"), *labels[depth + 1 :]))
        if label == "gpu_part" and depth:
            return f"{PSU}/gpu:{labels[depth - 1].partition(':')[2]}"
    return path


class OverlappingScopes(ValueError):
    """A sum over scopes of which one holds another was asked for."""


def require_antichain(scopes: Iterable[Scope]) -> None:
    """Raise `OverlappingScopes` unless no scope holds another or stands twice."""
    for a, b in combinations(list(scopes), 2):
        if a.overlaps(b):
            raise OverlappingScopes(f"{a} and {b} overlap: their sum would count energy twice")


def disjoint(items: Iterable[T], scope_of: Callable[[T], Scope]) -> list[T]:
    """Return the items without those that overlap another: holders first, of one scope the first given."""
    placed = [(item, scope_of(item)) for item in items]

    def order(one: tuple[T, Scope]) -> tuple[int, int]:
        holders = sum(other.holds(one[1]) and not one[1].holds(other) for _, other in placed)
        return holders, one[1].path.count("/")

    kept: list[tuple[T, Scope]] = []
    for item, scope in sorted(placed, key=order):
        if not any(scope.overlaps(other) for _, other in kept):
            kept.append((item, scope))
    return [item for item, _ in kept]
