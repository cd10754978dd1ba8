"""How much smaller the variance can be expected to be: tried on each earlier model as if it were new."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import numpy as np

from joulemark.frugal.outcomes.outcome_matrix import OutcomeMatrix
from joulemark.frugal.outcomes.outcomes import Floats
from joulemark.frugal.prior.control_variate import MIN_MODELS, prior_slope
from joulemark.frugal.prior.strata import difficulty_strata, neyman, proportional

_MOST_MODELS = 40


@dataclass(frozen=True, slots=True)
class ExpectedGain:
    """Variance of plain sampling over that of the design, over ``n`` earlier models."""

    median: float
    least: float
    largest: float
    n: int


def expected_gain(
    prior: OutcomeMatrix, n: int, *, method: str, allocation: str = "proportional", n_strata: int = 1
) -> ExpectedGain | None:
    """Return the gain for models as those of the prior, each judged by the others; null where that can't be.

    Exact variances: nothing is drawn. Of many models, forty spread over them are tried. A regression needs a
    slope from the others alone, hence three models.
    """
    whole = np.flatnonzero(prior.complete)
    needed = MIN_MODELS if method == "strata" else MIN_MODELS + 1
    if len(whole) < MIN_MODELS or len(prior.values) < needed:
        return None
    if not 1 < n < len(prior.item_ids) or method == "anchors":
        return None
    tried = whole[np.unique(np.linspace(0, len(whole) - 1, min(len(whole), _MOST_MODELS)).astype(int))]
    found = []
    for place in tried.tolist():
        y = prior.values[place]
        others = prior.without(place)
        means = others.item_means()
        means = np.where(np.isfinite(means), means, np.nanmean(means))
        plain = float(y.var(ddof=1)) * (1 / n - 1 / len(y))
        if method == "strata":
            left = _stratified(y, means, others.values, n, allocation, n_strata)
        else:
            slope = prior_slope(others.values)
            left = float((y - slope * means).var(ddof=1)) * (1 / n - 1 / len(y))
        if plain > 0 and left > 0:
            found.append(plain / left)
    if not found:
        return None
    return ExpectedGain(median(found), min(found), max(found), len(found))


def _stratified(y: Floats, means: Floats, prior: Floats, n: int, allocation: str, n_strata: int) -> float:
    strata = difficulty_strata(means, n_strata)
    sizes = neyman(n, strata, prior) if allocation == "neyman" else proportional(n, strata)
    variance = 0.0
    for places, size in zip(strata, sizes.tolist(), strict=True):
        if len(places) > 1:
            spread = float(y[places].var(ddof=1))
            variance += (len(places) / len(y)) ** 2 * spread * (1 / size - 1 / len(places))
    return variance
