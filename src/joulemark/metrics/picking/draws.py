"""Joint draws of what a workload costs on several configurations: which is the best, and how surely."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.accuracy import Z_95
from joulemark.metrics.money import by_tokens
from joulemark.metrics.picking import definitions as told
from joulemark.metrics.picking.price import Priced, bend_j
from joulemark.metrics.value import Value

Draws = NDArray[np.float64]

N_DRAWS = 10_000
SEED = 20261130
APART = 0.975  # of the draws in which one is cheaper than the other
_LEAST_DRAWS = 500
_MOST_COMPARED = 400_000_000  # pairs times draws


def cost_draws(rows: Sequence[Priced], objective: str, n: int = N_DRAWS, seed: int = SEED) -> Draws | None:
    """Return draws float64[len(rows), n] of an objective, or null where a row has no interval to draw from.

    All rows have the objective's figure. Draws of a candidate do not depend on which others there are, and
    those of a sampled workload's lengths are the same for all.
    """
    if any(row.figures[objective].interval is None for row in rows):
        return None
    shared = np.random.default_rng([seed, 0]).standard_normal((2, n))
    found = np.empty((len(rows), n))
    for k, row in enumerate(rows):
        rng = np.random.default_rng([seed, 1, _number(row)])
        found[k] = _of(row, objective, shared, rng)
    return found


def _number(row: Priced) -> int:
    point = row.candidate.point
    return zlib.crc32("\n".join((point.origin, point.model, point.label)).encode())


def _of(row: Priced, objective: str, shared: Draws, rng: np.random.Generator) -> Draws:
    per_request = objective.removesuffix("_per_correct")
    cost = _cost(row, per_request, shared, rng)
    if per_request == objective:
        return cost
    return cost / np.maximum(accuracy_draws(row.candidate.point.accuracy, shared.shape[1], rng), 1e-12)


def _cost(row: Priced, figure: str, shared: Draws, rng: np.random.Generator) -> Draws:
    """Return draws of a cost per request: of its energy times what a joule costs, else of token prices."""
    value, candidate = row.figures[figure], row.candidate
    assert value.value is not None
    if figure == told.USD.name and by_tokens(candidate.rates, local=candidate.local):
        assert value.hi is not None
        priced: Draws = value.value + (value.hi - value.value) / Z_95 * shared[0]
        return priced
    joules = row.figures[told.JOULES.name].value
    assert joules is not None
    drawn: Draws = joule_draws(row, shared, rng) * (value.value / joules)
    return drawn


def joule_draws(row: Priced, shared: Draws, rng: np.random.Generator) -> Draws:
    """Return draws of the mean energy of a request; ``shared`` float64[2, n] are those of the lengths."""
    candidate, workload = row.candidate, row.workload
    model = candidate.model
    assert workload is not None
    assert model.coefficients is not None
    n = shared.shape[1]
    matrix = np.array(model.covariance)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    half = vectors * np.sqrt(np.maximum(values, 0.0))
    # coefficients of a multivariate t: one chi-square for all three
    shrink = np.sqrt(rng.chisquare(model.degrees, n) / model.degrees)
    drawn = np.array(model.coefficients)[:, None] + half @ rng.standard_normal((3, n)) / shrink
    lengths = np.array(workload.at)[:, None] + np.zeros((3, n))
    if workload.n is not None:
        spread = np.array(workload.covariance) * workload.mean_factor
        of_lengths, axes = np.linalg.eigh(spread)
        # the root that is symmetric, so that candidates with alike covariances move alike
        root = (axes * np.sqrt(np.maximum(of_lengths, 0.0))) @ axes.T
        lengths[1:] += root @ shared
    mean = (lengths * drawn).sum(axis=0)
    gain = 1.0 + math.sqrt(candidate.extra_variance) * rng.standard_normal(n)
    mean += bend_j(candidate, workload) * rng.standard_normal(n)
    drawn_j: Draws = mean * gain * (1.0 + candidate.gain_bound * rng.uniform(-1.0, 1.0, n))
    return drawn_j


def accuracy_draws(accuracy: Value, n: int, rng: np.random.Generator) -> Draws:
    """Return draws of an accuracy: Beta with half a trial more of either kind (H. Jeffreys, 1946)."""
    assert accuracy.value is not None
    trials = effective_trials(accuracy)
    if trials is None:
        return np.full(n, accuracy.value)
    right = accuracy.value * trials
    return rng.beta(right + 0.5, trials - right + 0.5, n)


def effective_trials(accuracy: Value) -> float | None:
    """Return of how many trials a Wilson interval is as wide as an accuracy's; null for one without width.

    It is narrower than its ``n`` says where the questions are most of those that there are.
    """
    if accuracy.value is None or accuracy.lo is None or accuracy.hi is None:
        return None
    width = accuracy.hi - accuracy.lo
    if width <= 0:
        return None
    # width (n + z²) = 2 z √(p (1 - p) n + z² / 4), solved for n
    z2, p = Z_95 * Z_95, accuracy.value
    half = z2 * (width * width - 2 * p * (1 - p))
    root = math.sqrt(half * half + width * width * z2 * z2 * (1 - min(width, 1.0) ** 2))
    return max(1e-6, (root - half) / (width * width))


def probabilities(draws: Draws) -> list[float]:
    """Return in which share of the draws each row is the least; of equal ones each has its part."""
    least = draws == draws.min(axis=0)
    return [float(share) for share in (least / least.sum(axis=0)).mean(axis=1)]


def rank_ranges(draws: Draws) -> list[tuple[int, int]]:
    """Return the first and the last rank of each row, by what is surely cheaper and what surely dearer.

    Pairs whose draws hardly meet need no counting. Of very many rows fewer draws are counted, at least
    `_LEAST_DRAWS`.
    """
    k = len(draws)
    n = min(draws.shape[1], max(_LEAST_DRAWS, _MOST_COMPARED // (k * k)))
    some = np.ascontiguousarray(draws[:, :n])
    tail = (1 - APART) / 2
    low, below, above, high = np.quantile(some, (tail, 0.45, 0.55, 1 - tail), axis=1)
    # with at most `tail` of either on the wrong side of a point between them, `APART` is certain
    surely = high[:, None] < low[None, :]
    open_ = ~surely & (below[:, None] <= above[None, :])  # else it is not the cheaper one
    np.fill_diagonal(open_, False)
    for row in range(k):
        others = np.flatnonzero(open_[row])
        if len(others):
            surely[row, others] = (some[row] < some[others]).mean(axis=1) >= APART
    return [(1 + int(surely[:, i].sum()), k - int(surely[i].sum())) for i in range(k)]
