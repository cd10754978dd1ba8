"""Fewer points that look the same: the lowest and the highest of each bucket."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_POINTS = 2000


def thin(t: NDArray[np.int64], y: NDArray[np.float64], max_points: int = MAX_POINTS) -> NDArray[np.intp]:
    """Return the ascending positions of at most ``max_points`` points of a series to draw.

    Buckets of equal duration keep their lowest and highest value, so no peak is lost; a bucket that holds NaN
    keeps one of them, so that a gap stays a gap. ``t`` int64[n] ns non-decreasing, ``y`` float64[n].
    """
    if len(t) <= max_points:
        return np.arange(len(t))
    n_buckets = max(1, max_points // 3)
    span = max(int(t[-1] - t[0]), 1)
    bucket = np.minimum((t - t[0]).astype(np.float64) / span * n_buckets, n_buckets - 1).astype(np.intp)
    order = np.lexsort((y, bucket))  # NaN sorts last within its bucket
    known = order[~np.isnan(y[order])]
    gaps = order[np.isnan(y[order])]
    kept = [gaps[np.unique(bucket[gaps], return_index=True)[1]]]
    if len(known):
        edge = np.flatnonzero(np.diff(bucket[known])) + 1
        kept += [known[np.concatenate([[0], edge])], known[np.concatenate([edge - 1, [len(known) - 1]])]]
    return np.unique(np.concatenate(kept))
