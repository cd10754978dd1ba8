"""Anchor points: items that stand for others, and why an estimate from them has no interval.

Items are clustered by what other models made of them (k-means); the item nearest to each centre is asked and
counts for its cluster (R. Vivek et al., Anchor Points, 2023; tinyBenchmarks, 2024). Nothing is random about
the choice, so there is no error to compute, and a model unlike those seen is misjudged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.outcomes.outcomes import Floats
from joulemark.frugal.prior.estimate import Estimate

WARNING = (
    "Anchor points are biased for models unlike those that they were chosen by: on published matrices they "
    "were off by up to 9 percentage points in the mean of models better than all of these, and by 13 for "
    "single ones. There is no interval, because nothing about the choice is random. Strata (--by strata) "
    "gain nearly as much and are unbiased."
)
_PASSES = 50


@dataclass(frozen=True, slots=True)
class Anchors:
    """Places (k,) of the items to ask, and the share (k,) of all items that each stands for."""

    places: NDArray[np.intp]
    weights: Floats


def find_anchors(prior: Floats, k: int, *, seed: int = 0) -> Anchors:
    """Choose k anchors of the items of ``prior`` (m, n); what is missing counts as the model's mean."""
    m, n = prior.shape
    if not 1 <= k <= n:
        raise ValueError(f"{n} items have no {k} anchors")
    means = np.nan_to_num(np.nanmean(prior, axis=1, keepdims=True)) if m else np.zeros((0, 1))
    points = np.where(np.isfinite(prior), prior, means).T
    centres = _first_centres(points, k, np.random.default_rng(seed))
    labels = np.full(n, -1, dtype=np.intp)
    for _ in range(_PASSES):
        distances = _squared(points, centres)
        found = distances.argmin(axis=1)
        if (found == labels).all():
            break
        labels = found
        counts = np.bincount(labels, minlength=k)
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, points)
        filled = counts > 0
        centres[filled] = sums[filled] / counts[filled, None]
    distances = _squared(points, centres)
    labels = distances.argmin(axis=1)
    places, weights = [], []
    for cluster in range(k):
        members = np.flatnonzero(labels == cluster)
        if len(members):  # items that are alike leave clusters empty
            places.append(members[distances[members, cluster].argmin()])
            weights.append(len(members) / n)
    return Anchors(np.array(places, dtype=np.intp), np.array(weights))


def anchored_mean(values: Floats, weights: Floats, of: int) -> Estimate:
    """Return the weighted mean of anchors' values (k,): without an interval, see `WARNING`."""
    value = float(values @ weights / weights.sum())
    return Estimate(value, None, None, len(values), of, why_no_interval=WARNING)


def _first_centres(points: Floats, k: int, random: np.random.Generator) -> Floats:
    """Draw centres far from each other (D. Arthur and S. Vassilvitskii, k-means++, 2007)."""
    centres = np.empty((k, points.shape[1]))
    centres[0] = points[random.integers(len(points))]
    nearest = _squared(points, centres[:1])[:, 0]
    for place in range(1, k):
        total = nearest.sum()
        chances = nearest / total if total > 0 else None
        centres[place] = points[random.choice(len(points), p=chances)]
        nearest = np.minimum(nearest, _squared(points, centres[place : place + 1])[:, 0])
    return centres


def _squared(points: Floats, centres: Floats) -> Floats:
    """Return squared distances (items, centres)."""
    found: Floats = (
        (points**2).sum(axis=1)[:, None] - 2 * points @ centres.T + (centres**2).sum(axis=1)[None, :]
    )
    np.maximum(found, 0.0, out=found)
    return found
