"""A sweep in words: how far it is, what its points are called, and why some have no figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.metrics.value import Value
from joulemark.report.simulated_points import simulated_words
from joulemark.report.wording import DASH, decimals, number, printable
from joulemark.sweeps.points import Swept, SweptPoint
from joulemark.sweeps.setting import Setting, setting_text

_STATES = {
    "done": "measured",
    "invalid": "invalid",
    "partial": "begun",
    "running": "begun",
    "planned": "to do",
    "failed": "failed",
    "saturated": "saturated",
    "skipped": "skipped",
}

_AGAIN = "The same command measures them again."


def title(swept: Swept) -> str:
    """Return what was swept."""
    axes = " × ".join(axis_title(name) for name in swept.record.axes)
    return printable(f"Sweep over {axes}")


def subject(swept: Swept) -> str:
    """Return what was asked what: models, tasks and devices of the points that were measured."""
    points = [one.measured.point for one in swept.points if one.measured is not None]
    named = (
        {point.model for point in points},
        {point.task for point in points},
        {point.device for point in points if point.device is not None},
    )
    return " · ".join(printable(", ".join(sorted(names))) for names in named if names)


def warnings(swept: Swept) -> list[str]:
    """Return what is said before any figure: that it is a simulation, and how many points are invalid."""
    points = [one.measured.point for one in swept.points if one.measured is not None]
    late = [one for one in swept.points if one.state == "invalid"]
    told = [simulated_words(points)]
    if late:
        n = f"{len(late)} of {len(swept.points)} points"
        told.append(f"INVALID timing in {n}: {why_text(late[0])} {_AGAIN}")
    return [line for line in told if line]


def nothing_drawn(swept: Swept) -> str:
    """Say why there is no picture, and what to do about it."""
    states = {one.state for one in swept.points}
    if "invalid" in states:
        todo = f"Points whose client did not keep up are not drawn. {_AGAIN}"
    elif states & {"planned", "running", "partial"}:
        todo = "The same command goes on with the points that are left."
    elif "failed" in states:
        todo = "Mend what the failed points say below, then the same command tries them again."
    else:
        todo = "The table says why, point by point."
    return f"No figure is known of two points, so there is nothing to draw. {todo}"


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
    return _STATES[point.state]


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
