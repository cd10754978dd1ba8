"""How candidates are called, so that no two of one model share a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_label import named_apart


def named_points(points: Sequence[OperatingPoint]) -> list[OperatingPoint]:
    """Return the points by labels that no two of a model share: alike runs by their folders."""
    apart = named_apart(points)
    seen = Counter((point.model, point.label) for point in apart)
    places: Counter[tuple[str, str]] = Counter()
    named = []
    for point in apart:
        key = (point.model, point.label)
        if seen[key] > 1:
            places[key] += 1
            run = point.origin.replace("\\", "/").rstrip("/").rpartition("/")[2]
            name = run if point.kind != "published" else f"row {places[key]}"
            point = replace(point, label=f"{point.label}, {name}")
        named.append(point)
    return named
