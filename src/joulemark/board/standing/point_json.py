"""An operating point as plain JSON and back, exactly: what a board keeps of a run to choose by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from joulemark.board.standing.value_json import value_of_json, value_to_json
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.value import Value

_MAPS = ("settings", "flags")


def to_json(point: OperatingPoint) -> dict[str, Any]:
    """Return a point as plain values."""
    found: dict[str, Any] = {}
    for one in fields(point):
        value = getattr(point, one.name)
        if isinstance(value, Value):
            found[one.name] = value_to_json(value)
        elif one.name == "latencies_s":
            found[one.name] = {name: value_to_json(seconds) for name, seconds in value.items()}
        elif one.name in _MAPS:
            found[one.name] = dict(value)
        else:
            found[one.name] = list(value) if isinstance(value, tuple) else value
    return found


def of_json(found: Mapping[str, Any]) -> OperatingPoint:
    """Return the point; raises ``KeyError``, ``TypeError`` or ``ValueError`` for what is none.

    A field that another version did not write has its default, and one that only it knows is passed over.
    """
    given: dict[str, Any] = {}
    for one in fields(OperatingPoint):
        if one.name not in found:
            continue
        value = found[one.name]
        if isinstance(value, Mapping) and one.name not in (*_MAPS, "latencies_s"):
            given[one.name] = value_of_json(value)
        elif one.name == "latencies_s":
            given[one.name] = {name: value_of_json(seconds) for name, seconds in value.items()}
        elif one.name == "notes":
            given[one.name] = tuple(value)
        else:
            given[one.name] = value
    return OperatingPoint(**given)
