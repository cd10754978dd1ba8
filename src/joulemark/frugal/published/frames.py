"""Frames: stretches of the tracking curve, each of which gives one slope.

The published text speaks of successive frames (reading A) and gives figures that only overlapping windows
give (reading B).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from joulemark.record.errors import InputError

Ints = NDArray[np.int64]

DEFAULT_SHARE = 0.01
"""Length of a frame as a share of the items: the published choice."""
STEPS_A_FRAME = 8
"""Starts a frame in fast mode."""
_MIN_STARTS, _MAX_STARTS = 200, 1000  # in fast mode


class Reading(StrEnum):
    """How the frames lie: overlapping windows (B, which gives the published figures) or disjoint ones (A)."""

    DISJOINT = "A"
    OVERLAPPING = "B"


@dataclass(frozen=True, slots=True)
class Frames:
    """Where frames of ``length`` items begin, of ``n_items`` in all.

    ``starts`` (m,) and ``ends`` (m,) are numbers of items asked, ``end = start + length - 1``;
    ``points`` (k,), ascending, are all sizes at which the tracking curve must be known.
    """

    n_items: int
    length: int
    starts: Ints
    points: Ints

    @property
    def ends(self) -> Ints:
        """Number of items asked at the last point of each frame."""
        return self.starts + (self.length - 1)

    @property
    def is_whole_curve(self) -> bool:
        """Whether the curve is known at every size from 1 on."""
        return len(self.points) == self.n_items


def frame_length(n_items: int, share: float = DEFAULT_SHARE) -> int:
    """Return the length of a frame that is ``share`` of the items: at least the 2 that a slope takes."""
    return max(2, round(share * n_items))


def frames(
    n_items: int,
    length: int,
    reading: Reading = Reading.OVERLAPPING,
    *,
    every: bool,
    whole: bool,
    steps: int = STEPS_A_FRAME,
) -> Frames:
    """Lay frames over the curve. ``every``: one from each start. ``whole``: the curve at every size.

    Otherwise the starts are thinned to ``steps`` a frame, at least 200 of them and, at 8 steps, at most
    1,000; and the curve is known where frames begin and end. Raises `InputError` where fewer than three
    frames fit.
    """
    last = n_items - length + 1
    if length < 2 or last < 3:
        raise InputError(
            f"frames of {length} items do not fit {n_items} items",
            why="a slope takes two points, and a knee three slopes",
            fix=f"--frame of 2 to {n_items - 2} items" if n_items >= 4 else "name a file of 4 items at least",
        )
    if reading is Reading.DISJOINT:
        starts = np.arange(1, last + 1, length, dtype=np.int64)
        if len(starts) < 3:
            raise InputError(
                f"only {len(starts)} disjoint frames of {length} items fit {n_items} items",
                why="a knee takes three slopes",
                fix="a shorter --frame, or --reading B",
            )
    elif every:
        starts = np.arange(1, last + 1, dtype=np.int64)
    else:
        starts = _thinned(last, length, steps)
    if whole:
        points = np.arange(1, n_items + 1, dtype=np.int64)
    else:
        points = np.unique(np.concatenate([starts, starts + length - 1, [n_items]]))
    return Frames(n_items, length, starts, points)


def _thinned(last: int, length: int, steps: int) -> Ints:
    """Return starts up to ``last``; most ends of frames are starts of others, which saves draws.

    Each stands for those around it, so the first lies half a spacing in: slopes grow without bound towards
    the beginning, and one that stood for itself alone would count for a whole stretch.
    """
    span = length - 1
    most = _MAX_STARTS * steps / STEPS_A_FRAME
    spacing = max(1.0, span / max(steps, math.ceil(_MIN_STARTS * span / last)), last / most)
    count = max(3, int((last - 1) / spacing))
    places = 1 + np.round((np.arange(count) + 0.5) * spacing).astype(np.int64)
    return np.unique(np.clip(places, 1, last))
