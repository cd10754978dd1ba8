"""Choosing the items to ask from what other models made of them: seeded, and the same for everybody."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from joulemark.frugal.outcomes.outcome_matrix import OutcomeMatrix
from joulemark.frugal.prior.anchors import find_anchors
from joulemark.frugal.prior.choice import Choice, ChosenStratum, Control, Method
from joulemark.frugal.prior.control_variate import MIN_MODELS, prior_slope
from joulemark.frugal.prior.strata import (
    MIN_IN_STRATUM,
    difficulty_strata,
    neyman,
    proportional,
    usual_number,
)
from joulemark.record.errors import InputError
from joulemark.tasks.subset import permuted


def choose(
    prior: OutcomeMatrix,
    n: int,
    *,
    method: Method = "strata",
    key: str,
    allocation: str = "proportional",
    n_strata: int | None = None,
) -> Choice:
    """Choose ``n`` of the prior's items; raises `InputError` for numbers that cannot be.

    Within a stratum, as in the whole of a plain sample, the items are the first of an order that ``key``
    fixes (`joulemark.tasks.subset`), so a larger plain sample of the same key holds the smaller.
    """
    total = len(prior.item_ids)
    if not 1 <= n <= total:
        raise InputError(
            f"{n} items cannot be chosen", why=f"there are {total}", fix="another number with --n"
        )
    if method == "strata":
        strata, ids = _strata(prior, n, key, allocation, n_strata)
    elif method == "anchors":
        return _anchors(prior, n, key)
    else:
        strata, ids = (), _drawn(prior.item_ids, key)[:n]
    return Choice(
        method=method,
        task=prior.name,
        n_items=total,
        key=key,
        item_ids=tuple(_drawn(ids, key)),
        models=prior.models,
        best=best_mean(prior),
        allocation=allocation if method == "strata" else None,
        strata=strata,
        control=control_of(prior, ids) if method == "random" else None,
    )


def control_of(prior: OutcomeMatrix, ids: Sequence[str]) -> Control:
    """Return the control variate of items; those that no model has count as the mean of the others."""
    means = prior.item_means()
    overall = float(np.nanmean(means))
    means = np.where(np.isfinite(means), means, overall)
    place = {item: k for k, item in enumerate(prior.item_ids)}
    slope = prior_slope(prior.values) if len(prior.models) >= MIN_MODELS else None
    return Control({item: float(means[place[item]]) for item in ids}, float(means.mean()), slope)


def best_mean(prior: OutcomeMatrix) -> float:
    """Return the largest mean of a model over the items that it has."""
    return float(np.nanmax(np.nanmean(prior.values, axis=1)))


def _strata(
    prior: OutcomeMatrix, n: int, key: str, allocation: str, n_strata: int | None
) -> tuple[tuple[ChosenStratum, ...], list[str]]:
    k = n_strata or usual_number(n)
    if k * MIN_IN_STRATUM > n:
        raise InputError(
            f"{n} items cannot be spread over {k} strata",
            why="each needs two, or its deviation is not known",
            fix=f"--strata {n // MIN_IN_STRATUM} or fewer" if n >= MIN_IN_STRATUM else "a larger --n",
        )
    means = prior.item_means()
    places = difficulty_strata(means, k)
    sizes = neyman(n, places, prior.values) if allocation == "neyman" else proportional(n, places)
    found, ids = [], []
    for of, size in zip(places, sizes.tolist(), strict=True):
        drawn = _drawn([prior.item_ids[place] for place in of.tolist()], key)[:size]
        known = means[of][np.isfinite(means[of])]
        found.append(ChosenStratum(len(of), tuple(drawn), float(known.mean()) if len(known) else None))
        ids += drawn
    return tuple(found), ids


def _anchors(prior: OutcomeMatrix, n: int, key: str) -> Choice:
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    anchors = find_anchors(prior.values, n, seed=seed)
    ids = [prior.item_ids[place] for place in anchors.places.tolist()]
    return Choice(
        method="anchors",
        task=prior.name,
        n_items=len(prior.item_ids),
        key=key,
        item_ids=tuple(_drawn(ids, key)),
        models=prior.models,
        best=best_mean(prior),
        weights=dict(zip(ids, anchors.weights.tolist(), strict=True)),
    )


def _drawn(ids: Sequence[str], key: str) -> list[str]:
    return permuted(ids, key, str)
