"""A sweep in words: how far it is, what its points are called, and why some have no figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.metrics.value import Value
from joulemark.report.wording import DASH, decimals, number, printable
from joulemark.sweeps.points import Swept, SweptPoint
from joulemark.sweeps.setting import Setting, setting_text

_STATES = {
    "done": "measured",
    "partial": "begun",
    "running": "begun",
    "planned": "to do",
    "failed": "failed",
    "saturated": "saturated",
    "skipped": "skipped",
}


def title(swept: Swept) -> str:
    """Return what was swept."""
    axes = " × ".join(axis_title(name) for name in swept.record.axes)
    return printable(f"Sweep over {axes}")


def axis_title(name: str) -> str:
    """Return an axis's name as words."""
    return {
        "concurrency": "requests in flight",
        "rate": "requests per second",
        "power_limit_w": "power limit (W)",
        "max_batch": "batch size limit",
    }.get(name, name.replace("_", " "))


def point_text(values: Mapping[str, Setting], axes: Mapping[str, Sequence[Setting]]) -> str:
    """Return a point by the axes that have more than one value; by all where none has."""
    varied = {name: value for name, value in values.items() if len(axes.get(name, ())) > 1} or values
    return printable(
        ", ".join(f"{name.replace('_', ' ')} {setting_text(value)}" for name, value in varied.items())
    )


def progress_text(swept: Swept) -> str:
    """Return how many points are in which state."""
    counts = swept.counts
    parts = []
    for state, words in _STATES.items():
        if counts.get(state):
            parts.append(f"{counts[state]} {words}")
    earlier = f"; {len(swept.earlier)} of earlier grids are not shown" if swept.earlier else ""
    return f"{len(swept.points)} points: {', '.join(parts)}{earlier}."


def state_text(point: SweptPoint) -> str:
    """Return a point's state in a word or two."""
    return _STATES[point.record.state]


def why_text(point: SweptPoint) -> str:
    """Return why a point has no figures, or is not whole; empty where it has them."""
    return printable(point.why)


def short_text(value: Value | None, factor: float = 1.0, suffix: str = "") -> str:
    """Return a figure for a narrow cell, to three digits or two of its interval; a dash where unknown."""
    if value is None or value.value is None:
        return DASH
    scaled = value.value * factor
    width = None if value.lo is None or value.hi is None else (value.hi - value.lo) * factor
    places = decimals(scaled, width) if width else max(0, decimals(scaled) - 1)
    return number(scaled, min(places, 6)) + suffix
