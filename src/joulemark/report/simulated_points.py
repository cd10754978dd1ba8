"""That configurations were simulated: said as loudly of many as a run's own page says it of one."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.metrics.operating_point import OperatingPoint

_ALL = (
    "This is a SIMULATION: times, joules and answers were computed or replayed, nothing was measured. Never "
    "compare or rank them with measurements."
)


def simulated_words(points: Sequence[OperatingPoint]) -> str:
    """Return the warning, or nothing where no point was simulated."""
    n = sum(point.kind == "simulated" for point in points)
    if not n:
        return ""
    return (
        _ALL
        if n == len(points)
        else f"{n} of {len(points)} points are a SIMULATION{_ALL.partition('ION')[2]}"
    )
