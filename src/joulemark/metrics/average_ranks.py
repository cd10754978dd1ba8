"""Ranks of values, equal ones sharing theirs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def average_ranks(values: Floats) -> tuple[Floats, float]:
    """Return ranks from 1, equal values sharing theirs, and the sum of t**3 - t over t equal values."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means = ends - (counts - 1) / 2
    cubes = counts.astype(np.float64) ** 3 - counts
    return np.asarray(means[places.reshape(-1)], np.float64), float(cubes.sum())
