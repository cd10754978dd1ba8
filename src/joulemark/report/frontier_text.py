"""The frontier as plain characters, for a terminal: energy up, latency across."""

from __future__ import annotations

import math

from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.recommendation import Recommendation
from joulemark.metrics.value import Value
from joulemark.report.frontier_words import figure_title, objective_title
from joulemark.report.wording import figure_texts

_WIDE = 5.0
"""An axis whose ends differ by more than this factor is logarithmic."""
LEGEND = "* pick   o front   . other   F fastest   | limit"


def text_frontier(found: Recommendation, columns: int = 60, lines: int = 14) -> list[str]:
    """Return the picture's lines; none where fewer than two points have both figures.

    Axes are logarithmic where their ends differ by more than five times. Marks on one place: the pick before
    the fastest, the front, the others.
    """
    marks = []
    front = set(found.front.on)
    for k, point in enumerate(found.front.points):
        x, y = figure_of(point, found.latency).value, figure_of(point, found.wish.objective).value
        if x is None or y is None:
            continue
        mark = "*" if point is found.pick else "F" if point is found.fastest else "o" if k in front else "."
        marks.append((x, y, mark))
    if len(marks) < 2:
        return []
    across = _Axis([x for x, _, _ in marks], columns)
    up = _Axis([y for _, y, _ in marks], lines)
    grid = [[" "] * columns for _ in range(lines)]
    bound = next((limit.bound for limit in found.wish.limits if limit.name == found.latency), None)
    if bound is not None and across.low <= bound <= across.high:
        for row in grid:
            row[across.place(bound)] = "|"
    for mark in ".oF*":
        for x, y, own in marks:
            if own == mark:
                grid[lines - 1 - up.place(y)][across.place(x)] = mark
    left = [""] * lines
    left[0], left[-1] = (figure_texts("energy", Value(end, "J"))[0] for end in (up.high, up.low))
    room = max(map(len, left))
    ends = [figure_texts("latency", Value(end, "s"))[0] for end in (across.low, across.high)]
    gap = " " * max(1, columns - len(ends[0]) - len(ends[1]))
    told = f"{figure_title(found.latency)} across{across.told}, {objective_title(found)} up{up.told}"
    return [
        *(f"{said:>{room}} {''.join(row).rstrip()}".rstrip() for said, row in zip(left, grid, strict=True)),
        f"{'':>{room}} {ends[0]}{gap}{ends[1]}",
        f"{'':>{room}} {told}",
        f"{'':>{room}} {LEGEND}",
    ]


class _Axis:
    """An axis of so many characters over some values."""

    def __init__(self, values: list[float], cells: int) -> None:
        self.low, self.high, self._cells = min(values), max(values), cells
        self._log = self.low > 0 and self.high / self.low > _WIDE

    @property
    def told(self) -> str:
        return " (log)" if self._log else ""

    def place(self, value: float) -> int:
        """Return the cell of a value within the ends."""
        low, high = (math.log(self.low), math.log(self.high)) if self._log else (self.low, self.high)
        at = math.log(value) if self._log else value
        share = 0.5 if high <= low else (at - low) / (high - low)
        return min(self._cells - 1, max(0, round(share * (self._cells - 1))))
