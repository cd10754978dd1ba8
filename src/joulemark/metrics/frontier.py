"""The Pareto front of operating points: nothing is as good in every axis and better in one.

Source: weak dominance as usual (V. Pareto); of points that are equal in every axis none dominates another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.noise import difference
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import LARGER_IS_BETTER, figure_of


@dataclass(frozen=True, slots=True)
class Frontier:
    """A front over ``points`` by their place in it, along ``axes`` (names of figures).

    ``on`` are the points of the front, the best in the first axis first; ``tied`` those off it whose distance
    from it is within noise: no point of the front beats them for certain. ``left_out`` are places with the
    first axis that is withheld there: a withheld value never enters.
    """

    axes: tuple[str, ...]
    points: tuple[OperatingPoint, ...]
    on: tuple[int, ...]
    tied: tuple[int, ...]
    left_out: tuple[tuple[int, str], ...]

    @property
    def front(self) -> tuple[OperatingPoint, ...]:
        """The points of the front, the best in the first axis first."""
        return tuple(self.points[k] for k in self.on)


def non_dominated(costs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which rows of ``costs`` (n points, k axes, smaller is better, finite) no other row dominates.

    Two axes take O(n log n); more take O(n × front).
    """
    n, k = costs.shape
    keep = np.zeros(n, dtype=np.bool_)
    if n == 0:
        return keep
    order = np.lexsort(costs.T[::-1])  # by the first axis, ties by the next
    ordered = costs[order]
    if k == 2:
        keep[order] = _sweep(ordered)
        return keep
    front: list[int] = []
    for place in range(n):
        # only an earlier row can dominate, as order is lexicographic; its equals do not
        row, ahead = ordered[place], ordered[front]
        beaten = (ahead <= row).all(axis=1) & (ahead < row).any(axis=1)
        if not beaten.any():
            front.append(place)
    keep[order[front]] = True
    return keep


def _sweep(ordered: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which rows, sorted by the first axis and then the second, are on the front of two axes."""
    x, y = ordered[:, 0], ordered[:, 1]
    starts = np.flatnonzero(np.r_[True, x[1:] != x[:-1]])  # the first row of each x has its smallest y
    lowest = y[starts]
    before = np.r_[np.inf, np.minimum.accumulate(lowest)[:-1]]
    group = np.cumsum(np.r_[True, x[1:] != x[:-1]]) - 1
    return np.asarray((y == lowest[group]) & (lowest[group] < before[group]), dtype=np.bool_)


def frontier(points: Sequence[OperatingPoint], axes: Sequence[str]) -> Frontier:
    """Return the front of points along two or more figures (`joulemark.metrics.point_figures`).

    Raises ``KeyError`` for an unknown figure and ``ValueError`` for fewer than two, or for one named twice.
    """
    names = tuple(axes)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"a front needs two figures or more, each once, not {names}")
    known, left_out, costs = [], [], []
    for place, point in enumerate(points):
        values = [figure_of(point, name) for name in names]
        missing = next((n for n, v in zip(names, values, strict=True) if v.value is None), None)
        if missing is not None:
            left_out.append((place, missing))
            continue
        known.append(place)
        costs.append([_sign(n) * v.value for n, v in zip(names, values, strict=True) if v.value is not None])
    table = np.asarray(costs, dtype=np.float64).reshape(len(known), len(names))
    kept = non_dominated(table)
    on = [known[k] for k in sorted(np.flatnonzero(kept), key=lambda k: tuple(table[k]))]
    front = [points[place] for place in on]
    tied = tuple(
        known[k]
        for k in np.flatnonzero(~kept)
        if not any(_surely_beaten(points[known[k]], better, names) for better in front)
    )
    return Frontier(names, tuple(points), tuple(on), tied, tuple(left_out))


def _sign(name: str) -> float:
    return -1.0 if name in LARGER_IS_BETTER else 1.0


def _surely_beaten(point: OperatingPoint, better: OperatingPoint, axes: Sequence[str]) -> bool:
    """Tell whether ``better`` is no worse in any axis and ahead in one, whatever the noise is.

    A figure without an interval counts as it stands.
    """
    ahead = False
    for name in axes:
        gap = difference(figure_of(point, name), figure_of(better, name))
        assert gap.value is not None
        least = gap.value if gap.lo is None or gap.hi is None else (gap.lo if _sign(name) > 0 else gap.hi)
        least *= _sign(name)
        if least < 0:
            return False
        ahead = ahead or least > 0
    return ahead
