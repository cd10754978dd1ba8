"""What can be varied: settings of an engine, options of a load, and what installed packages add."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import metadata
from types import MappingProxyType
from typing import Protocol

from joulemark.record.axis import AXES
from joulemark.record.errors import InputError
from joulemark.sweeps.setting import Setting

ENTRY_POINTS = "joulemark.axes"
FLAG = "flags."
"""``flags.NAME`` is the engine's own flag ``--NAME``."""
LAUNCH: Mapping[str, type] = MappingProxyType(
    {"model": str, **{axis.name: axis.type for axis in AXES if axis.launched}}
)
"""Settings that an engine is started with, and the type of each."""
PLACES: Mapping[str, type] = MappingProxyType({"engine": str, "gpu": str, "power_limit_w": float})
"""Which engine, on which device, under which limit a device."""
LOADS = ("concurrency", "rate")
"""Axes along which the load grows, so that an engine may be saturated."""


class UserAxis(Protocol):
    """An axis of an installed package: an entry point of the group ``joulemark.axes``, by its name."""

    def __call__(self, value: Setting, engine: str) -> Mapping[str, Setting]:
        """Return the settings that a value stands for, by their names in a grid.

        Raises `InputError` where the engine cannot have it; the point is skipped and says so.
        """
        ...


@cache
def user_axes() -> Mapping[str, UserAxis]:
    """Return the axes that installed packages add; none hides one of ours."""
    return MappingProxyType(
        {
            point.name: point.load()
            for point in metadata.entry_points(group=ENTRY_POINTS)
            if point.name not in LAUNCH and point.name not in PLACES
        }
    )


def require_known(names: Collection[str], options: Collection[str], where: str) -> None:
    """Raise `InputError` for a name that is no setting; ``options`` are those of the commands that ask."""
    known = {*LAUNCH, *PLACES, *options, *user_axes()}
    for name in names:
        if name in known or (name.startswith(FLAG) and len(name) > len(FLAG)):
            continue
        near = get_close_matches(name.replace("-", "_"), sorted(known), n=3, cutoff=0.5)
        meant = f"did you mean {' or '.join(near)}?" if near else ""
        raise InputError(
            f"there is no setting {name!r} ({where})",
            why=meant
            or f"there are {', '.join(sorted({*LAUNCH, *PLACES}))}, and the options of load and media",
            fix="docs/sweeps.md lists them; an engine's own flag is flags.NAME",
        )


def checked(name: str, value: Setting) -> Setting:
    """Return the value of a setting of an engine or a place in its type; others as they are.

    Raises `InputError` for a value of another type.
    """
    wanted = LAUNCH.get(name) or PLACES.get(name)
    if wanted is None:
        return value
    if wanted is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if wanted is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, wanted) and (wanted is not int or not isinstance(value, bool)):
        return value
    names = {int: "a whole number", str: "a text", bool: "true or false", float: "a number"}
    raise InputError(f"{name} = {value!r} is not possible", why=f"it takes {names[wanted]}")
