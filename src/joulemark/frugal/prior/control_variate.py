"""A plain random sample, corrected by what other models say of the items that were drawn.

The mean of y over the sample is moved by slope·(mean of x over all items − over the sample), x being the mean
outcome of an item over other models. The slope is fixed before the model is asked: it is that of each of the
others on the rest of them. So the estimate is unbiased, not only nearly so, and y − slope·x is what its
error follows. Sources: W. Cochran, Sampling Techniques (1977), 7.1 (difference estimator); prediction-powered
inference (Angelopoulos et al., 2023) is the same correction with a model's labels for x.
"""

from __future__ import annotations

import numpy as np

from joulemark.frugal.outcomes.outcomes import Floats
from joulemark.frugal.prior.estimate import Estimate, differ_too_few, interval_of_mean, interval_of_share
from joulemark.frugal.sample_size import MIN_ITEMS

MIN_MODELS = 2


def prior_slope(prior: Floats) -> float:
    """Return the slope of a model's outcomes on the mean of the others, pooled over models.

    ``prior`` (m, n) of two models or more, nan where there is no outcome. 0 where items do not differ: then
    the others tell nothing. Raises ``ValueError`` for fewer models.
    """
    if len(prior) < MIN_MODELS:
        raise ValueError(f"{len(prior)} model tells no slope; {MIN_MODELS} do")
    known = np.isfinite(prior)
    filled = np.where(known, prior, 0.0)
    sums, counts = filled.sum(axis=0), known.sum(axis=0)
    across = along = 0.0
    for own, there in zip(filled, known, strict=True):
        both = there & (counts > 1)
        if both.sum() < 2:
            continue
        x = (sums - own)[both] / (counts - there)[both]
        x = x - x.mean()
        across += float(x @ own[both])
        along += float(x @ x)
    return across / along if along > 0 else 0.0


def controlled_mean(
    values: Floats, x: Floats, x_of_all: float, slope: float, of: int, *, is_share: bool
) -> Estimate:
    """Return the mean of ``of`` items from the values (n,) of a plain random sample and its ``x`` (n,).

    ``is_share``: values are 0 or 1. No interval below `MIN_ITEMS`.
    """
    return _moved(values, x, x_of_all, slope, of, degrees=len(values) - 1, is_share=is_share)


def fitted_mean(values: Floats, x: Floats, x_of_all: float, of: int, *, is_share: bool) -> Estimate:
    """Return the same with the slope of the sample itself (Cochran 7.3).

    Where no slope is known beforehand. It is not unbiased, but its bias falls as 1/n, and its error as 1/√n.
    """
    along = float(((x - x.mean()) ** 2).sum())
    slope = float((x - x.mean()) @ values) / along if along > 0 else 0.0
    return _moved(values, x, x_of_all, slope, of, degrees=len(values) - 2, is_share=is_share)


def _moved(
    values: Floats, x: Floats, x_of_all: float, slope: float, of: int, *, degrees: int, is_share: bool
) -> Estimate:
    n = len(values)
    if not 0 < n <= of:
        raise ValueError(f"{n} of {of} items are no sample")
    left = values - slope * x
    value = float(left.mean()) + slope * x_of_all
    if n < MIN_ITEMS and n < of:
        few = f"{n} answers are too few for an interval; {MIN_ITEMS} are needed"
        return Estimate(value, None, None, n, of, why_no_interval=few)
    spread = float(((left - left.mean()) ** 2).sum()) / degrees if degrees > 0 else 0.0
    variance = spread * (1 / n - 1 / of)
    interval = (
        interval_of_share(value, variance, degrees, n, of, right=float(values.sum()))
        if is_share
        else interval_of_mean(value, variance, degrees, n, of, left - left.mean())
    )
    if interval is None:
        return Estimate(value, None, None, n, of, why_no_interval="all answers are the same")
    told = spread > 0 and n < of and not (is_share and differ_too_few(float(values.sum()), n))
    own = float(values.var(ddof=1)) if told else 0.0
    gain = own / spread if own > 0 else None
    return Estimate(value, interval[0], interval[1], n, of, gain)
