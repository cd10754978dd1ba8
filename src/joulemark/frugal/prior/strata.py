"""Strata of difficulty: items that other models found equally hard, and what a sample within them tells.

Source: W. Cochran, Sampling Techniques (1977), chapter 5; degrees of freedom by F. Satterthwaite (1946). The
estimate is unbiased whatever the strata are worth: they are fixed before the model is asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.outcomes.outcomes import Floats
from joulemark.frugal.planning.allocation import Whole, shared
from joulemark.frugal.prior.estimate import Estimate, differ_too_few, interval_of_mean, interval_of_share

MIN_IN_STRATUM = 2
_IN_STRATUM = 5
_MOST = 20
_TOO_FEW = "a stratum has fewer than two answers, and there is none beside it to join"
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Sampled:
    """What was drawn of one stratum: its ``size`` in items and the values (n,) of those that were asked."""

    size: int
    values: Floats


def usual_number(n: int) -> int:
    """Return into how many strata n items are spread: five in each, at most twenty.

    On the published matrices more of them gain little, and fewer answers each leave no deviation.
    """
    return max(1, min(_MOST, n // _IN_STRATUM))


def difficulty_strata(means: Floats, k: int) -> list[Places]:
    """Cut items into ``k`` strata of equal size by their mean over other models, the hardest first.

    ``means`` (n,), nan where no model is known: those count as of middling difficulty. Items of one mean
    stand in their own order.
    """
    if not 1 <= k <= len(means):
        raise ValueError(f"{len(means)} items make no {k} strata")
    known = np.isfinite(means)
    filled = np.where(known, means, np.median(means[known]) if known.any() else 0.0)
    return list(np.array_split(np.argsort(filled, kind="stable"), k))


def proportional(n: int, strata: Sequence[Places]) -> Whole:
    """Share n items out by the sizes of strata, at least two each."""
    sizes = np.array([len(places) for places in strata], dtype=np.int64)
    return shared(n, sizes.astype(np.float64), sizes, least=MIN_IN_STRATUM)


def neyman(n: int, strata: Sequence[Places], prior: Floats) -> Whole:
    """Share n items out by size times deviation, at least five each where there are as many.

    Two answers of a stratum are mostly alike, and a prior that is sure of a stratum and wrong would not show.

    ``prior`` (m, items) are the outcomes of other models; a stratum's deviation is the root mean square of
    theirs within it.
    """
    sizes = np.array([len(places) for places in strata], dtype=np.int64)
    least = max(MIN_IN_STRATUM, min(_IN_STRATUM, n // len(strata)))
    spread = np.nan_to_num([_mean_variance(prior[:, places]) for places in strata])
    return shared(n, np.asarray(sizes * np.sqrt(spread), dtype=np.float64), sizes, least=least)


def _mean_variance(prior: Floats) -> float:
    """Return the mean over models of the variance of their outcomes, of models that have two or more."""
    rows = [row[np.isfinite(row)] for row in prior]
    known = [float(row.var()) for row in rows if len(row) > 1]
    return math.fsum(known) / len(known) if known else math.nan


def stratified_mean(drawn: Sequence[Sampled], *, is_share: bool) -> Estimate:
    """Return the mean of all items from samples of their strata, neighbours being alike.

    ``is_share``: values are 0 or 1. A stratum with one answer is joined with its neighbour, which widens the
    interval. Raises ``ValueError`` where a stratum has no answer.
    """
    sizes, means, samples = _columns(drawn)
    of, n = int(sizes.sum()), int(samples.sum())
    value = float(sizes @ means) / of
    variance, degrees = _variance(_joined(drawn), of)
    if variance is None:
        return Estimate(value, None, None, n, of, why_no_interval=_TOO_FEW)
    interval = (
        interval_of_share(value, variance, degrees, n, of, right=float(samples @ means))
        if is_share
        else interval_of_mean(value, variance, degrees, n, of, _errors(drawn))
    )
    if interval is None:
        return Estimate(value, None, None, n, of, why_no_interval="all answers of each stratum are the same")
    too_few = is_share and differ_too_few(float(samples @ means), n)
    gain = None if too_few else _gain(drawn, value, variance, n, of)
    return Estimate(value, interval[0], interval[1], n, of, gain)


def _errors(drawn: Sequence[Sampled]) -> Floats:
    """Return what is left of each value within its stratum, as much as it counts in the whole."""
    return np.concatenate([(one.values - one.values.mean()) * one.size / len(one.values) for one in drawn])


def _columns(drawn: Sequence[Sampled]) -> tuple[Floats, Floats, Floats]:
    if not drawn or any(not len(one.values) or len(one.values) > one.size for one in drawn):
        raise ValueError("each stratum needs one answer or more, and no more than it has items")
    sizes = np.array([one.size for one in drawn], dtype=np.float64)
    means = np.array([one.values.mean() for one in drawn])
    return sizes, means, np.array([len(one.values) for one in drawn], dtype=np.float64)


def _joined(drawn: Sequence[Sampled]) -> list[Sampled]:
    """Join strata with a single answer to the one before, the first to the one after."""
    found: list[Sampled] = []
    for one in drawn:
        alone = found and (
            len(one.values) < MIN_IN_STRATUM <= one.size or len(found[-1].values) < 2 <= found[-1].size
        )
        if alone:
            last = found.pop()
            one = Sampled(last.size + one.size, np.concatenate([last.values, one.values]))
        found.append(one)
    return found


def _variance(drawn: Sequence[Sampled], of: int) -> tuple[float | None, float]:
    """Return the variance of the mean and its degrees of freedom; null where it is not known."""
    terms, squares = [], []
    for one in drawn:
        n = len(one.values)
        if n == one.size:
            continue
        if n < MIN_IN_STRATUM:
            return None, 0.0
        term = (one.size / of) ** 2 * float(one.values.var(ddof=1)) * (1 / n - 1 / one.size)
        terms.append(term)
        squares.append(term * term / (n - 1))
    total = math.fsum(terms)
    return total, total * total / math.fsum(squares) if total > 0 and math.fsum(squares) > 0 else 1.0


def _gain(drawn: Sequence[Sampled], value: float, variance: float, n: int, of: int) -> float | None:
    if n == of or not variance > 0:
        return None
    square = math.fsum(one.size * float((one.values**2).mean()) for one in drawn) / of
    # value² is too large by its own variance
    spread = (square - value * value + variance) * of / (of - 1)
    return max(spread, 0.0) * (1 / n - 1 / of) / variance
