"""The one rule by which this program takes a percentile: the nearest rank."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(ascending: Sequence[float], percent: float, *, n_failed: int = 0) -> float:
    """Return the nearest-rank percentile of observed values and ``n_failed`` infinite ones (may be infinite).

    The smallest value such that at least ``percent`` % of all are no larger; always an observed one.
    Raises ``ValueError`` for no values, and for a percent that is not in (0, 100].
    """
    n = len(ascending) + n_failed
    if n == 0 or not 0 < percent <= 100:
        raise ValueError(f"no {percent}th percentile of {n} values")
    rank = max(1, math.ceil(round(percent * n / 100, 9)))  # 0.07 × 100 is a little above 7
    return ascending[rank - 1] if rank <= len(ascending) else math.inf
