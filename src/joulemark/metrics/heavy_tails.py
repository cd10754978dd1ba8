"""By how much heavy tails widen an interval whose spread was found from a few values.

The spread of heavy-tailed costs is rather found too small. What heavy tails add to its relative error is
about ``sqrt((kurtosis - 3) / (4 k))`` of ``k`` values (W. Cochran, Sampling Techniques, 1977, 2.15; Student's
t has the rest); twice what that is above `SURE` widens the interval. Answers of real models are mostly below
it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SURE = 0.05
"""Relative error of a spread that needs no widening."""
_WIDENED = 2.0


def widening(errors: NDArray[np.float64], mean_square: float | None = None) -> float:
    """Return the factor, 1 or more, for ``errors`` (k,): values less what they are estimated to be.

    ``mean_square`` is that of the spread that is widened; null: of the errors themselves.
    """
    k = len(errors)
    if mean_square is None:
        mean_square = float(errors @ errors) / k if k else 0.0
    if not mean_square > 0:
        return 1.0
    return widening_at(float(np.mean(errors**4)) / mean_square**2, k)


def widening_at(kurtosis: float, k: int) -> float:
    """Return the factor for ``k`` values of a kurtosis, 3 of a normal distribution."""
    return 1 + _WIDENED * max(math.sqrt(max(kurtosis - 3, 0.0) / (4 * k)) - SURE, 0.0)
