"""Joint draws of what a workload costs on several configurations: which is the best, and how surely."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.accuracy import Z_95
from joulemark.metrics.money import by_tokens
from joulemark.metrics.picking import definitions as told
from joulemark.metrics.picking.candidate import Candidate
from joulemark.metrics.picking.price import Priced, bend_j
from joulemark.metrics.picking.workload import Workload
from joulemark.metrics.value import Value

Draws = NDArray[np.float32]  # single precision: draws are noise, and thousands of rows of them are kept

N_DRAWS = 10_000
SEED = 20261130
APART = 0.975  # of the draws in which one is cheaper than the other
_LEAST_DRAWS = 500
_MOST_COMPARED = 400_000_000  # pairs times draws


@dataclass(frozen=True, slots=True)
class Variates:
    """Standard draws float64[n] of one candidate, which no workload changes: kept for many questions.

    ``t`` is Student's, of the cost model's degrees; ``gain`` and ``bend`` normal, ``even`` uniform in -1..1,
    each null where nothing is multiplied with it. ``accuracy`` is null until it is asked for.
    """

    t: Draws
    even: Draws | None
    gain: Draws | None
    bend: Draws | None
    accuracy: Draws | None

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        parts = (self.t, self.even, self.gain, self.bend, self.accuracy)
        return sum(part.nbytes for part in parts if part is not None)


def cost_draws(rows: Sequence[Priced], objective: str, n: int = N_DRAWS, seed: int = SEED) -> Draws | None:
    """Return draws float64[len(rows), n] of an objective, or null where a row has no interval to draw from.

    All rows have the objective's figure. Draws of a candidate do not depend on which others there are, and
    those of a sampled workload's lengths are the same for all.
    """
    if any(row.figures[objective].interval is None for row in rows):
        return None
    shared = shared_draws(n, seed)
    found = np.empty((len(rows), n), np.float32)
    for k, row in enumerate(rows):
        found[k] = row_draws(row, objective, shared, variates_of(row.candidate, n, seed, graded=True))
    return found


def shared_draws(n: int, seed: int) -> Draws:
    """Return float64[2, n] standard normal draws of a sampled workload's mean lengths."""
    return np.random.default_rng([seed, 0]).standard_normal((2, n), np.float32)


def variates_of(candidate: Candidate, n: int, seed: int, *, graded: bool) -> Variates:
    """Return a candidate's own draws; of its accuracy only where it is ``graded`` and has one."""
    point = candidate.point
    number = zlib.crc32("\n".join((point.origin, point.model, point.label)).encode())

    def source(part: int) -> np.random.Generator:
        return np.random.default_rng([seed, part, number])

    known = graded and point.accuracy.value is not None
    degrees = candidate.model.degrees
    return Variates(
        source(1).standard_t(degrees, n).astype(np.float32) if degrees > 0 else np.zeros(n, np.float32),
        2 * source(2).random(n, np.float32) - 1 if candidate.gain_bound else None,
        source(3).standard_normal(n, np.float32) if candidate.extra_variance else None,
        source(4).standard_normal(n, np.float32) if candidate.bend is not None else None,
        accuracy_draws(point.accuracy, n, source(5)) if known else None,
    )


def row_draws(row: Priced, objective: str, shared: Draws, own: Variates) -> Draws:
    """Return draws float64[n] of one row's objective."""
    per_request = objective.removesuffix("_per_correct")
    cost = _cost(row, per_request, shared, own)
    return cost if per_request == objective else per_correct_draws(cost, own)


def per_correct_draws(cost: Draws, own: Variates) -> Draws:
    """Return draws of a cost per request as draws of one per correct answer."""
    assert own.accuracy is not None
    return np.asarray(cost / np.maximum(own.accuracy[: len(cost)], 1e-12), np.float32)


def _cost(row: Priced, figure: str, shared: Draws, own: Variates) -> Draws:
    """Return draws of a cost per request: of its energy times what a joule costs, else of token prices."""
    value, candidate = row.figures[figure], row.candidate
    assert value.value is not None
    if figure == told.USD.name and by_tokens(candidate.rates, local=candidate.local):
        assert value.hi is not None
        priced: Draws = value.value + (value.hi - value.value) / Z_95 * shared[0]
        return priced
    joules = row.figures[told.JOULES.name].value
    assert joules is not None
    assert row.workload is not None
    drawn: Draws = joule_draws(candidate, row.workload, shared, own) * (value.value / joules)
    return drawn


def joule_draws(candidate: Candidate, workload: Workload, shared: Draws, own: Variates) -> Draws:
    """Return draws of the mean energy of a request; ``shared`` float64[2, n] are those of the lengths.

    At given lengths the joules of a cost model are Student's t about their mean, scaled by what the
    covariance of the coefficients makes of the lengths.
    """
    model = candidate.cost
    assert model.coefficients is not None
    assert model.covariance is not None
    n = shared.shape[1]
    fixed, alpha, beta = model.coefficients
    (ff, fa, fb), (_, aa, ab), (_, _, bb) = model.covariance
    prompt: Draws | float = workload.prompt_tokens
    output: Draws | float = workload.completion_tokens
    if workload.n is not None:
        spread = np.array(workload.covariance) * workload.mean_factor
        of_lengths, axes = np.linalg.eigh(spread)
        # the root that is symmetric, so that candidates with alike covariances move alike
        root = (axes * np.sqrt(np.maximum(of_lengths, 0.0))) @ axes.T
        off = root.astype(np.float32) @ shared
        prompt, output = prompt + off[0], output + off[1]
    variance = (
        ff
        + 2 * (fa * prompt + fb * output + ab * prompt * output)
        + aa * prompt * prompt
        + bb * output * output
    )
    spread_j = (
        math.sqrt(max(0.0, variance)) if isinstance(variance, float) else np.sqrt(np.maximum(variance, 0))
    )
    found: Draws = spread_j * own.t[:n]
    found += fixed + alpha * prompt + beta * output
    if own.bend is not None:
        found += bend_j(candidate, workload) * own.bend[:n]
    if own.gain is not None:
        found *= 1.0 + math.sqrt(candidate.extra_variance) * own.gain[:n]
    if own.even is not None:
        found *= 1.0 + candidate.gain_bound * own.even[:n]
    return found


def accuracy_draws(accuracy: Value, n: int, rng: np.random.Generator) -> Draws:
    """Return draws of an accuracy: Beta with half a trial more of either kind (H. Jeffreys, 1946)."""
    assert accuracy.value is not None
    trials = effective_trials(accuracy)
    if trials is None:
        return np.full(n, accuracy.value, np.float32)
    right = accuracy.value * trials
    return rng.beta(right + 0.5, trials - right + 0.5, n).astype(np.float32)


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
