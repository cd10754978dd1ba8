"""Ranks as ranges: two rows have an order only where their intervals do not meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.figure_names import LARGER_IS_BETTER, NO_ORDER, TIMED
from joulemark.board.standing.snapshot import Snapshot

UNORDERED = "Less of this figure is not better in itself, or not comparable between runs: it is no rank."
NO_FIGURE = "It has no such figure: "


@dataclass(frozen=True, slots=True)
class Rank:
    """The best and the worst place that a row may have, both from 1."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}\N{EN DASH}{self.worst}"


def rank_ranges(
    value: NDArray[np.float64], lo: NDArray[np.float64], hi: NDArray[np.float64], *, larger: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the best and the worst rank of each row, both 0 where its value is NaN. O(n log n).

    A row is ahead of another where the interval of the one ends before that of the other begins. A value
    without an interval (NaN ends) counts as it stands. ``larger``: larger values are ahead.
    """
    known = np.isfinite(value)
    ends = (np.where(np.isfinite(lo), lo, value), np.where(np.isfinite(hi), hi, value))
    first, last = (-ends[1], -ends[0]) if larger else ends
    best, worst = np.zeros(len(value), dtype=np.int64), np.zeros(len(value), dtype=np.int64)
    n = int(known.sum())
    ahead = np.searchsorted(np.sort(last[known]), first[known], side="left")
    behind = n - np.searchsorted(np.sort(first[known]), last[known], side="right")
    best[known], worst[known] = 1 + ahead, n - behind
    return best, worst


def ranks_of(found: Snapshot, table: str, figure: str) -> dict[int, Rank]:
    """Return the ranks of a table's rows by their places, of those that have one; kept with the snapshot.

    Rows that may not be ranked take no place from others.
    """
    key = (table, figure)
    known = found.ranks.get(key)
    if known is not None:
        return known
    places = np.array(
        [place for place in found.tables().get(table, ()) if _stands(found.rows[place], figure)],
        dtype=np.int64,
    )
    ranks: dict[int, Rank] = {}
    if len(places) and is_ordered(found, figure):
        lo, hi = found.bounds(figure)
        best, worst = rank_ranges(
            found.column(figure)[places], lo[places], hi[places], larger=figure in LARGER_IS_BETTER
        )
        ranks = {
            int(place): Rank(int(a), int(b)) for place, a, b in zip(places, best, worst, strict=True) if a > 0
        }
    found.ranks[key] = ranks
    return ranks


def is_marked(row: BoardRow, figure: str) -> bool:
    """Tell whether a figure of a row stands beside no other's: a time of a busy machine."""
    return bool(row.times_not_comparable) and figure in TIMED


def _stands(row: BoardRow, figure: str) -> bool:
    return row.is_ranked and not is_marked(row, figure)


def is_ordered(found: Snapshot, figure: str) -> bool:
    """Tell whether rows can be ranked by a figure; by money and carbon where all have one rate."""
    return figure not in NO_ORDER or figure in found.comparable


def why_no_rank(found: Snapshot, place: int, figure: str) -> str:
    """Return why a row has no rank by a figure."""
    row = found.rows[place]
    if not row.is_ranked:
        return row.why_not_ranked
    if not is_ordered(found, figure):
        return UNORDERED
    if is_marked(row, figure):
        return row.times_not_comparable
    told = row.figures.get(figure)
    return NO_FIGURE + ("it was not measured." if told is None else told.detail)
