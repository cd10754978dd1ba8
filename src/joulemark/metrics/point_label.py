"""How an operating point is called in short: its devices, and the settings that tell it from others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.setup import Setting
from joulemark.record.axis import AXIS

_BOARD = re.compile(r"NVIDIA\s+|AMD\s+Instinct\s+", re.IGNORECASE)


def point_label(device: str | None, n_devices: int | None, settings: Mapping[str, Setting]) -> str:
    """Return a short name like ``A100-SXM4-40GB ×4, batch 128, TP 4``."""
    board = "" if device is None else _BOARD.sub("", device).strip()
    count = f" ×{n_devices}" if board and n_devices is not None and n_devices > 1 else ""
    told = [board + count] if board else []
    for name, value in settings.items():
        axis = AXIS.get(name)
        if value is not None and (axis is None or not (axis.quiet or value in axis.usual)):
            told.append(_told(name, value))
    return ", ".join(told) or "as it stands"


def named_apart(points: Sequence[OperatingPoint]) -> list[OperatingPoint]:
    """Return the points, with what else differs in the labels of those that would be called alike.

    These are settings that a label leaves out, and flags as they are.
    """
    alike: dict[tuple[str, str], list[OperatingPoint]] = defaultdict(list)
    for point in points:
        alike[point.model, point.label].append(point)
    labels = {key: _added(group) for key, group in alike.items() if len(group) > 1}
    made = []
    for point in points:
        told = [
            _told(name, value)
            for name in labels.get((point.model, point.label), ())
            if (value := _all(point).get(name)) is not None
        ]
        made.append(replace(point, label=", ".join((point.label, *told))) if told else point)
    return made


def _added(points: Sequence[OperatingPoint]) -> list[str]:
    """Return the names in which points that are called alike differ."""
    settings = [_all(point) for point in points]
    names = dict.fromkeys(name for one in settings for name in one)
    return [name for name in names if len({one.get(name) for one in settings}) > 1]


def _all(point: OperatingPoint) -> dict[str, Setting]:
    return {**point.flags, **point.settings}


def _told(name: str, value: Setting) -> str:
    short = AXIS[name].short if name in AXIS else None
    word = short or name.replace("_", " ")
    if isinstance(value, bool):
        return f"{word} {'on' if value else 'off'}"
    return f"{word} {value:g}" if isinstance(value, float) else f"{word} {value}"
