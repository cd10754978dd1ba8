"""Least squares in which no coefficient is negative, for a handful of columns."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_COLUMNS = 8


def non_negative_least_squares(design: Array, observed: Array) -> Array:
    """Return float64[k] >= 0 that brings ``design`` float64[n, k] closest to ``observed`` float64[n].

    The best of all sets of columns whose plain least squares are not negative: exact, and for so few columns
    quicker than a method that searches (C. Lawson and R. Hanson, Solving Least Squares Problems, chapter 23).
    Raises ``ValueError`` for more than `MAX_COLUMNS` columns.
    """
    k = design.shape[1]
    if k > MAX_COLUMNS:
        raise ValueError(f"{k} columns have too many sets")
    best, least = np.zeros(k), float(observed @ observed)
    for size in range(1, k + 1):
        for columns in map(list, combinations(range(k), size)):
            found = np.linalg.lstsq(design[:, columns], observed, rcond=None)[0]
            if np.any(found < 0):
                continue
            left = observed - design[:, columns] @ found
            if float(left @ left) < least:
                least = float(left @ left)
                best = np.zeros(k)
                best[columns] = found
    return best
