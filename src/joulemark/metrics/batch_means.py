"""Confidence intervals of ratios over a window, from consecutive blocks of it (ADR 11).

Source: batch means (A. Law, Simulation Modeling and Analysis, chapter 9) of a linearised ratio estimator,
corrected for what neighbouring blocks have in common; degrees of freedom by F. Satterthwaite (1946).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.answer_blocks import RENEWALS
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.student import MIN_DEGREES, t_95
from joulemark.record.span import Span

Floats = NDArray[np.float64]

MAX_BLOCKS = 30
MIN_BLOCKS = MIN_DEGREES + 1
MIN_BLOCK_S = 1.0
_LEAST_CORRELATION = -0.05  # what is below it is mostly the noise of an estimate from few blocks
_LEAST_SHARE = 0.2  # of the two variances is left, however much blocks and requests seem to cancel
_MANY_DEGREES = 1000


@dataclass(frozen=True, slots=True)
class Scores:
    """What single requests add to the error of an estimate: float64[n] each, by first order.

    ``values`` sum to 0; ``block`` is the place of the block that a request's output fell into, -1 for none;
    ``clusters`` tell which requests are repeats of one question.
    """

    values: Floats
    block: NDArray[np.int64]
    clusters: Sequence[Hashable]


def steady_blocks(window: SteadyWindow, renewal_s: float = 0.0) -> tuple[Span, ...]:
    """Cut a steady window into at most thirty equal blocks, none shorter than a request is in the batch.

    Nor shorter than `joulemark.metrics.answer_blocks.RENEWALS` of the meter, which tells something new every
    ``renewal_s`` seconds: lines through its readings would pass for a power that held. Empty where that gives
    fewer than `MIN_BLOCKS`.
    """
    least_s = max(MIN_BLOCK_S, window.mean_in_batch_s, RENEWALS * renewal_s)
    n = min(MAX_BLOCKS, int(window.duration_s / least_s))
    if n < MIN_BLOCKS:
        return ()
    segment, t0, t1 = window.part
    edges = np.linspace(t0, t1, n + 1).astype(np.int64).tolist()
    return tuple(Span(segment, a, b) for a, b in pairwise(edges))


def half_width(errors: Floats, scores: Scores | None = None) -> float:
    """Return half the width of a 95 % interval of an estimate.

    ``errors`` float64[K] is what each block adds to the estimate's error by first order, without what single
    requests add; these are given as ``scores``. Raises ``ValueError`` for fewer than `MIN_BLOCKS` blocks.
    """
    k = len(errors)
    if k < MIN_BLOCKS:
        raise ValueError(f"{k} blocks are too few")
    z = errors - errors.mean()
    of_blocks = float(z @ z) * k / (k - 1) * _in_common(z)
    if scores is None or not len(scores.values):
        return t_95(k - 1) * math.sqrt(of_blocks)
    of_requests, questions = _of_requests(scores)
    inside = scores.block >= 0
    d = np.bincount(scores.block[inside], scores.values[inside], k)
    d -= d.mean()
    together = 2 * float(z @ d + z[1:] @ d[:-1] + z[:-1] @ d[1:])
    apart = of_blocks + of_requests
    variance = max(apart + together, _LEAST_SHARE * apart)
    unsure = (of_blocks**2 + abs(together) * of_blocks) / (k - 1) + of_requests**2 / max(questions - 1, 1)
    degrees = variance**2 / unsure if unsure > 0 else _MANY_DEGREES
    least = min(k - 1, max(questions - 1, MIN_DEGREES))
    return t_95(int(np.clip(degrees, least, _MANY_DEGREES))) * math.sqrt(variance)


def _in_common(z: Floats) -> float:
    """Return by how much the variance of a sum of blocks exceeds that of as many independent ones."""
    square = float(z @ z)
    if square <= 0:
        return 1.0
    r = float(z[1:] @ z[:-1]) / square
    r += (1 + 4 * max(r, 0.0)) / len(z)  # the estimate is too small by so much (F. Marriott, J. Pope, 1954)
    r = min(max(r, _LEAST_CORRELATION), 1.0)
    return 1 + 2 * r + max(r, 0.0) ** 2


def _of_requests(scores: Scores) -> tuple[float, int]:
    """Return the variance of the sum of scores, repeats of one question together, and the questions."""
    places: dict[Hashable, int] = {}
    at = np.array([places.setdefault(cluster, len(places)) for cluster in scores.clusters])
    sums = np.bincount(at, scores.values, len(places))
    n = len(sums)
    return float(sums @ sums) * (n / (n - 1) if n > 1 else 1.0), n
