"""How much of the spread between questions would come anew if the same questions were asked again.

A figure of N questions, of which n were asked, is uncertain by ``1 - n/N`` only where a question that was
asked is known. Where asking it again would give another value, what was drawn stays uncertain when all were
asked: the variance of the mean is ``s² / n (1 - f + f w)``, with ``f = n/N``, ``s²`` the variance between the
questions' means and ``w`` the part of it that lies within questions. Source: two-stage sampling with
unlimited second stages, W. Cochran, Sampling Techniques (1977), 10.3. Every function here tells a ``w`` that
is rather too large.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from joulemark.record.manifest import Sampling

Floats = NDArray[np.float64]
ALL = 1.0
"""Of a spread of which nothing is known, all may be within: then there is no correction."""


def is_sampled(sampling: Sampling) -> bool:
    """Tell whether answers were drawn, so that a question asked again may be answered otherwise."""
    return sampling.temperature > 0


def variance_of_mean(values: Sequence[float]) -> float:
    """Return the variance of the mean of a question's repeats, nan of fewer than two."""
    n = len(values)
    return float(np.var(values, ddof=1)) / n if n > 1 else float("nan")


def within_share(variances: Floats, spread: float) -> float:
    """Return w, from `variance_of_mean` of each question and the variance ``spread`` of the questions' means.

    All of it where no question has repeats, or where there is no spread.
    """
    known = variances[~np.isnan(variances)]
    if not len(known) or not spread > 0:
        return ALL
    return min(float(known.mean()) / spread, ALL)


def cost_within(cost: Floats, explained: Floats, errors: Floats) -> float:
    """Return w of measured costs, float64[K], whose ``errors`` the interval is made of; at most 1.

    ``explained`` float64[K, m] are what a question fixes when it is always answered alike (how many answers,
    how many tokens), summed over units as the costs are. What a line through them leaves is all of the noise
    of a request and more: the noise is no larger than that. All of it with a count missing or too few units.
    """
    k, m = explained.shape
    square = float(errors @ errors)
    if k <= 2 * m or not square > 0 or not np.isfinite(explained).all():
        return ALL
    slopes = np.linalg.lstsq(explained, cost, rcond=None)[0]
    left: Floats = np.asarray(cost - explained @ slopes, np.float64)
    share: float = float(left @ left) / (k - m) / (square / (k - 1))
    return min(share, ALL)
